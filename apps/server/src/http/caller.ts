import { CLIENT_HEADER, type ClaimedClient, parseClientName } from '@reeve/protocol';
import type { Actor } from '../boundary/session-guard.ts';
import { badInput } from './api-problems.ts';
import type { Call } from './api-route.ts';

/** A caller that does not say who it is. */
export const HTTP_CALLER = 'http-api';

/** What the header field must be; for the OpenAPI document too. */
export const CALLER_SHAPE =
  'NAME/VERSION, each 1 to 64 of letters, digits, ".", "_" and "-" (the version "+" too), the first a letter or digit';

/** Who calls, as other clients and the audit log are told: name and version as the program gives them, like those of an ACP client. */
export function callerOf(call: Call): string {
  const given = call.req.header(CLIENT_HEADER);
  const client = given === undefined ? undefined : parseClientName(given);
  return client ? `${client.name} ${client.version}` : HTTP_CALLER;
}

/** What a caller says of itself; nothing where it says none. */
export function claimOf(caller: string): { readonly claimed?: ClaimedClient } {
  const [name = '', version] = caller.split(' ');
  return version === undefined ? {} : { claimed: { name, version } };
}

/** Whoever holds the token of the server administers it. */
export function actorOf(call: Call): Actor {
  return { label: callerOf(call), administrator: true };
}

/** The answer to a caller whose name is none; undefined where it is, or where there is none. */
export function refuseCaller(call: Call): Response | undefined {
  const given = call.req.header(CLIENT_HEADER);
  if (given === undefined || parseClientName(given)) return undefined;
  return badInput({ kind: 'bad', path: 'Reeve-Client', expected: CALLER_SHAPE }, 'header');
}
