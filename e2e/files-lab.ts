import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectReeve, type McpServerReport, type Reeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { type CliRun, runCli } from '../apps/cli/src/cli.rig.ts';

const top = resolve(import.meta.dirname, '..');
/** The reference server for files. */
export const FILES_SERVER = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
/** Processes are started, in sandboxes. */
export const SLOW_MS = 120_000;
export const STARTED = { timeout: 60_000, interval: 100 } as const;

/** A server whose fake agent reads files through MCP servers, and `reeve` at its command line. Disposing ends it and removes the files. */
export interface FilesLab extends AsyncDisposable {
  /** Canonical; holds all directories. */
  readonly base: string;
  readonly reeve: SpawnedReeve;
  readonly api: Reeve;
  at(name: string): string;
  cli(...args: readonly string[]): Promise<CliRun>;
  /** What a command that goes well prints, for people and for programs. */
  told(...args: readonly string[]): Promise<string>;
  /** What a command that goes well prints for programs. */
  printed(...args: readonly string[]): Promise<string>;
  /** A session in `project`, with these directories as its roots, to be read and written. */
  open(roots: readonly string[], ...mcpServers: readonly object[]): Promise<string>;
  stateOf(session: string, server?: string): Promise<McpServerReport['state'] | undefined>;
  /** What the agent of the session is answered when it reads this file through the server. */
  read(session: string, path: string, server?: string): Promise<string>;
}

/**
 * Opens a lab with these directories and `home`, each with a `file.txt` that says `in <name>`. `more`: of the configuration, by where the
 * directories are.
 */
export async function openFilesLab(
  directories: readonly string[],
  more: (at: (name: string) => string) => object = () => ({}),
): Promise<FilesLab> {
  await using opened = new AsyncDisposableStack();
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-files-')));
  opened.defer(() => rmSync(base, { recursive: true, force: true }));
  const at = (name: string): string => join(base, name);
  for (const name of [...directories, 'home']) {
    mkdirSync(at(name));
    writeFileSync(join(at(name), 'file.txt'), `in ${name}`);
  }
  // It is not shown its own files unless told: they are of this repository.
  const fake = { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } };
  const config = { sandbox: {}, agents: { fake }, defaultAgent: 'fake', ...more(at) };
  const reeve = opened.use(await startReeve({ config, env: { HOME: at('home') } }));
  const api = connectReeve(reeve);
  const cli = (...args: readonly string[]): Promise<CliRun> =>
    runCli(args, { REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token, HOME: base });
  const goesWell = async (args: readonly string[]): Promise<CliRun> => {
    const run = await cli(...args);
    if (run.code !== 0) throw new Error(`reeve ${args.join(' ')} ended with ${run.code}: ${run.stderr}`);
    return run;
  };
  const resources = opened.move();
  return {
    base,
    reeve,
    api,
    at,
    cli,
    async told(...args) {
      const { stdout, stderr } = await goesWell(args);
      return stdout + stderr;
    },
    printed: async (...args) => (await goesWell(args)).stdout,
    async open(roots, ...mcpServers) {
      const boundary = { roots: roots.map((name) => ({ path: at(name), access: 'rw' })) };
      const { session } = await api.sessions.create({ cwd: at('project'), mcpServers, metadata: { boundary } });
      return session.sessionId;
    },
    async stateOf(session, server = 'files') {
      return (await api.servers.list({ session })).servers.find(({ name }) => name === server)?.state;
    },
    async read(session, path, server = 'files') {
      const params = { name: 'read_text_file', arguments: { path } };
      const prompt = script({ mcp: { server, method: 'tools/call', params } });
      const { text } = await api.sessions.prompt(session, { prompt });
      const { content } = JSON.parse(text ?? '{}') as { content?: readonly { text: string }[] };
      return content?.[0]?.text ?? `no answer: ${text}`;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The server `files` with these paths on its command line; the name of its variable makes it another one for each test. */
export function filesServer(paths: readonly string[], variable: string, value = 'planted') {
  return {
    name: 'files',
    command: process.execPath,
    args: [FILES_SERVER, ...paths],
    env: [{ name: variable, value }],
  };
}
