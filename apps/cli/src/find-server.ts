import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CallError, connectReeve, type Reeve } from '@reeve/client';
import type { Config } from '@reeve/server/config';
import { CLI_CLIENT } from './cli-client.ts';
import { CliError } from './exit-codes.ts';
import { readConfig } from './read-config.ts';

/** Options of every command that speaks to a server. */
export interface ServerOptions {
  readonly url?: string;
  readonly token?: string;
  readonly config?: string;
  readonly data?: string;
}

export type FoundServer =
  | { readonly kind: 'running'; readonly reeve: Reeve; readonly url: string; readonly token: string | undefined }
  /** Nobody said where, and none runs on the data directory of this configuration. */
  | { readonly kind: 'none'; readonly config: Config };

const HEALTH_MS = 3000;

/**
 * The server that is meant: `--url`, else `REEVE_URL`, else the one that wrote `server.json` into the data directory and
 * still answers. A server that was named is not checked here: the first request tells.
 */
export async function findServer(options: ServerOptions, env: NodeJS.ProcessEnv = process.env): Promise<FoundServer> {
  const url = options.url ?? (env.REEVE_URL || undefined);
  if (url !== undefined) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw new CliError('usage', `"${url}" is not the address of a server`, 'Write it like http://127.0.0.1:7433.');
    }
    return running(url, options.token ?? (env.REEVE_TOKEN || undefined));
  }
  const { config } = readConfig({ file: options.config, dataDir: options.data }, env);
  const written = readServerFile(config.dataDir);
  if (!written) return { kind: 'none', config };
  const server = running(written.url, options.token ?? written.token);
  try {
    await server.reeve.health(AbortSignal.timeout(HEALTH_MS));
    return server;
  } catch (error) {
    // One that answers at all is there; what it refuses, the command is told by its own request.
    if (error instanceof CallError && error.status !== undefined) return server;
    return { kind: 'none', config };
  }
}

/** Like `findServer`, for commands that make no sense without one. */
export async function needServer(options: ServerOptions): Promise<Reeve> {
  const found = await findServer(options);
  if (found.kind === 'running') return found.reeve;
  throw new CliError(
    'unreachable',
    `no server runs on ${found.config.dataDir}`,
    'Start one with "reeve serve", or name one with --url and --token.',
  );
}

function running(url: string, token: string | undefined): Extract<FoundServer, { kind: 'running' }> {
  return { kind: 'running', reeve: connectReeve({ url, token, client: CLI_CLIENT }), url, token };
}

function readServerFile(dataDir: string): { url: string; token: string | undefined } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8'));
    const { url, token } = value as { url?: unknown; token?: unknown };
    if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
    return { url, token: typeof token === 'string' ? token : undefined };
  } catch {
    return undefined;
  }
}
