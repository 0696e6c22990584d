import type { CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { PolicyFacts, RootFacts, ServerFacts } from './policy-facts.ts';

/** Who said yes so far. */
export type Approval = 'none' | 'user' | 'administrator';

type Attributes = Record<string, CedarValueJson>;

/** One question to Cedar, but for the approval that stands in its context. */
export interface CedarRequest {
  readonly principal: TypeAndId;
  readonly action: TypeAndId;
  readonly resource: TypeAndId;
  readonly entities: EntityJson[];
  context(approval: Approval): Attributes;
}

/** Puts facts into the words of the schema. */
export function cedarRequest(facts: PolicyFacts): CedarRequest {
  const { user, agent, session } = facts;
  const asked = (principal: EntityJson, resource: EntityJson, own: Attributes = {}): CedarRequest => ({
    principal: principal.uid as TypeAndId,
    action: { type: 'Action', id: facts.kind },
    resource: resource.uid as TypeAndId,
    entities: [principal, resource],
    context: (approval) => ({
      ...own,
      approved: approval !== 'none',
      approvedByAdministrator: approval === 'administrator',
      user: { id: user.id, administrator: user.administrator },
      agent,
      session: { id: session.id, enforced: session.enforced },
    }),
  });
  const userEntity = (): EntityJson => entity('User', user.id, { administrator: user.administrator });
  const sessionEntity = (): EntityJson => entity('Session', session.id, { enforced: session.enforced });
  switch (facts.kind) {
    case 'expose_root': {
      const { access, initiator } = facts;
      return asked(serverEntity(facts.server), rootEntity(facts.root), { access, initiator });
    }
    case 'start_server':
      return asked(sessionEntity(), serverEntity(facts.server));
    case 'call_tool': {
      const { name, readOnly, destructive, openWorld } = facts.tool;
      const tool = { name, readOnly, destructive, openWorld };
      return asked(entity('Agent', agent, {}), serverEntity(facts.server), { tool, staleRoots: facts.staleRoots });
    }
    case 'grant': {
      const server = { ...serverAttributes(facts.server), fingerprint: facts.server.fingerprint };
      return asked(userEntity(), rootEntity(facts.root), { access: facts.access, server });
    }
    case 'reveal_path':
      return asked(userEntity(), sessionEntity());
  }
}

function serverEntity(facts: ServerFacts): EntityJson {
  return entity('Server', facts.fingerprint, serverAttributes(facts));
}

/** Named one by one, so that what a host has besides never reaches a policy. */
function serverAttributes({ name, transport, origin, local, sandboxed, known, trusted }: ServerFacts): Attributes {
  return { name, transport, origin, local, sandboxed, known, trusted };
}

function rootEntity({ label, kind, depth, inProject, highRisk, risks, repository }: RootFacts): EntityJson {
  const attributes = { file: kind === 'file', depth, inProject, highRisk, risks: [...risks] };
  return entity('Root', label, repository === undefined ? attributes : { ...attributes, repository });
}

function entity(type: string, id: string, attrs: Attributes): EntityJson {
  return { uid: { type, id }, attrs, parents: [] };
}
