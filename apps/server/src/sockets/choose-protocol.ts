import { SOCKET_PROTOCOL } from '@reeve/protocol';

/** Which of the subprotocols is spoken that a peer offers: ours, else its first, which is never one with a token in it. */
export function chooseProtocol(offered: Set<string>): string | false {
  if (offered.has(SOCKET_PROTOCOL)) return SOCKET_PROTOCOL;
  return [...offered].find((name) => !name.startsWith(`${SOCKET_PROTOCOL}.`)) ?? false;
}
