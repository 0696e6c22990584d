import type { Decided, DecisionFilter, Grant, GrantStore, ServerApproval } from '../../boundary/grant-store.ts';
import type { DecisionRow } from './operation.ts';
import type { OperationQueue } from './operation-queue.ts';

export function createSqliteGrantStore(queue: OperationQueue): GrantStore {
  const list = (
    about: 'root' | 'server',
    { fingerprint, session, scope }: DecisionFilter,
  ): Promise<readonly string[]> =>
    queue.read({
      kind: 'listDecisions',
      about,
      fingerprint: fingerprint ?? null,
      session: session ?? null,
      scope: scope ?? null,
    });
  return {
    putGrants: (grants) =>
      queue.write({
        kind: 'putDecisions',
        about: 'root',
        decisions: grants.map((grant) => rowOf(grant, grant.server)),
      }),
    grants: async (filter) => (await list('root', filter)).map((record) => JSON.parse(record) as Grant),
    removeGrants: (ids) => queue.write({ kind: 'removeDecisions', about: 'root', ids }),
    putApproval: (approval) =>
      queue.write({ kind: 'putDecisions', about: 'server', decisions: [rowOf(approval, approval.fingerprint)] }),
    approvals: async (filter) => (await list('server', filter)).map((record) => JSON.parse(record) as ServerApproval),
    removeApprovals: (ids) => queue.write({ kind: 'removeDecisions', about: 'server', ids }),
    removeSession: (session) => queue.write({ kind: 'removeDecisionsOf', session }),
  };
}

function rowOf(decided: Decided, fingerprint: string): DecisionRow {
  const { id, scope } = decided;
  const session = scope.kind === 'session' ? scope.session : null;
  return { id, fingerprint, scope: scope.kind, session, record: JSON.stringify(decided) };
}
