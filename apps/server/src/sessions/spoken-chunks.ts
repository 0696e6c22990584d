import type { JsonObject, SessionId } from '@reeve/protocol';

/** What the user said, as the updates that other clients and later loads see it: one per content block. */
export function spokenChunks(sessionId: SessionId, params: JsonObject): Buffer[] {
  const blocks = Array.isArray(params.prompt) ? params.prompt : [];
  return blocks.map((content) =>
    Buffer.from(
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'session/update',
        params: { sessionId, update: { sessionUpdate: 'user_message_chunk', content } },
      }),
    ),
  );
}
