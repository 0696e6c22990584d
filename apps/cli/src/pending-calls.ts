import { encodeError, idKey, type JsonRpcId, parseMessage, rpcError } from '@reeve/protocol';

/** What Reeve and most agents write first in a message that is no response: it need not be parsed to know that. */
const NO_RESPONSE = Buffer.from('{"jsonrpc":"2.0","method":');

/** The client's requests that have no answer yet: what must be answered with an error when the server is gone. */
export class PendingCalls {
  readonly #ids = new Map<string, JsonRpcId>();

  get size(): number {
    return this.#ids.size;
  }

  fromClient(line: Buffer): void {
    const message = parseMessage(line.toString('utf8'));
    if (message.kind === 'request') this.#ids.set(idKey(message.id), message.id);
  }

  fromServer(line: Buffer): void {
    if (this.#ids.size === 0 || line.subarray(0, NO_RESPONSE.length).equals(NO_RESPONSE)) return;
    const message = parseMessage(line.toString('utf8'));
    if (message.kind === 'result' || message.kind === 'error') this.#ids.delete(idKey(message.id));
  }

  /** One error message for each. */
  failAll(): readonly string[] {
    const error = rpcError('shutting_down', {
      message: 'The connection to the Reeve server was lost',
      data: {
        next: 'Start this agent command again and load the session with session/load: it lives on, and nothing of it is lost.',
      },
    });
    const failed = [...this.#ids.values()].map((id) => encodeError(id, error));
    this.#ids.clear();
    return failed;
  }
}
