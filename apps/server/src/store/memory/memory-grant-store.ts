import type { Decided, DecisionFilter, Grant, GrantStore, ServerApproval } from '../../boundary/grant-store.ts';

/** Decisions are kept as JSON text, so that what callers do to theirs changes nothing here. `assertOpen` throws when the store is closed. */
export function createMemoryGrantStore(assertOpen: () => void): GrantStore {
  const grants = createTable<Grant>(({ server }) => server);
  const approvals = createTable<ServerApproval>(({ fingerprint }) => fingerprint);
  return {
    async putGrants(added) {
      assertOpen();
      for (const grant of added) grants.put(grant);
    },
    async grants(filter) {
      assertOpen();
      return grants.list(filter);
    },
    async removeGrants(ids) {
      assertOpen();
      return grants.remove(ids);
    },
    async putApproval(approval) {
      assertOpen();
      approvals.put(approval);
    },
    async approvals(filter) {
      assertOpen();
      return approvals.list(filter);
    },
    async removeApprovals(ids) {
      assertOpen();
      return approvals.remove(ids);
    },
    async removeSession(session) {
      assertOpen();
      for (const table of [grants, approvals]) table.remove(table.list({ session }).map(({ id }) => id));
    },
  };
}

function createTable<Row extends Decided>(fingerprintOf: (row: Row) => string) {
  const rows = new Map<string, string>();
  const matches = (row: Row, { fingerprint, scope, session }: DecisionFilter): boolean =>
    (fingerprint === undefined || fingerprintOf(row) === fingerprint) &&
    (scope === undefined || row.scope.kind === scope) &&
    (session === undefined || (row.scope.kind === 'session' && row.scope.session === session));
  return {
    put(row: Row): void {
      rows.set(row.id, JSON.stringify(row));
    },
    list: (filter: DecisionFilter): Row[] =>
      [...rows.values()].map((json) => JSON.parse(json) as Row).filter((row) => matches(row, filter)),
    remove: (ids: readonly string[]): number => ids.filter((id) => rows.delete(id)).length,
  };
}
