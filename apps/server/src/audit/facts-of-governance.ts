import type { AuditFact } from './audit-fact.ts';
import { boundedHosts, MAX_LOCATIONS, more, plainText, shownEnforcement, toolName } from './bounded-facts.ts';
import type { FactPlace } from './fact-parts.ts';
import type { GivenFact, GovernanceFact, PolicyVerdict, ServerFact } from './governance-fact.ts';

/** Policies that one record names; a set has hardly more. */
const MAX_POLICIES = 200;

/** The paths that a fact of governance is about; none for another fact. */
export function governedPlaces(fact: AuditFact): readonly FactPlace[] {
  switch (fact.kind) {
    case 'grant.given':
    case 'grant.denied':
    case 'grant.revoked':
    case 'grant.expired':
    case 'roots.exposed':
    case 'boundary.changed':
      return fact.roots;
    case 'mcp.called':
      return fact.paths.slice(0, MAX_LOCATIONS);
    case 'root.lost':
    case 'root.back':
      return [fact.root];
    case 'boundary.alarm':
      return [fact.place];
    default:
      return [];
  }
}

/** What a record holds of a fact of governance: no path, no argument, no command. */
export function factsOfGovernance(fact: GovernanceFact): { readonly [name: string]: unknown } {
  switch (fact.kind) {
    case 'mcp.admitted':
    case 'mcp.refused':
      return { server: shownServer(fact.server), approval: fact.approval, ...shownVerdict(fact) };
    case 'mcp.confined': {
      const { enforcement } = fact;
      return { server: shownServer(fact.server), ...(enforcement && { enforcement: shownEnforcement(enforcement) }) };
    }
    case 'mcp.approved':
    case 'mcp.denied': {
      const { server, trusted, network } = fact;
      return { server: shownServer(server), trusted, network: boundedHosts(network), ...reach(fact) };
    }
    case 'mcp.expired':
      return { server: shownServer(fact.server), expired: fact.expired, ...reach(fact) };
    case 'mcp.withdrawn': {
      const { server, revision, cause, policies, policyHash } = fact;
      const by = policies && policyHash ? shownVerdict({ policies, policyHash }) : {};
      return { server: shownServer(server), revision, cause, ...by };
    }
    case 'boundary.revised':
      return { server: shownServer(fact.server), revision: fact.revision, direction: fact.direction };
    case 'mcp.forgotten':
      return { fingerprint: plainText(fact.fingerprint), decisions: fact.decisions };
    case 'grant.given':
    case 'grant.denied':
    case 'grant.revoked':
    case 'grant.expired':
      return { server: shownServer(fact.server), ...reach(fact) };
    case 'roots.exposed': {
      const { server, revision, initiator, again, undecided, policyHash, given } = fact;
      const told = { revision, initiator, again, undecided, policyHash };
      return { server: shownServer(server), ...told, ...(again ? {} : { given: given.map(shownGiven) }) };
    }
    case 'mcp.called': {
      const { server, agent, method, tool, outcome, refusedBy, startRevision, endRevision, paths } = fact;
      return {
        server: shownServer(server),
        agent: plainText(agent),
        method: toolName(method) ?? 'other',
        ...(tool === undefined ? {} : { tool: toolName(tool) ?? 'other' }),
        outcome,
        ...(refusedBy === undefined ? {} : { refusedBy }),
        startRevision,
        endRevision,
        ...more(paths),
        ...shownVerdict(fact),
      };
    }
    case 'boundary.changed':
      return { revision: fact.revision, direction: fact.direction, network: boundedHosts(fact.network) };
    case 'boundary.verified':
      return { server: shownServer(fact.server), revision: fact.revision, result: fact.result };
    case 'root.lost':
    case 'root.back':
      return { revision: fact.revision, ...(fact.how === undefined ? {} : { how: fact.how }) };
    case 'boundary.alarm': {
      const { server, from, tool, revision, count = 1 } = fact;
      const name = tool === undefined ? {} : { tool: toolName(tool) ?? 'other' };
      return { server: shownServer(server), from, revision, count, ...name };
    }
    case 'policy.decided':
      return { case: plainTexts(fact.case), ...shownVerdict(fact) };
    case 'policy.loaded':
      return { ...shownVerdict(fact) };
  }
}

/** Ids of policies as they are recorded. */
export function shownVerdict({ policies, policyHash }: PolicyVerdict): PolicyVerdict {
  return { policies: policies.slice(0, MAX_POLICIES).map((id) => plainText(id)), policyHash };
}

function shownGiven({ policies, grant, roots }: GivenFact): GivenFact {
  return {
    policies: policies.slice(0, MAX_POLICIES).map((id) => plainText(id)),
    ...(grant === undefined ? {} : { grant: { ...grant, by: plainText(grant.by) } }),
    ...(roots === undefined ? {} : { roots }),
  };
}

/** The same with every text bounded: names of servers, tools and agents come from outside. */
function plainTexts(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(plainTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainTexts(inner)]));
}

function reach({ scope, expiresAt }: { readonly scope: string; readonly expiresAt?: number }): object {
  return { scope, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function shownServer({ name, fingerprint, transport, origin }: ServerFact): ServerFact {
  return {
    name: plainText(name),
    fingerprint: plainText(fingerprint),
    ...(transport === undefined ? {} : { transport }),
    ...(origin === undefined ? {} : { origin: plainText(origin) }),
  };
}
