const KEY = 'reeve.token';

/** The token of this tab: gone when it is closed, and sent nowhere but to the page's own server. */
export function storedToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function storeToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}

/** Takes the token of a link (`/#token=…`) out of the address, so that it stays neither in sight nor in the history. */
export function takeTokenFromAddress(): string | undefined {
  const { hash, pathname, search } = window.location;
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? undefined;
  if (token === undefined) return undefined;
  window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  return token.trim() || undefined;
}
