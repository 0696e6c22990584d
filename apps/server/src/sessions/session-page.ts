import { ReeveError } from '@reeve/protocol';
import type { SessionPage, SessionStore } from './session-store.ts';

const PAGE_SIZE = 100;

/** A page of all sessions as a client asks for it, newest first; throws `invalid_params` for what is no text and a cursor that is not ours. */
export async function readSessionPage(
  store: SessionStore,
  { cwd, cursor }: { readonly cwd?: unknown; readonly cursor?: unknown },
): Promise<SessionPage> {
  for (const [name, value] of Object.entries({ cwd, cursor })) {
    if (value !== undefined && value !== null && typeof value !== 'string') {
      throw new ReeveError('invalid_params', { message: `${name}: a string or nothing, was ${typeof value}` });
    }
  }
  const page = await store.list({
    limit: PAGE_SIZE,
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(typeof cursor === 'string' ? { cursor } : {}),
  });
  if (page) return page;
  throw new ReeveError('invalid_params', {
    message: 'cursor: not one of this server; start again without a cursor',
    data: { cursor },
  });
}
