import type { AuditFact, ToolFact } from './audit-fact.ts';
import type { NewRecord } from './audit-record.ts';
import { boundedHosts, MAX_LOCATIONS, more, plainText, shownEnforcement } from './bounded-facts.ts';
import type { FactPlace } from './fact-parts.ts';
import { factsOfGovernance, governedPlaces, shownVerdict } from './facts-of-governance.ts';
import type { PlaceLabel } from './path-labels.ts';
import type { TraceId } from './trace-id.ts';

/** Of a session's id; ACP sets no bound, Reeve takes 512 characters. */
const MAX_SESSION = 512;
const TOOL_KINDS: ReadonlySet<string> = new Set(
  'read edit delete move search execute think fetch switch_mode other'.split(' '),
);
/** What a tool is called, and never what it is called with: no white space, no slash. */
const TOOL_NAME = /^[\w.:@-]{1,128}$/;

export interface RecordContext {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly trace: TraceId;
  readonly places: readonly PlaceLabel[];
}

/** The record of a fact; everything in it that came from outside is bounded here. `places`: those of `placesOf`, labelled. */
export function recordOfFact(fact: AuditFact, { at, trace, places }: RecordContext): NewRecord {
  const { kind } = fact;
  return {
    v: 1,
    at,
    kind,
    ...('session' in fact && fact.session !== undefined ? { session: plainText(fact.session, MAX_SESSION) } : {}),
    ...('by' in fact ? { by: plainText(fact.by) } : {}),
    ...('decision' in fact ? { decision: plainText(fact.decision) } : {}),
    ...('request' in fact ? { cause: plainText(fact.request) } : {}),
    ...(kind === 'audit.path_revealed' || kind === 'audit.reveal_refused' ? { cause: String(fact.record) } : {}),
    trace,
    ...('answerTrace' in fact && fact.answerTrace !== trace ? { answerTrace: fact.answerTrace } : {}),
    ...(places.length > 0 ? { places } : {}),
    facts: factsOf(fact),
  };
}

/** The paths that a fact is about. */
export function placesOf(fact: AuditFact): readonly FactPlace[] {
  switch (fact.kind) {
    case 'boundary.set':
    case 'agent.started':
    case 'agent.refused':
      return fact.roots;
    case 'fs.refused':
    case 'terminal.refused':
      return [fact.place];
    case 'boundary.refused':
      return fact.places.slice(0, MAX_LOCATIONS);
    case 'request.asked':
    case 'request.answered':
      return fact.locations.slice(0, MAX_LOCATIONS);
    default:
      return governedPlaces(fact);
  }
}

function factsOf(fact: AuditFact): NewRecord['facts'] {
  switch (fact.kind) {
    case 'server.started':
      return { version: plainText(fact.version) };
    case 'server.stopped':
      return {};
    case 'boundary.set':
      return { revision: fact.revision, network: boundedHosts(fact.network) };
    case 'session.created': {
      const { agent, protocolVersion, agentVersion } = fact;
      return { agent: plainText(agent), protocolVersion, ...texts({ agentVersion }) };
    }
    case 'session.forked':
      return { parent: plainText(fact.parent, MAX_SESSION), how: fact.how };
    case 'session.ended':
      return { reason: fact.reason, ...exitOf(fact) };
    case 'agent.started': {
      const { epoch, revision, enforcement } = fact;
      return { agent: plainText(fact.agent), epoch, revision, enforcement: shownEnforcement(enforcement) };
    }
    case 'agent.refused':
      return { agent: plainText(fact.agent), reason: plainText(fact.reason), revision: fact.revision };
    case 'agent.exited':
      return { epoch: fact.epoch, ...exitOf(fact) };
    case 'request.asked':
      return {
        asked: fact.asked,
        ...shownTool(fact.tool),
        offered: fact.offered.slice(0, 20).map(optionKind),
        ...more(fact.locations),
      };
    case 'request.answered':
    case 'request.timed_out': {
      const option = fact.option === undefined ? undefined : optionKind(fact.option);
      return { asked: fact.asked, ...shownTool(fact.tool), ...texts({ option }) };
    }
    case 'request.ended':
      return { asked: fact.asked, ...shownTool(fact.tool), reason: plainText(fact.reason) };
    case 'fs.refused':
      return { method: fact.method, reason: fact.reason, count: fact.count };
    case 'terminal.refused':
      return { reason: fact.reason, count: fact.count };
    case 'boundary.refused':
      return { reasons: [...new Set(fact.reasons)].sort(), ...more(fact.places) };
    case 'egress.denied':
      return { host: plainText(fact.host, 253), port: fact.port, reason: fact.reason };
    case 'audit.path_revealed':
      return { paths: fact.paths, ...shownVerdict(fact) };
    case 'audit.reveal_refused':
      return { ...shownVerdict(fact) };
    case 'audit.key_rotated':
      return { before: fact.before, after: fact.after };
    case 'audit.key_replaced':
      return { after: fact.after };
    default:
      return factsOfGovernance(fact);
  }
}

function texts(values: { readonly [name: string]: string | undefined }): { readonly [name: string]: string } {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, plainText(value)]));
}

function exitOf({ exitCode, signal }: { exitCode?: number | null; signal?: string | null }): NewRecord['facts'] {
  return { ...(exitCode == null ? {} : { exitCode }), ...(signal == null ? {} : { signal: plainText(signal) }) };
}

function shownTool(tool: ToolFact | undefined): { readonly tool?: ToolFact } {
  const name = tool?.name !== undefined && TOOL_NAME.test(tool.name) ? { name: tool.name } : {};
  const kind = tool?.kind !== undefined && TOOL_KINDS.has(tool.kind) ? { kind: tool.kind } : {};
  const shown = { ...name, ...kind };
  return Object.keys(shown).length === 0 ? {} : { tool: shown };
}

const OPTION_KINDS: ReadonlySet<string> = new Set(['allow_once', 'allow_always', 'reject_once', 'reject_always']);

/** An agent may write anything as the kind of an option. */
function optionKind(kind: string): string {
  return OPTION_KINDS.has(kind) ? kind : 'other';
}
