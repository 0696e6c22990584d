import type { AuditKeyFiles } from './audit-keys.ts';
import type { AuditRecord } from './audit-record.ts';
import type { AuditStore } from './audit-store.ts';
import type { PolicyVerdict } from './governance-fact.ts';
import { openPath, unwrapDataKey } from './path-seal.ts';

export type RevealResult =
  | { readonly kind: 'revealed'; readonly paths: readonly { readonly label: string; readonly path: string }[] }
  | { readonly kind: 'unknown' }
  | Extract<RevealVerdict, { kind: 'refused' }>
  /** The record is about no path. */
  | { readonly kind: 'no-paths' }
  /** The key that they were encrypted under is gone. */
  | { readonly kind: 'destroyed' };

/** What policies say to somebody who wants to see the paths of a session. `next`: what can be done about a refusal. */
export type RevealVerdict =
  | (PolicyVerdict & { readonly kind: 'permitted' })
  | (PolicyVerdict & { readonly kind: 'refused'; readonly reason: string; readonly next: string });

interface Wanted {
  readonly store: AuditStore;
  readonly keys: AuditKeyFiles;
  readonly seq: number;
  /** @param session of the record, if it is of one */
  permit(session: string | undefined): Promise<RevealVerdict>;
}

/** The paths of a record. `record` is called, and waited for, before any is given: with their number, or with 0 and a refusal. */
export async function revealPaths(
  { store, keys, seq, permit }: Wanted,
  record: (verdict: RevealVerdict, paths: number) => Promise<void>,
): Promise<RevealResult> {
  const { records } = await store.read({ order: 'oldest', from: seq, limit: 1 });
  const [found] = records;
  if (found?.seq !== seq) return { kind: 'unknown' };
  const { places = [], session } = JSON.parse(found.body) as AuditRecord;
  if (places.length === 0) return { kind: 'no-paths' };
  const verdict = await permit(session);
  if (verdict.kind === 'refused') {
    await record(verdict, 0);
    return verdict;
  }
  const pathKey = await keys.pathKey(false);
  const paths = [];
  for (const { label, sealed } of pathKey ? places : []) {
    const wrapped = sealed && (await store.kept(`data-key:${sealed.key}`));
    const dataKey = wrapped && unwrapDataKey(sealed.key, wrapped, pathKey as Buffer);
    const path = dataKey && openPath(sealed, dataKey);
    if (path) paths.push({ label, path });
  }
  if (paths.length === 0) return { kind: 'destroyed' };
  await record(verdict, paths.length);
  return { kind: 'revealed', paths };
}
