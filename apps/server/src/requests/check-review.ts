import {
  type BoundaryAccess,
  type BoundaryNetwork,
  isObject,
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
  const { decision, scope = 'session', expiresAt, roots, trusted, network, reason } = wanted;
  if (!asked.scopes.includes(scope as ReviewScope)) return refused(asked, `scope: one of ${asked.scopes.join(', ')}`);
  if (expiresAt !== undefined && !(Number.isSafeInteger(expiresAt) && (expiresAt as number) > now)) {
    return refused(asked, 'expiresAt: a time to come, in milliseconds since the epoch');
  }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON)) {
    return refused(asked, `reason: a text of at most ${MAX_REASON} characters`);
  }
  const given = {
    decision,
    scope,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(reason === undefined ? {} : { reason }),
  };
  if (decision === 'deny') return { kind: 'ok', result: given };
  if (asked.approval === 'administrator' && !administrator) {
    return refused(
      asked,
      'only an administrator may approve this: answer it over HTTP, the command line or the console',
    );
  }
  const narrowed = roots === undefined ? undefined : narrowedRoots(asked, roots);
  if (typeof narrowed === 'string') return refused(asked, narrowed);
  if (trusted !== undefined && typeof trusted !== 'boolean') return refused(asked, 'trusted: true or false');
  if (network !== undefined && !isNetwork(network)) {
    return refused(asked, `network: "none", "full" or {"allow": ["host[:port]"]} with at most ${MAX_HOSTS} hosts`);
  }
  const result = {
    ...given,
    ...(narrowed === undefined ? {} : { roots: narrowed }),
    ...(trusted === undefined ? {} : { trusted }),
    ...(network === undefined ? {} : { network }),
  };
  return { kind: 'ok', result };
}

const MEMBERS: ReadonlySet<string> = new Set('decision scope expiresAt roots trusted network reason _meta'.split(' '));

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

/** The roots that an answer leaves, or why they are none of those that were asked about. */
function narrowedRoots({ roots: asked = [] }: ReviewParams, given: unknown): ReviewResult['roots'] | string {
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
