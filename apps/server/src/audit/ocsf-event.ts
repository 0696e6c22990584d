import type { AuditRecord, StoredRecord } from './audit-record.ts';

/** What an event of OCSF says of its kind: class and activity, by the numbers of the schema (1.9). */
interface Mapping {
  readonly category: number;
  readonly class: number;
  readonly activity: number;
  readonly name: string;
}

const lifecycle = (activity: number, name: string): Mapping => ({ category: 6, class: 6002, activity, name });
const api = (activity: number, name: string): Mapping => ({ category: 6, class: 6003, activity, name });
const entity = (activity: number, name: string): Mapping => ({ category: 3, class: 3004, activity, name });
const process = (activity: number, name: string): Mapping => ({ category: 1, class: 1007, activity, name });

/** Application Lifecycle, API Activity, Entity Management, Process Activity and Network Activity; what is new here is a base event. */
const MAPPINGS: Readonly<Record<string, Mapping>> = {
  'server.started': lifecycle(3, 'Start'),
  'server.stopped': lifecycle(4, 'Stop'),
  'session.created': api(1, 'Create'),
  'session.forked': api(1, 'Create'),
  'session.ended': api(4, 'Delete'),
  'boundary.set': entity(3, 'Update'),
  'agent.started': process(1, 'Launch'),
  'agent.refused': process(1, 'Launch'),
  'agent.exited': process(2, 'Terminate'),
  'request.asked': api(99, 'Ask'),
  'request.answered': api(99, 'Answer'),
  'request.timed_out': api(99, 'Time out'),
  'request.ended': api(99, 'End'),
  'fs.refused': api(99, 'Refuse'),
  'terminal.refused': api(99, 'Refuse'),
  'boundary.refused': api(99, 'Refuse'),
  'egress.denied': { category: 4, class: 4001, activity: 5, name: 'Refuse' },
  'mcp.admitted': api(99, 'Admit'),
  'mcp.refused': api(99, 'Refuse'),
  'mcp.confined': api(99, 'Confine'),
  'mcp.approved': entity(1, 'Create'),
  'mcp.denied': entity(1, 'Create'),
  'mcp.forgotten': entity(4, 'Delete'),
  'mcp.expired': entity(4, 'Delete'),
  'mcp.withdrawn': api(99, 'Withdraw'),
  'mcp.called': api(99, 'Call'),
  'grant.given': entity(1, 'Create'),
  'grant.denied': entity(1, 'Create'),
  'grant.revoked': entity(4, 'Delete'),
  'grant.expired': entity(4, 'Delete'),
  'roots.exposed': entity(2, 'Read'),
  'root.lost': entity(3, 'Update'),
  'root.back': entity(3, 'Update'),
  'boundary.changed': entity(3, 'Update'),
  'boundary.revised': entity(3, 'Update'),
  'boundary.verified': entity(2, 'Read'),
  'boundary.alarm': api(99, 'Alarm'),
  'policy.decided': api(99, 'Decide'),
  'policy.loaded': entity(3, 'Update'),
  'audit.path_revealed': entity(2, 'Read'),
  'audit.reveal_refused': api(99, 'Refuse'),
  'audit.key_rotated': entity(3, 'Update'),
  'audit.key_replaced': entity(3, 'Update'),
};
const BASE: Mapping = { category: 0, class: 0, activity: 99, name: 'Other' };

const ACTIONS: Readonly<Record<string, { readonly action_id: number; readonly action: string }>> = {
  allow: { action_id: 1, action: 'Allowed' },
  answered: { action_id: 1, action: 'Allowed' },
  deny: { action_id: 2, action: 'Denied' },
  rejected: { action_id: 2, action: 'Denied' },
};
const DENIED: ReadonlySet<string> = new Set(['egress.denied', 'boundary.alarm']);
const INFORMATIONAL = 1;
const LOW = 2;

/**
 * A record as an event of OCSF 1.9 with the profiles `security_control`, `record_integrity` and, where it has a trace, `trace`: `raw_data` is the canonical
 * JSON, `attestation_list` has its hash as a leaf of the log (SHA-256 of a zero byte and `raw_data`) and names log and key.
 */
export function ocsfEvent({ body, leaf }: StoredRecord, log: { readonly origin: string; readonly key: string }) {
  const record = JSON.parse(body) as AuditRecord;
  const { seq, at, kind, session, by, decision, cause, trace } = record;
  const is = MAPPINGS[kind] ?? BASE;
  const action = DENIED.has(kind) ? ACTIONS.deny : ACTIONS[decision ?? ''];
  return {
    category_uid: is.category,
    class_uid: is.class,
    activity_id: is.activity,
    activity_name: is.name,
    type_uid: is.class * 100 + is.activity,
    time: at,
    severity_id: action?.action_id === 2 ? LOW : INFORMATIONAL,
    status_id: 1,
    ...action,
    metadata: {
      version: '1.9.0',
      product: { name: 'Reeve', vendor_name: 'Reeve' },
      profiles: ['security_control', 'record_integrity', ...(trace === undefined ? [] : ['trace'])],
      uid: `${log.origin}/${seq}`,
      sequence: seq,
      log_name: log.origin,
      event_code: kind,
      ...(cause === undefined ? {} : { correlation_uid: cause }),
    },
    actor: {
      app_name: by ?? 'reeve',
      ...(session === undefined ? {} : { session: { uid: session } }),
    },
    ...(trace === undefined ? {} : { trace: { uid: trace } }),
    ...objectsOf(record, is),
    attestation_list: [
      {
        fingerprint: {
          algorithm_id: 3,
          algorithm: 'SHA-256',
          value: Buffer.from(leaf.buffer, leaf.byteOffset, leaf.byteLength).toString('hex'),
        },
        chain_uid: log.origin,
        authority_uid: log.key,
      },
    ],
    raw_data: body,
  };
}

/** What the class asks for. No path: where OCSF has one, the label stands. */
function objectsOf({ kind, session, cause, facts, places = [] }: AuditRecord, is: Mapping): object {
  switch (is.class) {
    case 6002:
      return { application: { name: 'Reeve' }, app: { name: 'Reeve', vendor_name: 'Reeve' } };
    case 6003:
      return {
        api: { operation: kind, ...(cause === undefined ? {} : { request: { uid: cause } }) },
        resources: places.map(({ label }) => ({ type: 'path-label', uid: label })),
        src_endpoint: { name: 'reeve' },
      };
    case 3004:
      return { entity: { type: kind.split('.')[0], uid: session ?? cause ?? 'audit-log' } };
    case 1007:
      return {
        device: { type_id: 0, hostname: 'reeve' },
        process: { name: typeof facts.agent === 'string' ? facts.agent : 'agent', uid: `${session}/${facts.epoch}` },
        ...(typeof facts.exitCode === 'number' ? { exit_code: facts.exitCode } : {}),
      };
    case 4001:
      return { dst_endpoint: { hostname: facts.host, port: facts.port } };
    default:
      return {};
  }
}
