import { encodeNotification, type JsonRpcId } from '@reeve/protocol';

/** `notifications/cancelled` for a request that we sent. */
export function cancelled(requestId: JsonRpcId, reason?: string): Buffer {
  return Buffer.from(
    encodeNotification('notifications/cancelled', reason === undefined ? { requestId } : { requestId, reason }),
  );
}
