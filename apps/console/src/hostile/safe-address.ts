/** Where a link from outside may lead: an http or https address without a password. Undefined: nowhere. */
export function safeAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  return url.username === '' && url.password === '' ? url : undefined;
}
