import { isObject, type JsonObject } from './json-rpc.ts';

/** The one key of `_meta` under which Reeve's own data stands (ACP, extensibility). */
export const META_KEY = 'sandboxagent.dev';

/** Methods of ours; every one begins with `_sandboxagent/` (ACP, extensibility: custom methods start with `_`). */
export const EXTENSION = {
  boundaryUpdate: '_sandboxagent/session/boundary_update',
  detach: '_sandboxagent/session/detach',
  events: '_sandboxagent/session/events',
  fork: '_sandboxagent/session/fork',
  list: '_sandboxagent/session/list',
  metadataUpdate: '_sandboxagent/session/metadata_update',
  ping: '_sandboxagent/ping',
  review: '_sandboxagent/review',
  requestQuestion: '_sandboxagent/session/request_question',
  requestResolved: '_sandboxagent/session/request_resolved',
  setBoundary: '_sandboxagent/session/set_boundary',
  setMetadata: '_sandboxagent/session/set_metadata',
  terminate: '_sandboxagent/session/terminate',
  ended: '_sandboxagent/session/ended',
  turnEnded: '_sandboxagent/session/turn_ended',
} as const;

/** What stands under our key of a params or result's `_meta`; an empty object when there is nothing. */
export function ourMeta(carrier: unknown): JsonObject {
  const meta = isObject(carrier) ? carrier._meta : undefined;
  const ours = isObject(meta) ? meta[META_KEY] : undefined;
  return isObject(ours) ? ours : {};
}

/** `carrier` with `ours` merged under our key; the `_meta` of others is kept. */
export function withOurMeta(carrier: JsonObject, ours: JsonObject): JsonObject {
  const meta = isObject(carrier._meta) ? carrier._meta : {};
  return { ...carrier, _meta: { ...meta, [META_KEY]: { ...ourMeta(carrier), ...ours } } };
}
