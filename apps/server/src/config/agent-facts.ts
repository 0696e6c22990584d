import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What an agent needs of the machine, beside the directories that it works in. Paths are absolute. */
export interface AgentFacts {
  /** What it keeps between runs: directories and files, shown read-write where they exist. */
  readonly state: readonly string[];
  /** In its state, what decides which programs run: shown read-only where it exists. */
  readonly settings: readonly string[];
  /** Hosts of its model and its login; undefined where they depend on what the user chose. */
  readonly endpoints: readonly string[] | undefined;
  /** Files that exist only inside. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** How it takes MCP servers: as commands that it starts, or only by streamable HTTP. */
  readonly mcpEndpoint: 'stdio' | 'http';
  /** Whether it lists tools again when a server says that they changed. */
  readonly mcpRelists: boolean;
  /** Its own settings that may name MCP servers; it starts those past Reeve. */
  readonly mcpFiles: readonly string[];
  /** What holds less for this agent, as sentences. */
  readonly gaps: readonly string[];
}

/** Where an agent runs. */
export interface AgentSite {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

interface KnownNeeds {
  /** Names of its program. */
  readonly programs: readonly string[];
  /** Parts of paths of its package. */
  readonly packages: readonly string[];
  readonly facts: (site: AgentSite) => Partial<AgentFacts>;
}

const NOTHING: AgentFacts = {
  state: [],
  settings: [],
  endpoints: undefined,
  files: [],
  mcpEndpoint: 'stdio',
  mcpRelists: true,
  mcpFiles: [],
  gaps: [],
};

const KNOWN: Readonly<Record<string, KnownNeeds>> = {
  claude: {
    programs: ['claude-agent-acp', 'claude-code-acp'],
    packages: ['/claude-agent-acp/', '/claude-code-acp/'],
    facts: ({ home, env }) => {
      const own = env.CLAUDE_CONFIG_DIR ?? join(home, '.claude');
      const elsewhere = isOn(env.CLAUDE_CODE_USE_BEDROCK) || isOn(env.CLAUDE_CODE_USE_VERTEX);
      return {
        state: [own, join(home, '.claude.json')],
        settings: inside(own, 'settings.json', 'agents', 'commands', 'hooks', 'plugins', 'skills', 'CLAUDE.md'),
        endpoints: elsewhere
          ? undefined
          : ['api.anthropic.com', 'claude.ai', 'console.anthropic.com', 'platform.claude.com'],
        files: [{ path: MANAGED_SETTINGS, text: managedSettings() }],
        mcpFiles: [join(home, '.claude.json')],
      };
    },
  },
  codex: {
    programs: ['codex-acp', 'codex'],
    packages: ['/codex-acp'],
    facts: ({ home, env }) => {
      const own = env.CODEX_HOME ?? join(home, '.codex');
      return {
        state: [own],
        settings: inside(own, 'config.toml', 'AGENTS.md', 'prompts', 'rules', 'skills'),
        endpoints: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
        mcpRelists: false,
        mcpFiles: inside(own, 'config.toml'),
        gaps: [
          'agent: Codex cannot build its own sandbox inside this one: its commands fail unless its config.toml says sandbox_mode = "danger-full-access" with approval_policy = "untrusted", or [features] use_legacy_landlock = true',
        ],
      };
    },
  },
  gemini: {
    programs: ['gemini'],
    packages: ['/@google/gemini-cli/'],
    facts: ({ home, env }) => ({
      state: [join(home, '.gemini')],
      settings: inside(join(home, '.gemini'), 'settings.json', 'extensions', 'commands', 'GEMINI.md'),
      mcpFiles: inside(join(home, '.gemini'), 'settings.json'),
      endpoints: [
        'generativelanguage.googleapis.com',
        'cloudcode-pa.googleapis.com',
        'oauth2.googleapis.com',
        'accounts.google.com',
        ...(isOn(env.GOOGLE_GENAI_USE_VERTEXAI) ? ['*.googleapis.com'] : []),
      ],
    }),
  },
  opencode: {
    programs: ['opencode'],
    packages: ['/opencode-ai/', '/opencode-linux', '/opencode-darwin'],
    facts: ({ home, env }) => {
      const config = join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'opencode');
      return {
        state: [
          config,
          join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'opencode'),
          join(env.XDG_STATE_HOME ?? join(home, '.local', 'state'), 'opencode'),
          join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'opencode'),
        ],
        settings: inside(config, 'opencode.json', 'opencode.jsonc', 'agent', 'command', 'plugin', 'AGENTS.md'),
        mcpFiles: inside(config, 'opencode.json', 'opencode.jsonc'),
      };
    },
  },
  qwen: {
    programs: ['qwen'],
    packages: ['/@qwen-code/qwen-code/'],
    facts: ({ home }) => ({
      state: [join(home, '.qwen')],
      settings: inside(join(home, '.qwen'), 'settings.json', 'extensions', 'commands', 'QWEN.md'),
      mcpRelists: false,
      mcpFiles: inside(join(home, '.qwen'), 'settings.json'),
      endpoints: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'chat.qwen.ai', 'portal.qwen.ai'],
    }),
  },
  copilot: {
    programs: ['copilot'],
    packages: ['/@github/copilot'],
    facts: ({ home, env }) => ({
      state: [join(home, '.copilot')],
      settings: inside(join(home, '.copilot'), 'config.json', 'mcp-config.json', 'agents'),
      // It refuses servers that are commands (boundary, section 7).
      mcpEndpoint: 'http',
      mcpFiles: inside(join(home, '.copilot'), 'mcp-config.json'),
      endpoints: isOn(env.COPILOT_OFFLINE)
        ? []
        : ['api.github.com', 'github.com', '*.githubcopilot.com', 'copilot-proxy.githubusercontent.com'],
    }),
  },
  cline: {
    programs: ['cline'],
    packages: ['/node_modules/cline/'],
    facts: ({ home, env }) => ({ state: [env.CLINE_DIR ?? join(home, '.cline')] }),
  },
};

export interface AgentIdentity {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What is known of an agent, told by its program, the package that its arguments name a file of, or else its name. */
export function agentFacts({ name, command, args }: AgentIdentity, site: AgentSite): AgentFacts {
  const words = [command, ...args.filter((argument) => argument.startsWith('/'))];
  const isOf = ({ programs, packages }: KnownNeeds): boolean =>
    programs.includes(basename(command)) || packages.some((part) => words.some((word) => word.includes(part)));
  const known = Object.values(KNOWN).find(isOf) ?? (Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined);
  return { ...NOTHING, ...known?.facts(site) };
}

const MANAGED_SETTINGS = '/etc/claude-code/managed-settings.json';

/** The settings of this machine that Claude may not override, with its own sandbox off: it cannot be built inside another one. */
function managedSettings(): string {
  let managed: unknown;
  try {
    managed = JSON.parse(readFileSync(MANAGED_SETTINGS, 'utf8'));
  } catch {
    managed = {};
  }
  const settings = typeof managed === 'object' && managed !== null ? (managed as Record<string, unknown>) : {};
  const sandbox = typeof settings.sandbox === 'object' && settings.sandbox !== null ? settings.sandbox : {};
  return JSON.stringify({ ...settings, sandbox: { ...sandbox, enabled: false } });
}

function inside(directory: string, ...names: readonly string[]): string[] {
  return names.map((name) => join(directory, name));
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}
