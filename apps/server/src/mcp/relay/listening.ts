import { encodeRequest, isObject, type JsonObject, type JsonRpcId, removeMember, setMember } from '@reeve/protocol';
import { cancelled } from '../wire/cancelled.ts';
import { META } from '../wire/mcp-keys.ts';
import { metaOf } from '../wire/read-meta.ts';
import type { AgentPeer } from './agent-peer.ts';
import type { Exchange } from './exchange.ts';
import type { RelayParts } from './relay-parts.ts';
import { ownEnvelope } from './translate.ts';

/** Members of the filter of `subscriptions/listen` by the notification that they let through. */
const FLAGS: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};
const UPDATED = 'notifications/resources/updated';

/**
 * Subscriptions between the eras: `subscriptions/listen` of MCP 2026-07-28 on one side, notifications that nobody asked for and
 * `resources/subscribe` on the other. Towards a server of the stateless era there is one listening for all agents.
 */
export class Listening {
  readonly #parts: RelayParts;
  /** Resources by how many subscriptions want them; of agents whose subscription the server itself does not know. */
  readonly #wanted = new Map<string, number>();
  /** The id and the filter of our own `subscriptions/listen`. */
  #own: { readonly id: number; readonly filter: string } | undefined;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** Serves `subscriptions/listen` of an agent until it takes it back. @param uris those that may be subscribed to */
  listen(exchange: Exchange, uris: readonly string[]): void {
    const { notifications } = isObject(exchange.params) ? exchange.params : {};
    const wish = isObject(notifications) ? notifications : {};
    const resources = uris.length > 0 ? { resourceSubscriptions: uris } : {};
    const flags = Object.values(FLAGS).flatMap((flag) => (wish[flag] === true ? [[flag, true] as const] : []));
    exchange.send(
      encode('notifications/subscriptions/acknowledged', exchange.id, {
        notifications: { ...Object.fromEntries(flags), ...resources },
      }),
    );
    for (const uri of uris) this.want(uri);
    exchange.onSettled(() => {
      for (const uri of uris) this.unwant(uri);
    });
  }

  /** Resources that are subscribed to. */
  get uris(): Iterable<string> {
    return this.#wanted.keys();
  }

  /** Nobody is told of this resource any more. */
  forget(uri: string): void {
    this.#wanted.delete(uri);
  }

  want(uri: string): void {
    const count = this.#wanted.get(uri) ?? 0;
    this.#wanted.set(uri, count + 1);
    if (count === 0) this.#changed('resources/subscribe', uri);
  }

  unwant(uri: string): void {
    const count = this.#wanted.get(uri) ?? 0;
    if (count > 1) this.#wanted.set(uri, count - 1);
    else if (this.#wanted.delete(uri)) this.#changed('resources/unsubscribe', uri);
  }

  /** The server is open, perhaps again. */
  opened(): void {
    this.#own = undefined;
    if (this.#parts.upstream.facts?.era === 'stateless') return this.#listenUpstream();
    for (const uri of this.#wanted.keys()) this.#changed('resources/subscribe', uri);
  }

  /** Brings a notification to an agent whose era is not that of the notification. @returns whether that was done or need not be */
  notify(peer: AgentPeer, method: string, params: unknown, raw: Buffer): boolean {
    if (method === 'notifications/subscriptions/acknowledged') return true;
    const isChange = method === UPDATED || Object.hasOwn(FLAGS, method);
    if (peer.era !== 'stateless') {
      if (metaOf(params)[META.subscription] === undefined) return false;
      peer.channel.send(removeMember(raw, ['params', '_meta', META.subscription]));
      return true;
    }
    if (!isChange) return false;
    for (const exchange of peer.exchanges) {
      if (exchange.method !== 'subscriptions/listen' || !accepts(exchange, method, params)) continue;
      exchange.send(setMember(raw, ['params', '_meta', META.subscription], JSON.stringify(exchange.id)));
    }
    return true;
  }

  #changed(method: string, uri: string): void {
    const { upstream } = this.#parts;
    if (upstream.facts?.era === 'stateless') this.#listenUpstream();
    else this.#ask(method, { uri });
  }

  #listenUpstream(): void {
    const { upstream, pending } = this.#parts;
    if (upstream.link === undefined) return;
    const notifications = {
      ...Object.fromEntries(Object.values(FLAGS).map((flag) => [flag, true])),
      ...(this.#wanted.size > 0 ? { resourceSubscriptions: [...this.#wanted.keys()] } : {}),
    };
    const filter = JSON.stringify(notifications);
    const before = this.#own;
    if (before?.filter === filter) return;
    const id = this.#ask('subscriptions/listen', {
      notifications,
      _meta: ownEnvelope({ name: 'reeve', version: '' }, {}),
    });
    this.#own = { id, filter };
    if (!before || !pending.take(before.id)) return;
    upstream.link.cancel(before.id, cancelled(before.id));
  }

  #ask(method: string, params: JsonObject): number {
    const { pending, upstream } = this.#parts;
    const id = pending.add({ exchange: undefined, onReply: () => {}, onDown: () => {} });
    upstream.link?.send(Buffer.from(encodeRequest(id, method, params)));
    return id;
  }
}

function accepts({ params }: Exchange, method: string, changed: unknown): boolean {
  const { notifications } = isObject(params) ? params : {};
  if (!isObject(notifications)) return false;
  if (method !== UPDATED) return notifications[FLAGS[method] ?? ''] === true;
  const { resourceSubscriptions } = notifications;
  return Array.isArray(resourceSubscriptions) && isObject(changed) && resourceSubscriptions.includes(changed.uri);
}

function encode(method: string, subscription: JsonRpcId, params: JsonObject): Buffer {
  const stamped = { ...params, _meta: { [META.subscription]: subscription } };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method, params: stamped }));
}
