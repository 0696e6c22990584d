import type { Socket } from 'node:net';
import { type Admission, admit, admitAddresses, ownAddresses, unresolved } from './admission.ts';
import type { AllowList, LoopbackEndpoint, Target } from './allow-list.ts';
import { dial } from './dial.ts';
import type { EgressDecision, EgressReason, EgressRefusal } from './egress-decision.ts';
import type { EgressLimits } from './egress-limits.ts';
import { formatEndpoint } from './host.ts';
import { boundedLookup, type NameLookup } from './name-lookup.ts';

export type Opened = { readonly kind: 'opened'; readonly socket: Socket } | EgressRefusal;

/** The way out of one child: decides, resolves, connects, and reports each decision once. */
export interface Outbound {
  /** Opens a connection to a target that the child names. Closing `asker` before it stands gives it up. */
  open(target: Target, asker: Socket): Promise<Opened>;
  /** Opens a connection to a declared service of this machine. */
  openLoopback(endpoint: LoopbackEndpoint, asker: Socket): Promise<Opened>;
  /** Reports what had no target, or none that could be read. */
  deny(reason: 'malformed' | 'too-many-connections'): void;
}

export interface OutboundParts {
  readonly list: AllowList;
  readonly limits: EgressLimits;
  readonly lookup: NameLookup;
  readonly onDecision: (decision: EgressDecision) => void;
}

export function createOutbound({ list, limits, lookup, onDecision }: OutboundParts): Outbound {
  let open = 0;
  const resolve = boundedLookup(lookup, limits.maxLookups);

  const report = (host: string, port: number, decision: EgressDecision['decision'], reason: EgressReason) =>
    onDecision({ at: Date.now(), host, port, decision, reason });

  async function admitted(target: Target, signal: AbortSignal): Promise<Admission> {
    const admission = admit(list, target);
    if (admission.kind !== 'resolve') return admission;
    const addresses = await abortable(resolve(admission.name), signal).catch(() => []);
    signal.throwIfAborted();
    return addresses.length === 0
      ? unresolved(admission.name)
      : admitAddresses(list, target, addresses, ownAddresses());
  }

  async function connect(host: string, port: number, asker: Socket, admit: Admit): Promise<Opened> {
    if (open >= limits.maxConnections) {
      report(host, port, 'denied', 'too-many-connections');
      return { kind: 'refused', decision: 'denied', reason: 'too-many-connections', message: tooMany };
    }
    open += 1;
    const opened = await attempt(host, port, asker, admit);
    if (opened.kind === 'refused') open -= 1;
    else
      opened.socket.once('close', () => {
        open -= 1;
      });
    return opened;
  }

  async function attempt(host: string, port: number, asker: Socket, admit: Admit): Promise<Opened> {
    using waiting = waitFor(asker, limits.connectTimeoutMs);
    const { signal } = waiting;
    try {
      const admission = await admit(signal);
      if (admission.kind === 'refused') {
        report(host, port, admission.decision, admission.reason);
        return admission;
      }
      const addresses = admission.kind === 'admitted' ? admission.addresses : [];
      const socket = await dial({ addresses, port, signal });
      report(host, port, 'allowed', 'declared');
      return { kind: 'opened', socket };
    } catch {
      const reason = !signal.aborted ? 'unreachable' : asker.destroyed ? 'abandoned' : 'timeout';
      report(host, port, 'failed', reason);
      return { kind: 'refused', decision: 'failed', reason, message: failure(reason, formatEndpoint(host, port)) };
    }
  }

  return {
    open: (target, asker) => connect(target.host.text, target.port, asker, (signal) => admitted(target, signal)),
    openLoopback: ({ address, port, upstream }, asker) =>
      connect(address, port, asker, () => ({ kind: 'admitted', addresses: upstream })),
    deny: (reason) => report('', 0, 'denied', reason),
  };
}

const tooMany = 'Too many connections are open at once from this sandbox: close some, and try again.';

type Admit = (signal: AbortSignal) => Admission | Promise<Admission>;

function failure(reason: EgressReason, endpoint: string): string {
  return reason === 'timeout'
    ? `${endpoint} is in this session's boundary, but did not answer in time. Check that it runs and that the server's machine reaches it.`
    : `${endpoint} is in this session's boundary, but takes no connection. Check that it runs and that the server's machine reaches it.`;
}

/** Aborts after `ms`, and when the socket closes. */
function waitFor(socket: Socket, ms: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  socket.once('close', abort);
  if (socket.destroyed) abort();
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      socket.off('close', abort);
    },
  };
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
