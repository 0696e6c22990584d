import { startPlayer } from '../agents/start-player.ts';
import { PacedCheck } from '../clients/paced-check.ts';
import { StdioClient } from '../clients/stdio-client.ts';
import { openSessions, type PacedTarget } from '../paced-target.ts';
import { promptText } from './reeve.ts';

/** The floor: played agents whose stdout the client reads itself. */
export async function openBareAgents(name: string, count: number, warm: number): Promise<PacedTarget> {
  const opened = new AsyncDisposableStack();
  const player = opened.use(await startPlayer());
  const check = new PacedCheck(warm);
  const prompts = await openSessions(count, async () => {
    const client = opened.use(await StdioClient.open({ command: player.command, onMessage: check.session() }));
    const { sessionId } = await client.request<{ sessionId: string }>('session/new', { cwd: '/', mcpServers: [] });
    return (text: string) => client.request('session/prompt', promptText(sessionId, text));
  });
  return { name, player, check, prompts, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
