import type { JsonObject } from '@reeve/protocol';
import type { McpEra } from '../server-status.ts';

const LISTS: Readonly<Record<string, { readonly capability: string; readonly member: string }>> = {
  'tools/list': { capability: 'tools', member: 'tools' },
  'resources/list': { capability: 'resources', member: 'resources' },
  'resources/templates/list': { capability: 'resources', member: 'resourceTemplates' },
  'prompts/list': { capability: 'prompts', member: 'prompts' },
};

/** The server capability that a list needs; undefined for other methods. */
export function listCapability(method: string): string | undefined {
  return Object.hasOwn(LISTS, method) ? LISTS[method]?.capability : undefined;
}

/** The answer to a list of what the server does not have, or not yet. */
export function emptyList(method: string, era: McpEra): JsonObject {
  const own = era === 'stateless' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  return { [LISTS[method]?.member ?? 'items']: [], ...own };
}
