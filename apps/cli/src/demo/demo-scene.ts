import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directories of one demonstration, all new. Disposing removes them. */
export interface DemoScene extends AsyncDisposable {
  /** The only root of the session. */
  readonly project: string;
  /** A file beside it that nobody gave the agent. */
  readonly outside: string;
  readonly dataDir: string;
  readonly configFile: string;
  /** For `session/new`. */
  readonly mcpServers: readonly unknown[];
}

const AGENT = fileURLToPath(new URL('../demo-agent/agent-main.ts', import.meta.url));
const SERVER = fileURLToPath(new URL('../demo-agent/server-main.ts', import.meta.url));

const NOTES = 'Bread rises twice.\nThe oven takes ten minutes to heat.\n';

export async function createScene(): Promise<DemoScene> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'reeve-demo-')));
  const scene: DemoScene = {
    project: join(home, 'project'),
    outside: join(home, 'neighbour', 'salaries.txt'),
    dataDir: join(home, 'data'),
    configFile: join(home, 'reeve.json'),
    mcpServers: [{ name: 'notes', command: process.execPath, args: [SERVER], env: [] }],
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true, maxRetries: 3 }),
  };
  await mkdir(scene.project);
  await mkdir(join(home, 'neighbour'));
  await writeFile(join(scene.project, 'greeting.txt'), 'Hello.\n');
  await writeFile(join(scene.project, 'notes.md'), NOTES);
  // Never the same twice: whoever finds it in what was shown or stored knows that it was read.
  await writeFile(scene.outside, `Ada ${randomBytes(12).toString('hex')}\n`, { mode: 0o600 });
  await writeFile(scene.configFile, JSON.stringify(demoConfig()));
  return scene;
}

/** Where nothing can confine the agent it runs all the same, and that is said. */
function demoConfig(): object {
  return {
    agents: { demo: { command: process.execPath, args: [AGENT], sandbox: { network: 'none' } } },
    defaultAgent: 'demo',
    sandbox: { require: 'declared' },
    log: { level: 'error' },
  };
}
