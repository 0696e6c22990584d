/**
 * The MCP server of the demonstration, over stdio: `count_words` opens the file that it is told to, wherever that lies. It checks no
 * roots of its own: what it cannot open is what something else keeps from it.
 */
import { readFile } from 'node:fs/promises';
import { openPeer, type Params, RpcFailure } from './json-rpc-peer.ts';

const PROTOCOL_VERSION = '2025-11-25';
const INVALID_PARAMS = -32602;

const COUNT_WORDS = {
  name: 'count_words',
  title: 'Count words',
  description: 'Counts the words of a text file',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'absolute path of the file' } },
    required: ['path'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

const peer = openPeer(process.stdin, process.stdout, {
  initialize: () => ({
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: 'reeve-demo-notes', version: '1.0.0' },
  }),
  'notifications/initialized': () => {
    // Servers that work on files ask where they may (MCP, roots). This one asks, and keeps to nothing.
    peer.request('roots/list', {}).catch(() => {});
  },
  'notifications/roots/list_changed': () => {
    peer.request('roots/list', {}).catch(() => {});
  },
  ping: () => ({}),
  'tools/list': () => ({ tools: [COUNT_WORDS] }),
  'tools/call': async ({ name, arguments: given }) => {
    const path = (given as Params | undefined)?.path;
    if (name !== COUNT_WORDS.name || typeof path !== 'string')
      throw new RpcFailure(INVALID_PARAMS, 'call count_words with {"path": "/…"}');
    try {
      const words = (await readFile(path, 'utf8')).split(/\s+/).filter((word) => word !== '').length;
      return { content: [{ type: 'text', text: `${words} words` }] };
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: `not opened: ${withoutPath(error)}` }] };
    }
  },
});
process.stdin.on('end', () => process.exit(0));

/** What the system said, without the path that the caller knows. */
function withoutPath(error: unknown): string {
  return String((error as Error).message).split(', open')[0] ?? '';
}
