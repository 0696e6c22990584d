import { createInterface } from 'node:readline';
import type { HeldProcess } from '@reeve/sandbox';
import type { ScopeChange, ServerGuard } from '../../boundary/server-guard.ts';
import type { CallGate, GatedCall } from '../call-gate.ts';
import type { ServerLauncher } from '../server-launch.ts';

export interface GovernedServer extends AsyncDisposable {
  /** The text of the result, whether the server, the gate or the boundary answered. */
  call(tool: string, args: Readonly<Record<string, unknown>>, how?: { readonly ungated?: boolean }): Promise<string>;
  /** As the gateway does it: resolves when the server runs in the new scope. */
  change(change: ScopeChange): Promise<void>;
  readonly process: HeldProcess;
}

interface Answer {
  readonly content?: readonly { readonly text?: string }[];
}

/** One real server behind gate and launcher, with no more between them than it takes to speak MCP of the old era. */
export async function openGovernedServer(
  guard: ServerGuard,
  gate: CallGate,
  launcher: ServerLauncher,
): Promise<GovernedServer> {
  let opened = await open(undefined);

  async function open(because: ScopeChange | undefined) {
    const launched = await launcher.launch({ guard, because, signal: new AbortController().signal });
    if (launched.kind === 'failed') throw new Error(launched.reason);
    const { process, scope } = launched;
    const waiting = new Map<number, (answer: Answer) => void>();
    let lastId = 0;
    const send = (message: object): void =>
      void process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    createInterface({ input: process.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as {
        id?: number;
        method?: string;
        result?: Answer;
        error?: { message: string };
      };
      if (message.method === 'roots/list') {
        const { roots, revision } = guard.scope();
        send({ id: message.id, result: { roots: roots.map(({ path }) => ({ uri: `file://${path}` })) } });
        gate.rootsAnswered(revision);
      } else if (message.id !== undefined && message.method === undefined) {
        waiting.get(message.id)?.(message.result ?? { content: [{ text: `error: ${message.error?.message}` }] });
        waiting.delete(message.id);
      }
    });
    const request = (method: string, params: object, signal?: AbortSignal): Promise<Answer> =>
      new Promise((resolve) => {
        const id = ++lastId;
        waiting.set(id, resolve);
        signal?.addEventListener('abort', () => resolve({ content: [{ text: String(signal.reason) }] }));
        void process.exited.then(() => resolve({ content: [{ text: 'the server ended' }] }));
        send({ id, method, params });
      });
    const clientInfo = { name: 'rig', version: '1' };
    const capabilities = { roots: { listChanged: true } };
    await request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo });
    send({ method: 'notifications/initialized' });
    gate.serverStarted(scope.revision);
    return { process, request };
  }

  return {
    get process() {
      return opened.process;
    },
    async call(name, args, { ungated = false } = {}) {
      const params = { name, arguments: args };
      const claims = { readOnly: false, destructive: true, openWorld: true };
      const gated: GatedCall = {
        method: 'tools/call',
        params,
        claims,
        isListed: () => true,
        inputSchema: undefined,
        era: 'initialize',
        client: undefined,
      };
      const verdict = ungated
        ? ({ kind: 'forward', done: () => {}, revocation: undefined } as const)
        : await gate.check(gated, new AbortController());
      if (verdict.kind === 'refuse') return verdict.text;
      const revoked = new AbortController();
      verdict.revocation?.onRevoked((reason) => revoked.abort(reason));
      const answer = await opened.request('tools/call', params, revoked.signal);
      verdict.done('completed');
      return (answer.content ?? []).map(({ text }) => text ?? '').join('\n');
    },
    async change(change) {
      await gate.scopeChanging(change);
      if (launcher.mustReplace(change)) {
        await opened.process.stop({ graceMs: 0, killAfterMs: 0 });
        opened = await open(change);
      }
      gate.scopeChanged(change);
    },
    [Symbol.asyncDispose]: () => opened.process[Symbol.asyncDispose](),
  };
}
