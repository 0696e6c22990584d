import { type EventSeq, isObject, parseEventSeq, ReeveError } from '@reeve/protocol';

/** The cursor of `_meta["sandboxagent.dev"].after`; throws `invalid_params`. */
export function readAfter(meta: { readonly [member: string]: unknown }): EventSeq | undefined {
  if (meta.after === undefined) return undefined;
  const after = parseEventSeq(meta.after);
  if (after !== undefined) return after;
  throw new ReeveError('invalid_params', { message: 'after: a whole number from 0, the last seq that you have' });
}

/** The role of `_meta["sandboxagent.dev"].role`; throws `invalid_params`. */
export function readRole(meta: { readonly [member: string]: unknown }): 'controller' | 'observer' {
  const role = meta.role ?? 'controller';
  if (role === 'controller' || role === 'observer') return role;
  throw new ReeveError('invalid_params', {
    message: 'role: "controller" or "observer"',
    data: { role: isObject(role) ? 'an object' : role },
  });
}
