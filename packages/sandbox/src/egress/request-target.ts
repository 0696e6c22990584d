import type { Target } from './allow-list.ts';
import { parseHost, parsePort } from './host.ts';

/** Reads the target of a CONNECT request: authority-form (RFC 9112, 3.2.3), where the port is not optional. */
export function parseAuthority(text: string): Target | undefined {
  const match = /^(\[[^\]]*\]|[^:[\]]+):(\d+)$/.exec(text);
  if (match === null) return undefined;
  const host = parseHost(match[1] as string);
  const port = parsePort(match[2] as string);
  return host === undefined || port === undefined ? undefined : { host, port };
}

export type AbsoluteForm =
  | { readonly kind: 'target'; readonly target: Target /** Path and query, for the origin. */; readonly path: string }
  /** Not sent to a proxy: the client took it for the server itself. */
  | { readonly kind: 'origin-form' }
  /** A proxy cannot ask for it without reading what is in it: CONNECT is for that. */
  | { readonly kind: 'other-scheme' }
  | { readonly kind: 'malformed' };

/** Reads the request line's target of a plain request to a proxy: absolute-form (RFC 9112, 3.2.2) with http. */
export function parseAbsoluteForm(text: string): AbsoluteForm {
  if (text.startsWith('/') || text === '*') return { kind: 'origin-form' };
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)$/i.exec(text);
  if (match === null) return { kind: 'malformed' };
  const [, scheme = '', authority = '', rest = ''] = match;
  if (scheme.toLowerCase() !== 'http') return { kind: 'other-scheme' };
  const target = parseAuthority(/(?:^|[^:\]]):\d+$|\]:\d+$/.test(authority) ? authority : `${authority}:80`);
  if (target === undefined || /[^\x21-\x7e]/.test(rest)) return { kind: 'malformed' };
  return { kind: 'target', target, path: rest.startsWith('/') ? rest : `/${rest}` };
}
