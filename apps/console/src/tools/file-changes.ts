import type { JsonObject } from '@reeve/protocol';
import { objectsIn, textMember } from '../data/json-members.ts';

export interface FileChange {
  readonly path: string;
  /** Undefined for a new file. */
  readonly oldText: string | undefined;
  readonly newText: string | undefined;
  /** A unified diff, where there are no whole texts. */
  readonly patch: string | undefined;
}

/** The changes of files in a `diff` of a tool call: one (ACP v1), or a list of them with a patch each (v2). */
export function fileChanges(entry: JsonObject): readonly FileChange[] {
  if (entry.type !== 'diff') return [];
  const { changes } = entry;
  const list = Array.isArray(changes) ? objectsIn(entry, 'changes') : [entry];
  return list.map((change) => ({
    path: textMember(change, 'path') ?? textMember(change, 'newPath') ?? textMember(change, 'oldPath') ?? '(no path)',
    oldText: typeof change.oldText === 'string' ? change.oldText : undefined,
    newText: typeof change.newText === 'string' ? change.newText : undefined,
    patch: typeof change.newText === 'string' ? undefined : (textMember(change, 'patch') ?? textMember(entry, 'patch')),
  }));
}
