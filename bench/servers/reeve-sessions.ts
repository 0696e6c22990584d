import { startPlayer } from '../agents/start-player.ts';
import { PacedCheck } from '../clients/paced-check.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { openSessions, type PacedTarget } from '../paced-target.ts';
import { newSession, promptText, type ReeveOptions, spawnReeve } from './reeve.ts';

/** Reeve with this many sessions, each with a played agent and a WebSocket client of its own. */
export async function openReeveSessions(
  name: string,
  count: number,
  warm: number,
  store: NonNullable<ReeveOptions['store']>,
): Promise<PacedTarget> {
  const opened = new AsyncDisposableStack();
  const player = opened.use(await startPlayer());
  const limits = { maxSessionsLive: count + 10, maxConnections: count + 10 };
  const reeve = opened.use(await spawnReeve({ agent: player.command, store, limits }));
  const check = new PacedCheck(warm);
  const prompts = await openSessions(count, async () => {
    const client = opened.use(await WebSocketClient.open({ ...reeve, onMessage: check.session() }));
    const sessionId = await newSession(client);
    return (text: string) => client.request('session/prompt', promptText(sessionId, text));
  });
  return { name, serverPid: reeve.pid, player, check, prompts, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
