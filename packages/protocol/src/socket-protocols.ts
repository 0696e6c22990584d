/**
 * The subprotocol (RFC 6455, section 1.9) of Reeve's WebSockets for whoever offers one. A browser can set no other header of a handshake: the token
 * is offered beside it, which the server never chooses, so that it stands in no address. Addresses are shown by browsers and kept by proxies.
 */
export const SOCKET_PROTOCOL = 'reeve';

const TOKEN = 'reeve.token.';

/** What is offered: the token in hexadecimal, since a subprotocol takes few signs (RFC 9110, "token"). */
export function socketProtocols(token: string | undefined): readonly string[] {
  if (token === undefined) return [SOCKET_PROTOCOL];
  const bytes = [...new TextEncoder().encode(token)];
  return [SOCKET_PROTOCOL, `${TOKEN}${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`];
}

/** The token of a header field `Sec-WebSocket-Protocol`; undefined where there is none. */
export function tokenOfProtocols(offered: string): string | undefined {
  for (const name of offered.split(',').map((text) => text.trim())) {
    if (!name.startsWith(TOKEN)) continue;
    const hex = name.slice(TOKEN.length);
    if (!/^(?:[\da-f]{2})+$/.test(hex)) return undefined;
    const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    return new TextDecoder().decode(bytes);
  }
  return undefined;
}
