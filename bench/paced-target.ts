import type { Player } from './agents/start-player.ts';
import type { PacedCheck } from './clients/paced-check.ts';

/** Many sessions with played agents, and whoever stands between them and their clients. */
export interface PacedTarget extends AsyncDisposable {
  readonly name: string;
  /** Undefined: nobody stands between. */
  readonly serverPid?: number;
  readonly player: Player;
  readonly check: PacedCheck;
  /** One for each session: sends a prompt of this text, resolves at the turn's end. */
  readonly prompts: readonly ((text: string) => Promise<unknown>)[];
}

/** Opens `count`, a few at a time. */
export async function openSessions<Session>(count: number, open: () => Promise<Session>): Promise<Session[]> {
  const all: Session[] = [];
  while (all.length < count) {
    all.push(...(await Promise.all(Array.from({ length: Math.min(8, count - all.length) }, open))));
  }
  return all;
}
