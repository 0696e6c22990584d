import { createHash } from 'node:crypto';
import { isObject } from '@reeve/protocol';
import { canonicalJson } from '../../audit/canonical-json.ts';
import type { ServerGuard } from '../../boundary/server-guard.ts';
import type { GatedCall } from '../call-gate.ts';

/** Requests that a server may answer by asking for something first (MCP 2026-07-28). */
const WITH_STATE: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * Names one call by session, server, method and everything in its parameters but what is of each try: `_meta` (see AskedMeta) and the
 * state that a server wants to hear again. So the same call sent again finds its approval. A SHA-256, which tells nothing of them.
 * Undefined for parameters that have no canonical JSON (RFC 8785), such as text with half of a surrogate pair.
 */
export function approvalKey(
  { session, server, fingerprint }: Pick<ServerGuard, 'session' | 'server' | 'fingerprint'>,
  { method, params }: Pick<GatedCall, 'method' | 'params'>,
): string | undefined {
  const call = { session, server: server.name, fingerprint, method, params: ofEveryTry(method, params) };
  try {
    return createHash('sha256').update(canonicalJson(call)).digest('base64url');
  } catch {
    return undefined;
  }
}

function ofEveryTry(method: string, params: unknown): unknown {
  if (!isObject(params)) return params ?? null;
  const { _meta, requestState, ...rest } = params;
  return {
    ...rest,
    ...(requestState === undefined || WITH_STATE.has(method) ? {} : { requestState }),
    // What is no object has no members that could be left out.
    ...(_meta === undefined || isObject(_meta) ? {} : { _meta }),
  };
}
