import { setTimeout as delay } from 'node:timers/promises';
import { isObject, type RpcMessage } from '@reeve/protocol';
import type { McpEra } from '../server-status.ts';
import { META, STATELESS_VERSION } from '../wire/mcp-keys.ts';
import { metaOf } from '../wire/read-meta.ts';
import type { Hello, ServerFacts } from './server-facts.ts';

export interface HandshakeOptions {
  readonly hello: Hello;
  /** The era to try first. */
  readonly first: McpEra;
  /** Sends a request of our own; rejects when the link has ended or the signal is aborted. */
  readonly ask: (method: string, params: unknown) => Promise<RpcMessage>;
  /** Silence after which the other era is tried too. */
  readonly probeMs: number;
  /** For all of it. */
  readonly startMs: number;
  readonly signal: AbortSignal;
}

export type Handshake =
  | { readonly kind: 'open'; readonly facts: ServerFacts }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Finds out how a server speaks and opens it. The era of the agent is tried first: where the server has both, nothing needs to be
 * translated. A refusal, or silence for `probeMs`, tries the other one beside it; the first to succeed counts.
 */
export async function shakeHands(options: HandshakeOptions): Promise<Handshake> {
  const { first, probeMs, startMs, signal } = options;
  const one = attempt(first, options);
  const quick = await Promise.race([one, delay(probeMs, undefined, { signal, ref: false })]);
  if (quick?.kind === 'open') return quick;
  const other = attempt(first === 'initialize' ? 'stateless' : 'initialize', options);
  const timedOut = delay(Math.max(0, startMs - probeMs), undefined, { signal, ref: false }).then(
    (): Handshake => ({
      kind: 'failed',
      reason: `the server did not answer within ${startMs} ms of its start (timeouts.mcpStartMs)`,
    }),
  );
  return Promise.race([timedOut, firstOpen(one, other)]);
}

/** The refusal of the first one counts where both refuse. */
async function firstOpen(one: Promise<Handshake>, other: Promise<Handshake>): Promise<Handshake> {
  const opened = (attempted: Promise<Handshake>) =>
    attempted.then((result) => (result.kind === 'open' ? result : Promise.reject(result)));
  return Promise.any([opened(one), opened(other)]).catch(() => one);
}

async function attempt(era: McpEra, { hello, ask }: HandshakeOptions): Promise<Handshake> {
  const { clientInfo, capabilities, rest } = hello;
  const reply =
    era === 'initialize'
      ? await ask('initialize', {
          ...rest,
          protocolVersion: hello.era === 'initialize' ? hello.version : '2025-11-25',
          capabilities: { ...capabilities, roots: { listChanged: true } },
          clientInfo,
        })
      : await ask('server/discover', {
          _meta: {
            [META.version]: STATELESS_VERSION,
            [META.clientInfo]: clientInfo,
            [META.clientCapabilities]: { ...capabilities, roots: {} },
          },
        });
  if (reply.kind === 'error') return { kind: 'failed', reason: `the server refused ${era}: ${reply.error.message}` };
  const facts = reply.kind === 'result' ? readFacts(era, reply.result) : undefined;
  return facts
    ? { kind: 'open', facts }
    : { kind: 'failed', reason: 'the server answered its opening with something else' };
}

function readFacts(era: McpEra, result: unknown): ServerFacts | undefined {
  if (!isObject(result)) return undefined;
  const capabilities = isObject(result.capabilities) ? result.capabilities : {};
  if (era === 'initialize') {
    const { protocolVersion: version, serverInfo: info } = result;
    return typeof version === 'string' ? { era, version, capabilities, result, info } : undefined;
  }
  const { supportedVersions } = result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(STATELESS_VERSION)) return undefined;
  return { era, version: STATELESS_VERSION, capabilities, result, info: metaOf(result)[META.serverInfo] };
}
