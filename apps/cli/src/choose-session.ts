import type { Reeve } from '@reeve/client';
import { CliError } from './exit-codes.ts';

const LIVE = new Set(['running', 'waiting', 'idle']);
const NEWEST = 100;

/**
 * The session that a command is about: the one that was named, else the only one that has a process, of this directory if there are
 * several. Throws a usage error that says how to name one.
 */
export async function chooseSession(reeve: Reeve, named: string | undefined, cwd = process.cwd()): Promise<string> {
  if (named !== undefined) return named;
  const { sessions } = await reeve.sessions.list({ limit: NEWEST });
  const live = sessions.filter(({ state }) => LIVE.has(state));
  const here = live.filter((session) => session.cwd === cwd);
  const [only, ...more] = here.length > 0 ? here : live;
  if (only && more.length === 0) return only.sessionId;
  const count = only ? `${more.length + 1} sessions have a process` : 'no session has a process';
  throw new CliError('usage', `which session? ${count}`, 'Name one with --session; "reeve sessions ls" lists them.');
}
