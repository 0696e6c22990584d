import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpServerReport } from '@reeve/client';
import { script } from '@reeve/testkit';
import { openReeveLab, type ReeveLab } from './reeve-lab.ts';

/** The reference server for files. */
export const FILES_SERVER = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));

/** A lab whose fake agent reads files through MCP servers. */
export interface FilesLab extends ReeveLab {
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
  const lab = await openReeveLab({
    directories,
    fill(at) {
      for (const name of [...directories, 'home']) writeFileSync(join(at(name), 'file.txt'), `in ${name}`);
    },
    config: more,
  });
  const { api, at } = lab;
  return {
    ...lab,
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
