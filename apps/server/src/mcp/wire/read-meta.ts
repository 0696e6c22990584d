import { isObject, type JsonObject } from '@reeve/protocol';
import { META } from './mcp-keys.ts';

const NOTHING: JsonObject = {};

/** `params._meta` of a request or notification; empty where there is none. */
export function metaOf(params: unknown): JsonObject {
  return isObject(params) && isObject(params._meta) ? params._meta : NOTHING;
}

/** The progress token as JSON text; undefined where the sender wants no progress. */
export function progressTokenOf(params: unknown): string | undefined {
  const { progressToken } = metaOf(params);
  return typeof progressToken === 'string' || typeof progressToken === 'number'
    ? JSON.stringify(progressToken)
    : undefined;
}

/** The version that a request claims for itself (MCP 2026-07-28); requests of older versions claim none. */
export function claimedVersion(params: unknown): string | undefined {
  const version = metaOf(params)[META.version];
  return typeof version === 'string' ? version : undefined;
}

/** Name and version as a peer gives them, cut to what a person can read. */
export function implementationOf(value: unknown): { readonly name: string; readonly version: string } | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  const version = typeof value.version === 'string' ? value.version : '';
  return { name: value.name.slice(0, 200), version: version.slice(0, 100) };
}
