import { z } from 'zod';
import { network } from './sandbox.ts';
import { text, variable } from './values.ts';

const NAME = 'the name of a server: a letter or digit, then at most 63 letters, digits, spaces, "-", "_" or "."';
const HEADER = 'the name of a header (RFC 9110, token)';
const LINE = 'text on one line';
const URL_WANTED = 'an http:// or https:// address';

const header = z.string({ error: HEADER }).regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, { error: HEADER });

/** Names are header fields; values are secrets. */
export const headers = z.record(header, z.string({ error: LINE }).regex(/^[^\r\n\0]*$/, { error: LINE }), {
  error: 'an object of header fields and their text',
});

export const webAddress = z.string({ error: URL_WANTED }).refine(isWebAddress, { error: URL_WANTED });

/** One MCP server, as `.mcp.json` has it, with what Reeve may be told besides. */
export const mcpServer = z
  .strictObject(
    {
      /** Without it `stdio` where there is a `command`, `http` where there is a `url`. */
      type: z.enum(['stdio', 'http', 'sse'], { error: '"stdio", "http" or "sse"' }).optional(),
      command: text('a program: a name on the PATH or a path').optional(),
      args: z.array(z.string({ error: 'text' }), { error: 'a list of arguments' }).optional(),
      env: z
        .record(variable, z.string({ error: 'text' }), { error: 'an object of environment variables and their text' })
        .optional(),
      /** Variables of the server's own environment that it is given too. */
      passEnv: z.array(variable, { error: 'a list of names of environment variables' }).optional(),
      url: webAddress.optional(),
      headers: headers.optional(),
      /** What it says of its own tools is believed. */
      trusted: z.boolean({ error: 'true or false' }).default(false),
      /** What its process may reach; nothing unless told. */
      network: network.optional(),
    },
    { error: 'a server: {"command": …, "args": […], "env": {…}} or {"type": "http", "url": …, "headers": {…}}' },
  )
  .superRefine((entry, context) => {
    const remote = entry.url !== undefined && entry.command === undefined;
    const wrong = (path: readonly string[], message: string): void => {
      context.addIssue({ code: 'custom', path: [...path], message, input: undefined });
    };
    if (entry.command === undefined && entry.url === undefined) {
      wrong([entry.type === 'http' || entry.type === 'sse' ? 'url' : 'command'], 'a program to start, or a "url"');
    } else if (entry.command !== undefined && entry.url !== undefined) {
      wrong(['url'], 'nothing beside a "command": a server is started or reached, not both');
    } else if (entry.type !== undefined && remote !== (entry.type !== 'stdio')) {
      wrong(['type'], remote ? '"http" or "sse" with a "url"' : '"stdio" with a "command"');
    } else {
      for (const name of remote ? (['args', 'env', 'passEnv', 'network'] as const) : (['headers'] as const)) {
        if (entry[name] !== undefined)
          wrong([name], `nothing: a server that is ${remote ? 'reached' : 'started'} has none`);
      }
    }
  });

export const mcpServers = z
  .record(z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, { error: NAME }), mcpServer, {
    error: 'an object of MCP servers by name',
  })
  .default({});

function isWebAddress(value: string): boolean {
  const url = URL.parse(value);
  return url?.protocol === 'http:' || url?.protocol === 'https:';
}
