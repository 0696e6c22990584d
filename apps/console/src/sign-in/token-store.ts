const KEY = 'reeve.token';

/** The token of this tab: gone when it is closed, and sent nowhere but to the page's own server and its other tabs. */
export function storedToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function storeToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}

/**
 * Keeps the token of a link (`/#token=…`) and takes it out of the address, so that it stays neither in sight nor in the history. Before
 * anything is drawn: a page that is reloaded or left while it begins would lose it.
 */
export function keepTokenOfAddress(): void {
  const { hash, pathname, search } = window.location;
  const token = new URLSearchParams(hash.slice(1)).get('token')?.trim();
  if (token === undefined) return;
  window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  if (token !== '') storeToken(token);
}
