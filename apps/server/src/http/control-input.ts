import { type EventSeq, parseEventSeq } from '@reeve/protocol';
import { z } from 'zod';
import { expectationOfIssue } from './expectation-of-issue.ts';
import { reviewAnswer } from './governance-input.ts';
import { MAX_PAGE, pageLimit } from './page-limit.ts';

/*
 * What callers of the control API may say. The message of each issue is what was expected there.
 */

const MAX_DEPTH = 64;
/** Members that nobody knows: how many are named, and how much of each name. */
const MAX_NAMED = 5;
const MAX_NAME = 60;
const CURSOR = 'the seq of an event: a whole number, 0 for the beginning';
const MAX_QUERY = 200;
const QUERY = `at most ${MAX_QUERY} characters`;
const ONE_CURSOR = 'no "before" together with "after": a page goes one way';

/** `GET /v1/sessions` */
export const sessionQuery = z.object({
  cwd: z.string().startsWith('/', { error: 'an absolute path' }).optional(),
  cursor: z.string().min(1, { error: 'the nextCursor of the page before' }).optional(),
  limit: pageLimit(100),
  q: z
    .string()
    .max(MAX_QUERY, { error: QUERY })
    .optional()
    .describe(
      'Only sessions that have each word in their title, or said by somebody: the beginning of a word is enough',
    ),
});

const eventSeq = z.string().transform((text, context): EventSeq => {
  const seq = parseEventSeq(text);
  if (seq === undefined) context.addIssue({ code: 'custom', message: CURSOR });
  return seq ?? (0 as EventSeq);
});

/** `GET /v1/sessions/{id}/events` */
export const eventQuery = z
  .object({
    after: eventSeq.optional().describe('Events with a greater seq; 0, the beginning, unless told'),
    before: eventSeq
      .optional()
      .describe('The last events with a smaller seq, for a page; past the end: the last of all'),
    limit: pageLimit(MAX_PAGE),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, { error: ONE_CURSOR, path: ['before'] });

/** `GET /v1/requests` */
export const requestQuery = z.object({
  session: z.string().min(1, { error: 'the id of a session' }).optional(),
  state: z.enum(['pending', 'all'], { error: '"pending" or "all"' }).default('pending'),
});

export const ANSWER =
  'exactly one of {"reply": "once" | "always" | "reject"}, {"optionId": …}, {"answers": [{"optionId": …} | {"text": …}]}, {"content": {…}}, {"reject": true | "why"}, {"decision": "approve" | "deny", …}, {"result": …}';
const MAX_ANSWERS = 1000;
const optionId = z.string().min(1).max(1024);

/** `POST /v1/requests/{id}/answer` */
export const answerBody = z.union(
  [
    z.strictObject({ reply: z.enum(['once', 'always', 'reject']) }),
    z.strictObject({ optionId }),
    z.strictObject({
      answers: z.array(z.union([z.strictObject({ optionId }), z.strictObject({ text: z.string() })])).max(MAX_ANSWERS),
    }),
    z.strictObject({ content: z.record(z.string(), z.unknown()) }),
    z.strictObject({ reject: z.union([z.literal(true), z.string().max(4096)]) }),
    reviewAnswer,
    z.strictObject({ result: z.unknown() }).refine((body) => 'result' in body),
  ],
  { error: ANSWER },
);

export type Read<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /**
   * `path`: of the member or query parameter; empty for the whole. `expected` follows "expected" and "Send"; `next` is the next step where
   * that is another one.
   */
  | { readonly kind: 'bad'; readonly path: string; readonly expected: string; readonly next?: string };

/** `text`: the body as it came; `expected`: what it must be, for whoever sent no JSON. */
export function readJson<T>(schema: z.ZodType<T>, text: string, expected: string): Read<T> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: 'bad', path: '', expected: `JSON: ${expected}` };
  }
  if (isDeeper(body, MAX_DEPTH)) return { kind: 'bad', path: '', expected: `at most ${MAX_DEPTH} levels of nesting` };
  return readAs(schema, body);
}

export function readAs<T>(schema: z.ZodType<T>, value: unknown): Read<T> {
  const result = schema.safeParse(value, { error: expectationOfIssue });
  if (result.success) return { kind: 'ok', value: result.data };
  const issue = result.error.issues[0];
  const path = issue?.path.join('.') ?? '';
  const expected = issue?.message ?? 'another value';
  if (issue?.code !== 'unrecognized_keys') return { kind: 'bad', path, expected };
  const names = issue.keys.slice(0, MAX_NAMED).map((key) => JSON.stringify(key.slice(0, MAX_NAME).toWellFormed()));
  return { kind: 'bad', path, expected, next: `Leave ${names.join(', ')} out: there is no such member.` };
}

/** Never recurses further than `levels`. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
