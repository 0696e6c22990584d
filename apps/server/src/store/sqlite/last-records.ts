import type { WriteCall } from './operation.ts';
import type { Waiting } from './waiting-call.ts';

/**
 * Of the records of one session that are written together only the last is sent, in the place of the first, and answers for all: they may be
 * large, and change often. Nobody sees the difference, since what is sent together is one transaction.
 */
export function withLastRecords(writes: readonly Waiting<WriteCall>[]): readonly Waiting<WriteCall>[] {
  const puts = new Map<string, Put[]>();
  for (const write of writes) {
    const { call } = write;
    if (call.kind === 'removeSession') return writes;
    if (call.kind !== 'putSession') continue;
    const of = puts.get(call.id) ?? [];
    puts.set(call.id, of);
    of.push({ ...write, call, write });
  }
  const several = [...puts.values()].filter(
    (of) => of.length > 1 && of.every(({ call }) => call.alias === of[0]?.call.alias),
  );
  if (several.length === 0) return writes;
  const superseded = new Set<unknown>(several.flatMap((of) => of.slice(1).map(({ write }) => write)));
  const first = new Map<unknown, readonly Put[]>(several.map((of) => [of[0]?.write, of]));
  return writes.flatMap((write) => {
    if (superseded.has(write)) return [];
    const of = first.get(write) ?? [];
    return [of.length === 0 ? write : { ...write, call: of.at(-1)?.call ?? write.call, ...answeringFor(of) }];
  });
}

/** A record of a session that waits to be written, and where it stands among all that waits. */
type Put = Waiting<WriteCall & { readonly kind: 'putSession' }> & { readonly write: Waiting<WriteCall> };

function answeringFor(all: readonly Waiting<unknown>[]): Pick<Waiting<WriteCall>, 'resolve' | 'reject'> {
  return {
    resolve: (answer) => {
      for (const { resolve } of all) resolve(answer);
    },
    reject: (error) => {
      for (const { reject } of all) reject(error);
    },
  };
}
