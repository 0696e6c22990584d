import type { Answer, StdioConnection } from './stdio-connection.ts';

/** An update of a step in the words of ACP v2: chunks belong to a message, and a tool call is only ever updated. */
export function v2Update(update: object, messageId: string): object {
  const { sessionUpdate } = update as { sessionUpdate?: unknown };
  if (sessionUpdate === 'tool_call') return { ...update, sessionUpdate: 'tool_call_update' };
  if (sessionUpdate === 'agent_message_chunk' || sessionUpdate === 'agent_thought_chunk')
    return { messageId, ...update };
  return update;
}

/** Requests of a step in the words of ACP v2; while one waits, the work is blocked, and a cancel of the work takes it back. */
export function v2Connection(
  connection: StdioConnection,
  { signal, onBlocked }: { signal(): AbortSignal; onBlocked(blocked: boolean): Promise<void> },
): StdioConnection {
  return {
    send: (message) => connection.send(message),
    write: (chunk) => connection.write(chunk),
    request: async (method, params): Promise<Answer> => {
      await onBlocked(true);
      const answer = await connection.request(method, v2Request(method, params), signal());
      if (!signal().aborted) await onBlocked(false);
      return answer;
    },
  };
}

function v2Request(method: string, params: unknown): unknown {
  if (method !== 'session/request_permission') return params;
  const { toolCall, ...rest } = params as { toolCall: { title: string } };
  return { ...rest, title: toolCall.title, subject: { type: 'tool_call', toolCall } };
}
