import type { ServerGuard } from '../../boundary/server-guard.ts';
import type { CallGate } from '../call-gate.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import type { UpstreamServer } from '../upstream/upstream-server.ts';
import type { AgentPeer } from './agent-peer.ts';
import type { ListedNames } from './listed-names.ts';
import type { PendingRequests } from './pending-requests.ts';
import type { RootsAnswers } from './roots-answers.ts';
import type { StandingWishes } from './standing-wishes.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** What the two directions between the agents and one server share. */
export interface RelayParts {
  readonly guard: ServerGuard;
  readonly gate: CallGate;
  readonly upstream: UpstreamServer;
  readonly limits: GatewayLimits;
  readonly pending: PendingRequests;
  readonly roots: RootsAnswers;
  readonly catalog: ToolCatalog;
  readonly names: ListedNames;
  readonly standing: StandingWishes;
  /** Connections of agents to the endpoint of this server. */
  readonly peers: ReadonlySet<AgentPeer>;
}
