import { createHash } from 'node:crypto';
import { isObject } from '@reeve/protocol';
import { canonicalJson } from '../../audit/canonical-json.ts';
import type { ServerGuard } from '../../boundary/server-guard.ts';
import type { GatedCall } from '../call-gate.ts';

/**
 * Names one call by session, server, tool and arguments, so that the same call sent again finds its approval: a SHA-256, which tells
 * nothing of them. Undefined for arguments that have no canonical JSON (RFC 8785), such as text with half of a surrogate pair.
 */
export function approvalKey(
  { session, server, fingerprint }: Pick<ServerGuard, 'session' | 'server' | 'fingerprint'>,
  { method, params }: Pick<GatedCall, 'method' | 'params'>,
): string | undefined {
  const { name, uri, arguments: given, ref, argument, context } = isObject(params) ? params : {};
  const call = {
    session,
    server: server.name,
    fingerprint,
    method,
    name,
    uri,
    arguments: given,
    ref,
    argument,
    context,
  };
  try {
    return createHash('sha256').update(canonicalJson(call)).digest('base64url');
  } catch {
    return undefined;
  }
}
