import { isObject } from './json-rpc.ts';

/** Kinds of ACP's permission options. */
export type PermissionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/** The `result` of `session/request_permission`, as the agent gets it. */
export interface PermissionResult {
  readonly outcome: { readonly outcome: 'selected'; readonly optionId: string } | { readonly outcome: 'cancelled' };
}

/** How somebody may answer: in three words, by an option's id, or with the outcome as ACP has it. */
export type PermissionAnswer =
  | { readonly reply: 'once' | 'always' | 'reject' }
  | { readonly optionId: string }
  | { readonly outcome: unknown };

/** The option that was chosen; `kind` as the agent wrote it, which may be none that we know. */
export interface ChosenOption {
  readonly optionId: string;
  readonly kind: string | undefined;
}

export type PermissionVerdict =
  | {
      readonly kind: 'ok';
      readonly result: PermissionResult;
      /** Missing when the outcome is `cancelled`. */
      readonly chosen?: ChosenOption;
      /** The exact kind was not offered, and the nearest that grants no more was taken. */
      readonly nearest: boolean;
    }
  | { readonly kind: 'not_offered'; readonly offered: readonly string[] };

/** For each reply the kinds that serve it, best first: never from reject to allow or back, never more than was asked. */
const KINDS_OF_REPLY: ReadonlyMap<string, readonly PermissionKind[]> = new Map([
  ['once', ['allow_once']],
  ['always', ['allow_always', 'allow_once']],
  ['reject', ['reject_once', 'reject_always']],
]);

/**
 * What the agent is told for an answer, given what it offered. `options` is the `options` of the agent's request as
 * it came: entries without an id are passed over, entries of an unknown kind can be chosen by id alone. Of two options
 * of one kind the first counts; an id that stands for two kinds is never chosen by a reply.
 */
export function permissionResult(options: unknown, answer: PermissionAnswer): PermissionVerdict {
  const offered = readOptions(options);
  if ('reply' in answer) return chooseByReply(offered, answer.reply);
  if ('optionId' in answer) return chooseById(offered, answer.optionId);
  return checkOutcome(offered, answer.outcome);
}

/** Checks a `result` that a client sent: `cancelled`, or one of the offered ids. A valid one goes on as it came. */
export function checkPermissionResult(options: unknown, result: unknown): PermissionVerdict {
  const verdict = checkOutcome(readOptions(options), isObject(result) ? result.outcome : undefined);
  return verdict.kind === 'ok' ? { ...verdict, result: result as PermissionResult } : verdict;
}

/** What became of an answer in three words: which option was taken for it. Kept with the request. */
export interface ReplyMapping {
  readonly asked: 'once' | 'always' | 'reject';
  /** `kind` as the agent wrote it. Missing when nothing that was offered would do, and the outcome is `cancelled`. */
  readonly chosen?: ChosenOption;
  readonly nearest: boolean;
}

function readOptions(options: unknown): ChosenOption[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: unknown) => {
    if (!isObject(option) || typeof option.optionId !== 'string') return [];
    return [{ optionId: option.optionId, kind: typeof option.kind === 'string' ? option.kind : undefined }];
  });
}

function chooseByReply(offered: readonly ChosenOption[], reply: string): PermissionVerdict {
  const kinds = KINDS_OF_REPLY.get(reply) ?? [];
  for (const [rank, kind] of kinds.entries()) {
    const option = offered.find((candidate) => candidate.kind === kind);
    // The agent knows an option by its id alone: with a second one of another kind the id does not say which.
    if (option !== undefined && isUnambiguous(offered, option)) return selected(option, rank > 0);
  }
  return notOffered(offered);
}

function chooseById(offered: readonly ChosenOption[], optionId: unknown): PermissionVerdict {
  const option = offered.find((candidate) => candidate.optionId === optionId);
  return option === undefined ? notOffered(offered) : selected(option, false);
}

function checkOutcome(offered: readonly ChosenOption[], outcome: unknown): PermissionVerdict {
  if (!isObject(outcome)) return notOffered(offered);
  if (outcome.outcome === 'cancelled')
    return { kind: 'ok', result: { outcome: { outcome: 'cancelled' } }, nearest: false };
  return outcome.outcome === 'selected' ? chooseById(offered, outcome.optionId) : notOffered(offered);
}

function isUnambiguous(offered: readonly ChosenOption[], option: ChosenOption): boolean {
  return offered.every(({ optionId, kind }) => optionId !== option.optionId || kind === option.kind);
}

function selected(chosen: ChosenOption, nearest: boolean): PermissionVerdict {
  const { optionId } = chosen;
  return { kind: 'ok', result: { outcome: { outcome: 'selected', optionId } }, chosen, nearest };
}

function notOffered(offered: readonly ChosenOption[]): PermissionVerdict {
  return { kind: 'not_offered', offered: offered.map(({ optionId }) => optionId) };
}
