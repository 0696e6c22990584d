import type { JsonObject } from '@reeve/protocol';
import type { JsonRpcPeer } from '@reeve/testkit';
import type { ClientTransport } from '../sdk-client.ts';
import type { Subject } from './subject.ts';
import { openWirePeer, type WirePeer } from './wire-peer.ts';

/** One agent behind one transport. Its connections announce no capability of the client. */
export interface Cell extends AsyncDisposable {
  readonly subject: Subject;
  readonly transport: ClientTransport;
  /** The connection that most lines share, initialized. */
  readonly peer: JsonRpcPeer;
  readonly initialized: InitializeResult;
  /** Whether `session/new` told of modes, and of options. */
  readonly hasModes: boolean;
  readonly hasOptions: boolean;
  /** Every connection so far. Live. */
  readonly wires: readonly WirePeer[];
  /** The result of `session/new` for the session that most lines share. */
  session(): Promise<SessionResult>;
  /** A further session of the same connection, with additional directories where the agent takes them. */
  second(): Promise<SessionResult>;
  /** Another connection of the same kind, initialized unless asked not to. */
  connect(options?: ConnectOptions): Promise<JsonRpcPeer>;
  /** The outcome of `run`, which runs once for each `key`. */
  once<Outcome>(key: string, run: () => Promise<Outcome>): Promise<Outcome>;
}

export interface InitializeResult extends JsonObject {
  readonly protocolVersion: number;
  readonly agentCapabilities: JsonObject & {
    readonly loadSession?: boolean;
    readonly promptCapabilities?: Readonly<Record<string, boolean>>;
    readonly sessionCapabilities?: JsonObject;
    readonly auth?: JsonObject;
  };
  readonly authMethods: readonly (JsonObject & { readonly id: string })[];
}

export interface SessionResult extends JsonObject {
  readonly sessionId: string;
  readonly modes?: { readonly currentModeId: string; readonly availableModes: readonly { readonly id: string }[] };
  readonly configOptions?: readonly ConfigOption[];
}

export interface ConfigOption extends JsonObject {
  readonly id: string;
  readonly type: string;
  readonly currentValue: unknown;
  /** Values, or groups of them. */
  readonly options?: readonly { readonly value?: string; readonly options?: readonly { readonly value: string }[] }[];
}

export interface ConnectOptions {
  /** The cell's agent by default. */
  readonly agent?: string;
  readonly initialize?: boolean;
}

/** What each connection says of itself. */
export const INTRODUCTION = {
  protocolVersion: 1,
  clientInfo: { name: 'conformance', version: '1.0.0' },
  clientCapabilities: {},
};

export async function openCell(subject: Subject, transport: ClientTransport): Promise<Cell> {
  const wires: WirePeer[] = [];
  const outcomes = new Map<string, Promise<unknown>>();
  const connect = async ({ agent = subject.name, initialize = true }: ConnectOptions = {}): Promise<JsonRpcPeer> => {
    const wire = await openWirePeer(subject.reeve, transport, agent);
    wires.push(wire);
    wire.peer.onRequest('session/request_permission', (params) => allowed(params as PermissionParams));
    if (initialize) await wire.peer.request('initialize', INTRODUCTION);
    return wire.peer;
  };
  const once = <Outcome>(key: string, run: () => Promise<Outcome>): Promise<Outcome> => {
    const outcome = (outcomes.get(key) as Promise<Outcome> | undefined) ?? run();
    outcomes.set(key, outcome);
    return outcome;
  };
  const peer = await connect({ initialize: false });
  const initialized = await peer.request<InitializeResult>('initialize', INTRODUCTION);
  const extra = initialized.agentCapabilities.sessionCapabilities?.additionalDirectories !== undefined;
  const create = (more: object): Promise<SessionResult> =>
    peer.request<SessionResult>('session/new', { cwd: subject.cwd, mcpServers: [], ...more });
  const session = await create({});
  return {
    subject,
    transport,
    peer,
    initialized,
    hasModes: session.modes != null,
    hasOptions: session.configOptions != null,
    wires,
    session: async () => session,
    second: () => once('second', () => create(extra ? { additionalDirectories: [subject.extra] } : {})),
    connect,
    once,
    [Symbol.asyncDispose]: async () => {
      for (const wire of wires) await wire[Symbol.asyncDispose]();
    },
  };
}

interface PermissionParams {
  readonly options: readonly { readonly optionId: string; readonly kind: string }[];
}

function allowed({ options }: PermissionParams): unknown {
  const option = options.find(({ kind }) => kind === 'allow_once');
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
}

/** Sends a prompt of one text. */
export function promptText(peer: JsonRpcPeer, sessionId: string, text: string): Promise<JsonObject> {
  return peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
}

/** Where in the log of `peer` its last request of `method` was answered. */
export function answerIndex({ log }: JsonRpcPeer, method: string): number {
  const asked = log.findLastIndex(({ direction, message }) => direction === 'out' && message?.method === method);
  const id = log[asked]?.message?.id;
  return log.findIndex(
    ({ direction, message }, index) =>
      index > asked && direction === 'in' && message !== undefined && message.id === id && message.method === undefined,
  );
}

/** The updates of a session that came from `from` to before `to`, as positions in the log of `peer`. */
export function updatesBetween({ log }: JsonRpcPeer, sessionId: string, from: number, to = log.length): JsonObject[] {
  return log.slice(from, to).flatMap(({ direction, message }) => {
    if (direction !== 'in' || message?.method !== 'session/update') return [];
    const params = message.params as { sessionId: string; update: JsonObject };
    return params.sessionId === sessionId ? [params.update] : [];
  });
}

/** Long enough for what an agent sends behind an answer. */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 250));
