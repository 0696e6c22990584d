import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentCommand } from '@reeve/testkit';

/** `claude-code` is the older Claude agent, the one whose -32602 the seed document describes. */
export type RealAgentName = 'codex' | 'claude' | 'opencode' | 'claude-code';

export const REAL_AGENT_NAMES: readonly RealAgentName[] = ['codex', 'claude', 'opencode', 'claude-code'];

export interface RealAgentOptions {
  /** Origin of the scripted model endpoint. */
  readonly modelUrl: string;
  /** Directory of the caller's, which becomes the agent's HOME: its settings are written there, its sessions kept. */
  readonly home: string;
  /** It runs inside a sandbox of Reeve: its own cannot be built there. */
  readonly contained?: boolean;
}

/**
 * Writes the settings that `name` needs to run offline, and tells how to start it. Same home, same sessions.
 * The `env` of the answer is the whole environment: a variable that leaks in may send the agent to a real model.
 */
export async function realAgent(name: RealAgentName, options: RealAgentOptions): Promise<AgentCommand> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: options.home };
  switch (name) {
    case 'codex':
      return { ...codexProgram(), env: { ...env, ...(await codexSettings(options)) } };
    case 'opencode':
      return { ...opencodeProgram(), env: { ...env, ...(await opencodeSettings(options)) } };
    case 'claude':
      return { ...nodeProgram('@agentclientprotocol/claude-agent-acp'), env: { ...env, ...claudeSettings(options) } };
    case 'claude-code':
      return { ...nodeProgram('@zed-industries/claude-code-acp'), env: { ...env, ...claudeSettings(options) } };
  }
}

interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** The folder of an installed agent package; the platform's own package, for agents that are a native binary. */
function packageFolder(name: string): string {
  const folder = join(import.meta.dirname, 'agents', 'node_modules', name);
  if (!existsSync(folder)) {
    throw new Error(`${name} is not installed: run "npm ci" in e2e/agents (this platform may have no build of it).`);
  }
  return folder;
}

function nodeProgram(packageName: string): Program {
  return { command: process.execPath, args: [join(packageFolder(packageName), 'dist', 'index.js')] };
}

function codexProgram(): Program {
  const folder = packageFolder(`@zed-industries/codex-acp-${process.platform}-${process.arch}`);
  return { command: join(folder, 'bin', 'codex-acp'), args: [] };
}

function opencodeProgram(): Program {
  const folder = packageFolder(`opencode-${process.platform}-${process.arch}`);
  return { command: join(folder, 'bin', 'opencode'), args: ['acp'] };
}

function claudeSettings({ modelUrl }: RealAgentOptions): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
    ENABLE_TOOL_SEARCH: 'false',
  };
}

async function codexSettings({ modelUrl, home, contained = false }: RealAgentOptions): Promise<Record<string, string>> {
  const folder = join(home, '.codex');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'config.toml'),
    `model = "mock-model"
model_provider = "mock"
approval_policy = "untrusted"
sandbox_mode = "${contained ? 'danger-full-access' : 'read-only'}"

[model_providers.mock]
name = "mock"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
`,
  );
  return { CODEX_HOME: folder, MOCK_KEY: 'dummy', NO_BROWSER: '1' };
}

async function opencodeSettings({ modelUrl, home }: RealAgentOptions): Promise<Record<string, string>> {
  const folder = join(home, '.config', 'opencode');
  await mkdir(folder, { recursive: true });
  const model = { tool_call: true, limit: { context: 128_000, output: 8192 } };
  const settings = {
    share: 'disabled',
    autoupdate: false,
    permission: { edit: 'ask', bash: 'ask' },
    model: 'scripted/scripted-model',
    small_model: 'scripted/scripted-model',
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${modelUrl}/v1`, apiKey: 'dummy' },
        models: { 'scripted-model': model },
      },
    },
  };
  await writeFile(join(folder, 'opencode.json'), JSON.stringify(settings, null, 2));
  return { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' };
}
