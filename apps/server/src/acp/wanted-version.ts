import { isObject, type JsonObject } from '@reeve/protocol';

/** In which version of ACP a client wants to speak. */
export type WantedVersion =
  | { readonly kind: 'v1' }
  /** `requested`: what the client named; 2 or more. */
  | { readonly kind: 'v2'; readonly requested: number }
  | { readonly kind: 'invalid'; readonly why: string };

/**
 * What the params of `initialize` ask for.
 *
 * The number alone does not tell: v1 lets a client ask for any version, and has it answered with 1 where that is the newest
 * (ACP v1, version negotiation). But v2 introduces a client by other members, `info` and `capabilities`, of which v1 understands
 * nothing: whoever uses them and asks for 2 or more is opened in v2 or refused, never taken for a v1 client that can do nothing. A
 * version above 2 is answered with 2, and what v2 does not understand of such a message is left out (ACP v2, `InitializeResponse`:
 * the highest version at or below the one that was requested).
 */
export function wantedVersion(params: JsonObject): WantedVersion {
  const { protocolVersion: requested, info, capabilities, clientInfo, clientCapabilities } = params;
  if (typeof requested !== 'number' || !Number.isInteger(requested)) {
    return { kind: 'invalid', why: 'protocolVersion: required integer; this server speaks 1 and 2' };
  }
  const inWordsOfV2 =
    (info !== undefined || capabilities !== undefined) && clientInfo === undefined && clientCapabilities === undefined;
  if (requested < 2 || !inWordsOfV2) return { kind: 'v1' };
  if (requested === 2 && !isImplementation(info)) {
    return {
      kind: 'invalid',
      why: 'info: required object with the strings "name" and "version" (ACP v2, InitializeRequest)',
    };
  }
  return { kind: 'v2', requested };
}

/** ACP v2, `Implementation`. */
export function isImplementation(value: unknown): value is JsonObject {
  return isObject(value) && typeof value.name === 'string' && typeof value.version === 'string';
}
