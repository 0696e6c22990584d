import { objectsIn, textMember } from '../data/json-members.ts';

export interface OfferedOption {
  readonly optionId: string;
  readonly name: string;
  /** `allow_once`, `allow_always`, `reject_once`, `reject_always`, or what the agent calls it. */
  readonly kind: string;
}

/** The options of a `session/request_permission`, as the agent offers them. */
export function permissionOptions(params: unknown): readonly OfferedOption[] {
  return objectsIn(params, 'options').flatMap((option) => {
    const optionId = textMember(option, 'optionId');
    if (optionId === undefined) return [];
    return [{ optionId, name: textMember(option, 'name') ?? optionId, kind: textMember(option, 'kind') ?? '' }];
  });
}

/** Whether choosing it turns the call down. */
export function rejects({ kind }: OfferedOption): boolean {
  return kind.startsWith('reject');
}
