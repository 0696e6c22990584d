import { accessSync, constants, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import type { ParsedAgent } from './schema.ts';

const PROXIES = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
];
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
const NETWORK = [...PROXIES, ...CERTIFICATES];

interface KnownAgent {
  readonly command: string;
  readonly args: readonly string[];
  /** The npm package whose program it is. */
  readonly package: string;
  /** What it reads of its environment to reach its model. */
  readonly variables: readonly string[];
}

/** Agents that need no entry in the configuration: each is there when its program is on the PATH. */
const KNOWN: Readonly<Record<string, KnownAgent>> = {
  claude: {
    command: 'claude-agent-acp',
    args: [],
    package: '@agentclientprotocol/claude-agent-acp',
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_EXECUTABLE',
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'DISABLE_AUTOUPDATER',
      'DISABLE_TELEMETRY',
    ],
  },
  codex: {
    command: 'codex-acp',
    args: [],
    package: '@agentclientprotocol/codex-acp',
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME', 'NO_BROWSER'],
  },
  gemini: {
    command: 'gemini',
    args: ['--acp'],
    package: '@google/gemini-cli',
    variables: [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_GENAI_USE_VERTEXAI',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'GEMINI_CLI_NO_RELAUNCH',
      'GEMINI_CLI_TRUST_WORKSPACE',
    ],
  },
  opencode: {
    command: 'opencode',
    args: ['acp'],
    // The main package, opencode-ai, puts the program in its place by an install script.
    package: `opencode-${process.platform}-${process.arch}`,
    variables: [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GEMINI_API_KEY',
      'OPENROUTER_API_KEY',
      'OPENCODE_API_KEY',
      'OPENCODE_CONFIG',
      'OPENCODE_DISABLE_AUTOUPDATE',
      'OPENCODE_DISABLE_MODELS_FETCH',
    ],
  },
  qwen: {
    command: 'qwen',
    args: ['--acp'],
    package: '@qwen-code/qwen-code',
    variables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
  },
  copilot: {
    command: 'copilot',
    args: ['--acp'],
    package: '@github/copilot',
    variables: [
      'GH_TOKEN',
      'GITHUB_TOKEN',
      'COPILOT_GITHUB_TOKEN',
      'COPILOT_MODEL',
      'COPILOT_OFFLINE',
      'COPILOT_PROVIDER_BASE_URL',
      'COPILOT_PROVIDER_TYPE',
      'COPILOT_PROVIDER_API_KEY',
    ],
  },
  cline: { command: 'cline', args: ['--acp'], package: 'cline', variables: ['CLINE_API_KEY', 'CLINE_DIR'] },
};

/** Entries for those known agents whose program is on `path` (the text of PATH). */
export function agentsOnPath(path: string | undefined): Record<string, ParsedAgent> {
  return Object.fromEntries(Object.entries(knownAgents()).filter(([, { command }]) => isOnPath(command, path)));
}

/** Entries for all known agents, wherever their programs are. */
export function knownAgents(): Record<string, ParsedAgent> {
  const all: Record<string, ParsedAgent> = {};
  for (const [name, { command, args, variables, package: npm }] of Object.entries(KNOWN)) {
    all[name] = { command, args: [...args], env: {}, passEnv: [...variables, ...NETWORK], npm: { package: npm } };
  }
  return all;
}

/** The entry with the npm package of the known agent of that name, when it starts that agent's program and names no package itself. */
export function withKnownPackage(name: string, entry: ParsedAgent): ParsedAgent {
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (entry.npm || !known || basename(entry.command) !== known.command) return entry;
  return { ...entry, npm: { package: known.package } };
}

function isOnPath(command: string, path: string | undefined): boolean {
  return (path ?? '').split(delimiter).some((folder) => folder !== '' && isProgram(join(folder, command)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
