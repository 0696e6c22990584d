import type { ClaimedClient, JsonObject } from '@reeve/protocol';

/** What says who did something where it was no ACP client that named itself. */
const RESERVED: ReadonlySet<string> = new Set(['reeve', 'http-api']);
const UNNAMED = 'unnamed client';

/** Name and version of a client as it gave them (`clientInfo` of `initialize`), for people; never what stands for Reeve itself. */
export function clientLabel(clientInfo: JsonObject | undefined): string {
  const label = `${shown(clientInfo?.title ?? clientInfo?.name)} ${shown(clientInfo?.version)}`.trim();
  if (label === '') return UNNAMED;
  return RESERVED.has(label.toLowerCase()) ? `client "${label}"` : label;
}

/** What a client says of itself, as others are shown it; undefined where it gives no name. */
export function claimedClient(clientInfo: JsonObject | undefined): ClaimedClient | undefined {
  const [name, title, version] = [shown(clientInfo?.name), shown(clientInfo?.title), shown(clientInfo?.version)];
  if (name === '' && title === '') return undefined;
  return { name: name || title, ...(title === '' ? {} : { title }), ...(version === '' ? {} : { version }) };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 100) : '';
}
