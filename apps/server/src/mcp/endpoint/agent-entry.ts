import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@reeve/protocol';

/** The program between an agent that starts its servers and the socket of one: `socat`, or our script in this Node. */
export interface Shim {
  readonly command: string;
  /** @param socket path of the socket */
  args(socket: string): readonly string[];
  /** What must be seen for it to run. */
  readonly readOnly: readonly string[];
}

const SCRIPT = fileURLToPath(new URL('./shim.mjs', import.meta.url));

/** @param socat its absolute path, where it is there: 1 MB and 7 ms instead of 10 MB and 70 ms */
export function chooseShim(socat: string | undefined): Shim {
  if (socat !== undefined) {
    return { command: socat, args: (socket) => ['STDIO', `UNIX-CONNECT:${socket}`], readOnly: [socat] };
  }
  const node = process.execPath;
  return { command: node, args: (socket) => [SCRIPT, socket], readOnly: [node, SCRIPT] };
}

/** An entry of `mcpServers` (ACP, session setup) for a server that is started. */
export function stdioEntry(name: string, shim: Shim, socket: string): JsonObject {
  return { name, command: shim.command, args: shim.args(socket), env: [] };
}

/** The same for one that is reached by HTTP. The secret is for this session and server only. */
export function httpEntry(name: string, url: string, secret: string): JsonObject {
  return { type: 'http', name, url, headers: [{ name: 'Authorization', value: `Bearer ${secret}` }] };
}
