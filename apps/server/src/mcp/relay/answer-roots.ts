import { mcpRootList } from '@reeve/policy';
import type { JsonObject } from '@reeve/protocol';
import type { RelayParts } from './relay-parts.ts';

/**
 * The answer to the server's ask for roots, in either era: what is approved, after waiting for people as long as the server may be
 * expected to wait. The agent is never asked.
 */
export async function answerRoots({ guard, gate, limits }: RelayParts): Promise<JsonObject> {
  const scope = await guard.expose('server', AbortSignal.timeout(limits.mcpRootsMs));
  gate.rootsAnswered(scope.revision);
  return { roots: mcpRootList(scope.roots).roots };
}
