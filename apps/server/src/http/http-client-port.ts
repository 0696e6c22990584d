import {
  type ConnectionId,
  encodeError,
  idKey,
  type JsonRpcId,
  newConnectionId,
  parseMessage,
  type RpcError,
  rpcError,
} from '@reeve/protocol';
import type { AcpVersion, ClientProfile } from '../agents/acp-version.ts';
import type { ClientPort } from '../sessions/client-port.ts';
import type { SessionSink } from '../sessions/session-sink.ts';
import { claimOf } from './caller.ts';

/** A caller of the control API serves no files and no terminals; questions are answered through the inbox. */
export const HTTP_PROFILE: ClientProfile = {
  clientCapabilities: { elicitation: { form: {} } },
  clientInfo: { name: 'reeve-http-api', title: 'Reeve control API', version: '1' },
};

export type Answered =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: RpcError };

/**
 * One call of the control API as the sessions see a client: it sends requests and waits for their answers, and sees nothing else
 * of what is said. What is asked of people waits in the inbox.
 */
export class HttpClientPort implements ClientPort {
  readonly id: ConnectionId = newConnectionId();
  readonly label: string;
  readonly claimed: ClientPort['claimed'];
  readonly transport = 'call';
  readonly profile: ClientProfile;
  readonly features = { seq: false, turnEnded: false, requestResolved: false };
  readonly #waiting = new Map<string, (answer: Answered) => void>();
  #nextId = 0;
  #gone = false;

  /** `label`: as `callerOf` has it. `version`: that of the session which it is for. */
  constructor(label: string, version: AcpVersion = 1) {
    this.label = label;
    this.claimed = claimOf(label).claimed;
    this.profile = version === 1 ? HTTP_PROFILE : { ...HTTP_PROFILE, protocolVersion: version };
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** The answer to the request of that id, which the caller sends itself. */
  answerTo(id: JsonRpcId): Promise<Answered> {
    return new Promise((resolve) => this.#waiting.set(idKey(id), resolve));
  }

  /** A message of the server, by whatever way it came. */
  take(message: Uint8Array): void {
    const parsed = parseMessage(Buffer.from(message).toString());
    if (parsed.kind !== 'result' && parsed.kind !== 'error') return;
    const resolve = this.#waiting.get(idKey(parsed.id));
    this.#waiting.delete(idKey(parsed.id));
    resolve?.(
      parsed.kind === 'result'
        ? { kind: 'result', result: parsed.result }
        : { kind: 'error', error: parsed.error as RpcError },
    );
  }

  sink(): SessionSink {
    return {
      backlogBytes: 0,
      resumable: false,
      drained: async () => {},
      send: (message) => this.take(message),
      sendRun: () => {},
    };
  }

  release(): void {}

  /** Nobody here answers a person's request: whoever asks waits for the inbox. */
  expectReply(): JsonRpcId {
    this.#nextId += 1;
    return `to-http-${this.#nextId}`;
  }

  forgetReply(): void {}

  drop(reason: string): void {
    this.#gone = true;
    const error = rpcError('internal_error', { message: reason });
    for (const id of [...this.#waiting.keys()]) this.take(Buffer.from(encodeError(JSON.parse(id), error)));
  }
}
