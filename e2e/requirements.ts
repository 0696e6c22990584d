import { agentServices } from './requirements/agent-services.ts';
import { agents } from './requirements/agents.ts';
import { audit } from './requirements/audit.ts';
import { auditCauses } from './requirements/audit-causes.ts';
import { boundary } from './requirements/boundary.ts';
import { boundaryCases } from './requirements/boundary-cases.ts';
import { boundarySurface } from './requirements/boundary-surface.ts';
import { commandLine } from './requirements/command-line.ts';
import { conformance } from './requirements/conformance.ts';
import { webConsole } from './requirements/console.ts';
import { consoleReliance } from './requirements/console-reliance.ts';
import { consoleWords } from './requirements/console-words.ts';
import { demo } from './requirements/demo.ts';
import { doctor } from './requirements/doctor.ts';
import { escapes } from './requirements/escapes.ts';
import { fileRoots } from './requirements/file-roots.ts';
import { gateHolds } from './requirements/gate-holds.ts';
import { gatePaths } from './requirements/gate-paths.ts';
import { hostilePeers } from './requirements/hostile-peers.ts';
import { house } from './requirements/house.ts';
import { httpApi } from './requirements/http-api.ts';
import { lifecycle } from './requirements/lifecycle.ts';
import { limits } from './requirements/limits.ts';
import { log } from './requirements/log.ts';
import { mcp } from './requirements/mcp.ts';
import { mcpConformance } from './requirements/mcp-conformance.ts';
import { mcpSandbox } from './requirements/mcp-sandbox.ts';
import { network } from './requirements/network.ts';
import { policy } from './requirements/policy.ts';
import { requests } from './requirements/requests.ts';
import type { Requirement } from './requirements/requirement.ts';
import { reviewsSurface } from './requirements/reviews-surface.ts';
import { rootsQuestions } from './requirements/roots-questions.ts';
import { sandbox } from './requirements/sandbox.ts';
import { sandboxedAgents } from './requirements/sandboxed-agents.ts';
import { sdk } from './requirements/sdk.ts';
import { server } from './requirements/server.ts';
import { sessionBoundary } from './requirements/session-boundary.ts';
import { sessionChoices } from './requirements/session-choices.ts';
import { sessionSurface } from './requirements/session-surface.ts';
import { sessions } from './requirements/sessions.ts';
import { transports } from './requirements/transports.ts';
import { versions } from './requirements/versions.ts';

/** Every promise that Reeve makes, with the tests that keep it; one without a test fails. */
export const requirements: readonly Requirement[] = [
  ...house,
  ...server,
  ...transports,
  ...agents,
  ...agentServices,
  ...requests,
  ...sessions,
  ...sessionChoices,
  ...sessionSurface,
  ...sessionBoundary,
  ...boundary,
  ...boundaryCases,
  ...fileRoots,
  ...lifecycle,
  ...log,
  ...limits,
  ...commandLine,
  ...conformance,
  ...httpApi,
  ...rootsQuestions,
  ...sandbox,
  ...sandboxedAgents,
  ...network,
  ...escapes,
  ...doctor,
  ...audit,
  ...auditCauses,
  ...versions,
  ...policy,
  ...boundarySurface,
  ...reviewsSurface,
  ...mcp,
  ...demo,
  ...mcpConformance,
  ...sdk,
  ...gatePaths,
  ...gateHolds,
  ...mcpSandbox,
  ...hostilePeers,
  ...webConsole,
  ...consoleReliance,
  ...consoleWords,
];
