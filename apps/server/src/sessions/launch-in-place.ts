import type { SessionId } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import { type LaunchedAgent, refusalReason } from '../agents/agent-launch.ts';
import type { AgentEntry } from '../agents/agent-registry.ts';
import type { AgentPlace } from '../agents/agent-sandbox.ts';
import type { Governance } from './session-governance.ts';
import type { SessionPlace } from './session-place.ts';
import type { SessionServices } from './session-services.ts';

/** What a process of the session is started with. */
export function agentPlace(
  { boundary, cwd }: SessionPlace,
  { guard, endpoints, masked, mayDeclare }: Governance,
): AgentPlace {
  return { boundary, cwd, approved: guard.approved(), endpoints, masked, mayDeclare };
}

export interface LaunchInPlace {
  readonly entry: AgentEntry;
  readonly profile: ClientProfile;
  readonly place: SessionPlace;
  readonly governance: Governance;
  /** Undefined for a session that has no id yet. */
  readonly session?: SessionId;
}

/** Starts an agent where its session works. That it was refused is recorded, with the reason and the directories, before this rejects. */
export async function launchInPlace(services: SessionServices, request: LaunchInPlace): Promise<LaunchedAgent> {
  const { entry, profile, place, governance, session } = request;
  try {
    return await services.agents.launch(entry, profile, agentPlace(place, governance));
  } catch (error) {
    // A root that was replaced before anybody looked is known to be lost then, and approved by naming it again.
    if (refusalReason(error) === 'bad-root') await governance.guard.checkRoots();
    const { roots, revision } = place.boundary;
    await services.audit.record({
      kind: 'agent.refused',
      ...(session === undefined ? {} : { session }),
      decision: 'deny',
      agent: entry.name,
      reason: refusalReason(error),
      revision,
      roots: roots.map(({ path, access }) => ({ path, access })),
    });
    throw error;
  }
}
