import type { Reeve } from '@reeve/client';
import { CliError } from './exit-codes.ts';

const LIVE = new Set(['running', 'waiting', 'idle']);
/** A change of its boundary ends the process of a session, which goes on with the next prompt. */
const OPEN = new Set([...LIVE, 'dormant', 'failed']);
const NEWEST = 100;

/**
 * The session that a command is about: the one that was named, else the only one that has a process, or else the only one that is open; of
 * this directory if there are several. Throws a usage error that says how to name one.
 */
export async function chooseSession(reeve: Reeve, named: string | undefined, cwd = process.cwd()): Promise<string> {
  if (named !== undefined) return named;
  const { sessions } = await reeve.sessions.list({ limit: NEWEST });
  const live = sessions.filter(({ state }) => LIVE.has(state));
  const open = live.length > 0 ? live : sessions.filter(({ state }) => OPEN.has(state));
  const here = open.filter((session) => session.cwd === cwd);
  const [only, ...more] = here.length > 0 ? here : open;
  if (only && more.length === 0) return only.sessionId;
  const are = live.length > 0 ? 'have a process' : 'are open, and none has a process';
  const count = only ? `${more.length + 1} sessions ${are}` : 'no session is open';
  throw new CliError('usage', `which session? ${count}`, 'Name one with --session; "reeve sessions ls" lists them.');
}
