import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AgentCommand,
  type ModelEndpoint,
  type SpawnedReeve,
  startModelEndpoint,
  startReeve,
} from '@reeve/testkit';
import { type RealAgentName, realAgent } from './real-agents.ts';
import { type ClientTransport, connectSdkClient, type SdkClient, type SdkClientOptions } from './sdk-client.ts';

/** A Reeve with one real agent behind it, the model that the agent speaks to, and a directory to work in. */
export interface RealAgentLab extends AsyncDisposable {
  readonly name: RealAgentName;
  readonly model: ModelEndpoint;
  readonly cwd: string;
  readonly reeve: SpawnedReeve;
  connect(transport: ClientTransport, options?: Partial<SdkClientOptions>): Promise<SdkClient>;
  /** Ends the server with SIGKILL and starts another on the same data. */
  killAndRestart(): Promise<void>;
}

export interface LabOptions {
  /** The agent does not offer `session/resume`, though it has it. */
  readonly hideResume?: boolean;
  /** Variables of the agent beside what it needs to work here. */
  readonly agentEnv?: Readonly<Record<string, string>>;
  /** Settings of Reeve beside its agent. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Variables of the server's environment beside those of the test. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openRealAgentLab(
  name: RealAgentName,
  { hideResume = false, agentEnv = {}, settings = {}, env = {} }: LabOptions = {},
): Promise<RealAgentLab> {
  await using opened = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-real-')));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const home = join(folder, 'home');
  const cwd = join(folder, 'work');
  await mkdir(home);
  await mkdir(cwd);
  const model = opened.use(await startModelEndpoint());
  const plain = await realAgent(name, { modelUrl: model.url, home, contained: !('sandbox' in settings) });
  const agent = {
    ...(hideResume ? withoutResume(plain) : plain),
    env: { ...plain.env, ...ownFolders(home), ...agentEnv },
    sandbox: { network: { allow: [new URL(model.url).host] } },
  };
  // Inside their sandbox, as everybody runs them.
  const config = { sandbox: {}, ...settings, agents: { [name]: agent }, defaultAgent: name };
  let reeve = opened.use(await startReeve({ config, dataDir: join(folder, 'data'), env }));
  const resources = opened.move();
  return {
    name,
    model,
    cwd,
    get reeve() {
      return reeve;
    },
    connect: (transport, options = {}) => connectSdkClient(reeve, { transport, ...options }),
    killAndRestart: async () => {
      await reeve.kill('SIGKILL');
      reeve = await reeve.restart();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function withoutResume({ command, args, env }: AgentCommand): AgentCommand {
  const proxy = fileURLToPath(new URL('./hide-resume.ts', import.meta.url));
  return { command: process.execPath, args: [proxy, command, ...args], env };
}

/** The developer's own settings must not reach an agent that looks for them where XDG says. */
export function ownFolders(home: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
  };
}
