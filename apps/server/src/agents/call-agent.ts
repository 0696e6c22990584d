import type { AgentConnection, AgentReply, FromAgent } from './agent-connection.ts';

/**
 * Sends a request that opens a conversation, and waits as long as the agent says anything. `onMessage` gets what it says until the
 * response; what it says then waits for the next listener. `late`: it was silent for `silenceMs`. Never rejects.
 */
export function callListening(
  connection: AgentConnection,
  raw: Uint8Array,
  silenceMs: number,
  onMessage: (message: FromAgent, raw: Buffer) => void = () => {},
): Promise<AgentReply | 'late'> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, silenceMs, 'late' as const);
    connection.listen({
      onMessage: (message, line) => {
        timer.refresh();
        onMessage(message, line);
      },
      onExit: () => {},
    });
    connection.request(raw, (reply) => {
      clearTimeout(timer);
      connection.hold();
      resolve(reply);
    });
  });
}
