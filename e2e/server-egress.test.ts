import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectReeve } from '@reeve/client';
import { createProcessHolder } from '@reeve/sandbox';
import { fakeAgentCommand, script, startReeve } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';
import { runCli } from '../apps/cli/src/cli.rig.ts';

const top = resolve(import.meta.dirname, '..');
const PRIVATE = 'private-word-of-a-page';

/** An MCP server whose tool connects: to a port of loopback, or else by the proxy, whose answer is the result. */
const SERVER = `
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

function reach({ host, port, page }) {
  const proxy = new URL(process.env.HTTP_PROXY);
  const direct = host === '127.0.0.1';
  const socket = direct ? connect(port, host) : connect(Number(proxy.port), proxy.hostname);
  if (!direct) socket.write('GET http://' + host + ':' + port + '/' + page + ' HTTP/1.1\\r\\nhost: ' + host + '\\r\\n\\r\\n');
  return new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(String(chunk).split('\\r\\n')[0])).once('error', (error) => resolve(error.code));
  });
}
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'reach', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'reach', inputSchema: { type: 'object' } }] }),
  'tools/call': async ({ arguments: to }) => ({ content: [{ type: 'text', text: await reach(to) }] }),
};
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = await results[method]?.(params) ?? {};
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
`;

await using holder = createProcessHolder();
const probe = await holder.probe();

describe.skipIf(!probe.usable)(`an MCP server with a list of hosts${probe.usable ? '' : ` (${probe.reason})`}`, () => {
  it('reaches what is in it, and what it is refused stands in the audit log by host and port', async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-server-egress-')));
    const allowed = createServer((socket) => void socket.end('hello\r\n')).listen(0, '127.0.0.1');
    try {
      await once(allowed, 'listening');
      const { port } = allowed.address() as AddressInfo;
      const project = join(base, 'project');
      mkdirSync(project);
      writeFileSync(join(project, 'reach.mjs'), SERVER);
      await using reeve = await startReeve({
        config: {
          sandbox: {},
          agents: { fake: { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } } },
          defaultAgent: 'fake',
          mcpServers: {
            reach: {
              command: process.execPath,
              args: [join(project, 'reach.mjs')],
              network: { allow: [`127.0.0.1:${port}`, 'declared.invalid:80'] },
            },
          },
        },
      });
      const { sessions, audit } = connectReeve(reeve);
      const { session } = await sessions.create({ cwd: project });
      const reach = async (host: string, to: number): Promise<string> => {
        const params = { name: 'reach', arguments: { host, port: to, page: PRIVATE } };
        const prompt = script({ mcp: { server: 'reach', method: 'tools/call', params } });
        const { text } = await sessions.prompt(session.sessionId, { prompt });
        return JSON.parse(text ?? '{}').content?.[0]?.text ?? `no answer: ${text}`;
      };
      expect(await reach('127.0.0.1', port)).toBe('hello');
      expect(await reach('elsewhere.invalid', 80)).toMatch(/^HTTP\/1\.1 403/);
      expect(await reach('declared.invalid', 8080)).toMatch(/^HTTP\/1\.1 403/);
      // It was let through as far as the name goes: there is none of it.
      expect(await reach('declared.invalid', 80)).toMatch(/^HTTP\/1\.1 50/);

      const denied = async () => (await audit.list({ kind: 'egress.denied', session: session.sessionId })).records;
      await expect.poll(async () => (await denied()).length).toBe(2);
      expect((await denied()).map(({ facts }) => facts)).toEqual(
        expect.arrayContaining([
          { host: 'elsewhere.invalid', port: 80, reason: 'not-declared' },
          { host: 'declared.invalid', port: 8080, reason: 'not-declared' },
        ]),
      );
      expect(JSON.stringify(await audit.list())).not.toContain(PRIVATE);

      const env = { REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token, HOME: base };
      const { stdout, code } = await runCli(['audit', 'search', '--kind', 'egress.denied'], env);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('elsewhere.invalid') });
    } finally {
      allowed.close();
      rmSync(base, { recursive: true, force: true });
    }
  });
});
