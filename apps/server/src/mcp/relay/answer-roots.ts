import { mcpRootList } from '@reeve/policy';
import type { JsonObject } from '@reeve/protocol';
import type { RelayParts } from './relay-parts.ts';

export interface RootsAnswer {
  readonly result: JsonObject;
  /** To be called once it is on its way to the server. */
  sent(): void;
}

/**
 * The answer to the server's ask for roots, in either era: what is approved, after waiting for people as long as the server may be
 * expected to wait. The agent is never asked.
 */
export async function answerRoots({ guard, gate, limits }: RelayParts): Promise<RootsAnswer> {
  const { roots, revision } = await guard.expose('server', AbortSignal.timeout(limits.mcpRootsMs));
  return { result: { roots: mcpRootList(roots).roots }, sent: () => gate.rootsAnswered(revision) };
}
