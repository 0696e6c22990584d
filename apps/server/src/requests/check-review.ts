import {
  type BoundaryAccess,
  type BoundaryNetwork,
  isObject,
  type JsonObject,
  type RequestAnswer,
  type ReviewParams,
  type ReviewResult,
  type ReviewScope,
} from '@reeve/protocol';
import type { Answering, CheckedAnswer } from './checked-answer.ts';
import type { StoredRequest } from './request-store.ts';

const MAX_HOSTS = 256;
const MAX_REASON = 4096;

/** Checks the answer to a review: it gives what was asked or less, and an administrator gives it where one must (boundary, section 3). */
export function checkReview(
  request: StoredRequest,
  answer: RequestAnswer,
  { administrator, now }: Answering,
): CheckedAnswer {
  const asked = request.params as ReviewParams;
  const wanted = resultOf(answer);
  if (!isObject(wanted) || (wanted.decision !== 'approve' && wanted.decision !== 'deny')) {
    return refused(asked, 'a review takes {"decision": "approve" | "deny"}');
  }
  const unknown = Object.keys(wanted).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined)
    return refused(asked, `${JSON.stringify(unknown.slice(0, 60))} is no part of the answer to a review`);
  const { decision, trusted, network, reason } = wanted;
  const extent = extentOf(asked, wanted, now);
  if (typeof extent === 'string') return refused(asked, extent);
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON)) {
    return refused(asked, `reason: a text of at most ${MAX_REASON} characters`);
  }
  const part = partOf(asked, wanted);
  if (typeof part === 'string') return refused(asked, part);
  const given = { decision, ...extent, ...(reason === undefined ? {} : { reason }), ...part };
  if (decision === 'deny') return { kind: 'ok', result: given };
  if (asked.approval === 'administrator' && !administrator) {
    return refused(
      asked,
      'only an administrator may approve this: answer it over HTTP, the command line or the console',
    );
  }
  if (trusted !== undefined && typeof trusted !== 'boolean') return refused(asked, 'trusted: true or false');
  if (network !== undefined && !isNetwork(network)) {
    return refused(asked, `network: "none", "full" or {"allow": ["host[:port]"]} with at most ${MAX_HOSTS} hosts`);
  }
  const result = {
    ...given,
    ...(trusted === undefined ? {} : { trusted }),
    ...(network === undefined ? {} : { network }),
  };
  return { kind: 'ok', result };
}

const MEMBERS: ReadonlySet<string> = new Set(
  'decision scope expiresAt roots others trusted network reason _meta'.split(' '),
);

/** The result that an answer in other words stands for. */
function resultOf(answer: RequestAnswer): unknown {
  if ('decision' in answer) return answer;
  if ('result' in answer) return answer.result;
  if ('reject' in answer)
    return { decision: 'deny', ...(typeof answer.reject === 'string' ? { reason: answer.reject } : {}) };
  const word = 'reply' in answer ? answer.reply : 'optionId' in answer ? answer.optionId : undefined;
  return word === undefined ? undefined : IN_WORDS.get(word);
}

/** Three words, and the ids of the options under which ACP clients are asked (ACP, PermissionOptionKind). */
const IN_WORDS: ReadonlyMap<string, ReviewResult> = new Map([
  ['once', { decision: 'approve', scope: 'session' }],
  ['allow_once', { decision: 'approve', scope: 'session' }],
  ['always', { decision: 'approve', scope: 'project' }],
  ['allow_always', { decision: 'approve', scope: 'project' }],
  ['reject', { decision: 'deny' }],
  ['reject_once', { decision: 'deny' }],
] as const);

const ALL_SCOPES: readonly ReviewScope[] = ['session', 'project', 'always'];

/** How far an answer reaches and until when, or what is wrong with that. A yes gives no more than was wanted; a no may be for more. */
function extentOf(
  asked: ReviewParams,
  answer: JsonObject,
  now: number,
): Pick<ReviewResult, 'scope' | 'expiresAt'> | string {
  const most = answer.decision === 'approve' ? asked.wanted : undefined;
  const scopes = asked.wanted && !most ? ALL_SCOPES : asked.scopes;
  const { scope = most?.scope ?? 'session', expiresAt = most?.expiresAt } = answer;
  if (!scopes.includes(scope as ReviewScope)) return `scope: one of ${scopes.join(', ')}`;
  if (asked.review === 'call' && expiresAt !== undefined) return ONCE;
  if (expiresAt === undefined) return { scope: scope as ReviewScope };
  if (!Number.isSafeInteger(expiresAt)) return TIME;
  const at = expiresAt as number;
  if (most?.expiresAt !== undefined && at > most.expiresAt) {
    return `expiresAt: at most ${most.expiresAt}, until when it was asked for`;
  }
  if (at <= now) return at === most?.expiresAt ? OVER : TIME;
  return { scope: scope as ReviewScope, expiresAt: at };
}

const TIME = 'expiresAt: a time to come, in milliseconds since the epoch';
const ONCE = 'expiresAt: an answer about a call counts for that call, once';
const OVER = 'the time for which it was asked is over: deny it, and ask for another time';

/** Which roots an answer is about, or what is wrong with that. */
function partOf(
  asked: ReviewParams,
  { decision, roots, others }: JsonObject,
): Pick<ReviewResult, 'roots' | 'others'> | string {
  if (others !== undefined && others !== 'deny' && others !== 'ask') return 'others: "deny" or "ask"';
  const left: Pick<ReviewResult, 'others'> = others === undefined ? {} : { others };
  if (roots === undefined) return left;
  const narrowed = narrowedRoots(asked, roots);
  if (typeof narrowed === 'string') return narrowed;
  if (decision === 'deny' && (asked.review !== 'root' || others !== 'ask')) {
    return 'roots: a review of roots alone is denied in part, and "others" is "ask" then';
  }
  return { roots: narrowed, ...left };
}

/** The roots that an answer leaves, or why they are none of those that were asked about. */
function narrowedRoots(
  { roots: asked = [] }: ReviewParams,
  given: unknown,
): NonNullable<ReviewResult['roots']> | string {
  if (!Array.isArray(given) || given.length > asked.length) return 'roots: a list of those that were asked about';
  const byPath = new Map(asked.map((root) => [root.path, root.access]));
  const left: { readonly path: string; readonly access: BoundaryAccess }[] = [];
  for (const root of given as readonly unknown[]) {
    const { path, access } = isObject(root) ? root : {};
    const most = typeof path === 'string' ? byPath.get(path) : undefined;
    if (most === undefined) return 'roots: a path was not asked about, or stands there twice';
    if (access !== 'ro' && access !== 'rw') return 'roots: access is "ro" or "rw"';
    if (access === 'rw' && most === 'ro') return 'roots: an answer gives no more access than was asked';
    byPath.delete(path as string);
    left.push({ path: path as string, access });
  }
  return left;
}

function isNetwork(value: unknown): value is BoundaryNetwork {
  if (value === 'none' || value === 'full') return true;
  const allow = isObject(value) && Object.keys(value).length === 1 ? value.allow : undefined;
  return Array.isArray(allow) && allow.length <= MAX_HOSTS && allow.every((host) => typeof host === 'string');
}

function refused({ scopes }: ReviewParams, why: string): CheckedAnswer {
  const offered = [
    `{"decision": "approve", "scope": ${scopes.map((scope) => JSON.stringify(scope)).join(' | ')}}`,
    '{"decision": "deny"}',
  ];
  return { kind: 'not_offered', offered, why };
}
