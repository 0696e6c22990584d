import type { ErrorName } from '@reeve/protocol';
import { isSameToken, readToken } from './access-token.ts';
import { type Authority, isAddress, isAnyAddress, isLoopbackName, parseAuthority } from './host-name.ts';
import { asksForPage, isPlain, isWithin } from './open-path.ts';

export interface GateRules {
  /** Undefined: everybody who reaches the server may use it. */
  readonly token: string | undefined;
  /** The name or address that the server listens on. */
  readonly boundHost: string;
  /** More names that a `Host` header may carry: `name` with any port, or `name:port`. */
  readonly allowedHosts: readonly string[];
  /** Origins beside the server's own whose pages may call it, as browsers write them. */
  readonly allowedOrigins: readonly string[];
  /** Paths that may be read without a token, `/*` for all below one; whoever serves them looks at `authenticated`. */
  readonly openPaths: readonly string[];
  /** Paths at which whoever asks for a page (`Accept: text/html`) needs no token: what is there is a page of the console, or none. */
  readonly isPage?: (path: string) => boolean;
}

/** What a request says of itself. `host`: the `Host` header, or `:authority` of HTTP/2. */
export interface GateFacts {
  readonly method: string;
  /** As in the request line: path and query. */
  readonly url: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  readonly accept?: string | undefined;
  /** `Access-Control-Request-Method`: makes an OPTIONS a browser's question beforehand. */
  readonly requestMethod: string | undefined;
}

export type Verdict =
  /** `origin`: of the page that calls, which may read the answer. */
  | { readonly kind: 'pass'; readonly authenticated: boolean; readonly origin: string | undefined }
  | { readonly kind: 'preflight'; readonly origin: string }
  | {
      readonly kind: 'refuse';
      readonly status: 400 | 401 | 403;
      readonly name: ErrorName;
      readonly detail: string;
      readonly next: string;
    };

/**
 * Judges every request and every upgrade before anything else looks at it. The host is checked against DNS rebinding (a
 * page whose name was made to point here is no caller of ours), the origin against pages of others, the token against
 * everybody else. Pure.
 */
export function judgeRequest(rules: GateRules, facts: GateFacts): Verdict {
  if (!/^\/(?!\/)/.test(facts.url)) {
    return refuse(400, 'invalid_request', 'the target is no path', 'Ask for a path that begins with one "/".');
  }
  const host = facts.host === undefined ? undefined : parseAuthority(facts.host);
  if (!host) {
    return refuse(
      400,
      'invalid_request',
      'the Host header is missing or malformed',
      'Send "Host: name" or "Host: name:port".',
    );
  }
  if (!isHostAllowed(rules, host)) {
    return refuse(403, 'forbidden', 'this server does not answer to that host name', HOST_NEXT);
  }
  const { origin } = facts;
  if (origin !== undefined && !isOriginAllowed(rules, origin, host)) {
    return refuse(403, 'forbidden', 'pages of that origin may not call this server', ORIGIN_NEXT);
  }
  if (facts.method === 'OPTIONS' && origin !== undefined && facts.requestMethod !== undefined) {
    return { kind: 'preflight', origin };
  }
  return judgeToken(rules, facts);
}

const HOST_NEXT = 'Use the address that the server printed, or add the name to "allowedHosts" of its configuration.';
const ORIGIN_NEXT = 'Open the page from the server itself, or add its origin to "allowedOrigins" of the configuration.';
const TOKEN_NEXT =
  'Send "Authorization: Bearer TOKEN", or ?access_token=TOKEN where no header can be set; the token is in the file "token" of the data directory.';

function judgeToken(rules: GateRules, facts: GateFacts): Verdict {
  const { origin } = facts;
  if (rules.token === undefined) return { kind: 'pass', authenticated: true, origin };
  const given = readToken(facts.authorization, facts.url);
  if (given !== undefined) {
    if (isSameToken(given, rules.token)) return { kind: 'pass', authenticated: true, origin };
    return refuse(401, 'authentication_required', 'the token is not this server’s', TOKEN_NEXT);
  }
  const path = facts.url.split('?', 1)[0] ?? '';
  const isOpen =
    (facts.method === 'GET' || facts.method === 'HEAD') &&
    isPlain(facts.url) &&
    (rules.openPaths.some((open) => isWithin(open, path)) ||
      (asksForPage(facts.accept) && rules.isPage?.(path) === true));
  if (isOpen && facts.authorization === undefined) return { kind: 'pass', authenticated: false, origin };
  const came = facts.authorization === undefined ? 'no token was sent' : 'the Authorization header has no bearer token';
  return refuse(401, 'authentication_required', came, TOKEN_NEXT);
}

/**
 * Ports count only where a rule names one: a forwarded port is another one outside. An address cannot be rebound, so where
 * the server listens on all of them, each will do.
 */
function isHostAllowed(rules: GateRules, host: Authority): boolean {
  if (isLoopbackName(host.name)) return true;
  if (isAnyAddress(rules.boundHost) ? isAddress(host.name) : isSameName(rules.boundHost, host.name)) return true;
  return rules.allowedHosts.some((text) => {
    const allowed = parseAuthority(text);
    return allowed?.name === host.name && (allowed.port === undefined || allowed.port === host.port);
  });
}

function isSameName(bound: string, name: string): boolean {
  return (parseAuthority(bound) ?? parseAuthority(`[${bound}]`))?.name === name;
}

/** `null` is the origin of everybody: sandboxed frames, files, redirects. */
function isOriginAllowed(rules: GateRules, origin: string, host: Authority): boolean {
  const url = URL.parse(origin);
  if (origin === 'null' || !url) return false;
  if (rules.allowedOrigins.some((allowed) => allowed === origin || isSameOrigin(allowed, url))) return true;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  const standard = url.protocol === 'http:' ? 80 : 443;
  const port = url.port === '' ? standard : Number(url.port);
  return parseAuthority(url.hostname)?.name === host.name && port === (host.port ?? standard);
}

function isSameOrigin(allowed: string, url: URL): boolean {
  const { origin } = URL.parse(allowed) ?? {};
  return origin !== undefined && origin !== 'null' && origin === url.origin;
}

function refuse(status: 400 | 401 | 403, name: ErrorName, detail: string, next: string): Verdict {
  return { kind: 'refuse', status, name, detail, next };
}
