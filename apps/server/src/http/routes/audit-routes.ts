import {
  AUDIT_DECISIONS,
  AUDIT_KINDS,
  type AuditCheckpoint,
  type AuditEntry,
  type AuditPage,
  parseEventSeq,
  parseIsoTime,
} from '@reeve/protocol';
import { z } from 'zod';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { RecordFilter } from '../../audit/audit-store.ts';
import { readCheckpoint } from '../../audit/checkpoint.ts';
import { decisionLines, exportLines, ocsfLines } from '../../audit/export-lines.ts';
import { proofTree } from '../../audit/merkle-proofs.ts';
import type { RevealVerdict } from '../../audit/reveal-paths.ts';
import { parseVerifier } from '../../audit/signed-note.ts';
import { isTraceId } from '../../audit/trace-id.ts';
import { UnverifiableError, verifyExport } from '../../audit/verify-export.ts';
import { notFound } from '../api-problems.ts';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { actorOf, callerOf } from '../caller.ts';
import type { GovernancePort } from '../governance-port.ts';
import { pageLimit } from '../page-limit.ts';
import { problem, problemResponse } from '../problem.ts';

const tag = 'Audit';
const TIME = 'a time: ISO 8601, or milliseconds since the epoch';
const TRACE = 'a trace id: 32 lower-case hex digits, not all zero';
const NUMBER = 'the number of a record: a whole number from 0';
const JSON_LINES = 'application/x-ndjson';
const NOBODY: RevealVerdict = {
  kind: 'refused',
  reason: 'nothing decides who may see paths',
  next: 'Search by label: labels stay.',
  policies: [],
  policyHash: 'none',
};
/** Text that is handed to the connection at once. */
const CHUNK_CHARS = 64 * 1024;

const time = z
  .string()
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : (parseIsoTime(text) ?? Number.NaN)))
  .refine((value) => !Number.isNaN(value), { error: TIME });
const number = z
  .string()
  .regex(/^\d{1,15}$/, { error: NUMBER })
  .transform(Number);

/** Those of the same topic, where there are any. */
function kindsLike(given: unknown): string {
  const [topic] = String(given).split('.');
  const near = AUDIT_KINDS.filter((kind) => kind.startsWith(`${topic}.`));
  return `one of ${(near.length === 0 ? AUDIT_KINDS : near).join(', ')}`;
}

const filterShape = {
  session: z.string().min(1, { error: 'the id of a session' }).optional(),
  trace: z.string().refine(isTraceId, { error: TRACE }).optional(),
  kind: z.enum(AUDIT_KINDS, { error: ({ input }) => kindsLike(input) }).optional(),
  decision: z.enum(AUDIT_DECISIONS, { error: `one of ${AUDIT_DECISIONS.join(', ')}` }).optional(),
  server: z.string().min(1, { error: 'the name or the fingerprint of a server' }).optional(),
  since: time.optional(),
  until: time.optional(),
  under: z.string().startsWith('/', { error: 'an absolute path' }).optional(),
};
const listQuery = z.object({
  ...filterShape,
  order: z.enum(['newest', 'oldest'], { error: '"newest" or "oldest"' }).default('newest'),
  cursor: number.optional(),
  limit: pageLimit(100),
});
const exportQuery = z.object({
  ...filterShape,
  format: z.enum(['jsonl', 'ocsf', 'decisions'], { error: '"jsonl", "ocsf" or "decisions"' }).default('jsonl'),
});
const FORMATS = { jsonl: exportLines, ocsf: ocsfLines, decisions: decisionLines };
const TEXTS = 'a list of at most 100 texts';
const texts = z
  .array(z.string({ error: TEXTS }), { error: TEXTS })
  .max(100, { error: TEXTS })
  .default([]);
const verifyBody = z.strictObject(
  { keys: texts, checkpoints: texts },
  { error: 'an object {"keys"?: […], "checkpoints"?: […]}' },
);

const entrySchema = z.looseObject({
  seq: z.int(),
  at: z.number(),
  kind: z.string(),
  facts: z.looseObject({}),
});
const verdictSchema = z.looseObject({
  kind: z.enum(['intact', 'damaged']),
  records: z.int(),
  covered: z.int(),
  problems: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
});

/** The audit log: search, export, checkpoints, and a check of it. Without `governance` nobody may see the paths of a record. */
export function auditRoutes(
  log: AuditLog,
  governance: Pick<GovernancePort, 'permitReveal'> | undefined,
): readonly AnyRoute[] {
  const filterOf = ({ under, ...filter }: z.output<z.ZodObject<typeof filterShape>>): RecordFilter => {
    const label = under === undefined ? undefined : log.labelOf(under);
    const given = Object.entries({ ...filter, label }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given);
  };
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/audit',
      operationId: 'listAudit',
      tag,
      summary: 'Search the audit log; `under` finds what is about a directory or anything below it',
      query: listQuery,
      answers: [
        {
          status: 200,
          description: 'Records',
          schema: z.object({ records: z.array(entrySchema), nextCursor: z.string().optional() }),
        },
      ],
      errors: ['invalid_params'],
      async handle(call, { query: { order, cursor, limit, ...filter } }) {
        const from = cursor === undefined ? {} : { from: cursor };
        const { records, next } = await log.store.read({ ...filterOf(filter), order, limit, ...from });
        const page: AuditPage = {
          records: records.map(({ body }) => JSON.parse(body) as AuditEntry),
          ...(next === undefined ? {} : { nextCursor: String(next) }),
        };
        return call.json(page);
      },
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/audit/checkpoint',
      operationId: 'showAuditCheckpoint',
      tag,
      summary: 'What the log has now, signed; `from`: with a proof that the log of so many records is its beginning',
      query: z.object({ from: number.optional() }),
      answers: [
        {
          status: 200,
          description: 'The checkpoint, as C2SP has it',
          schema: z.looseObject({ origin: z.string(), size: z.int(), checkpoint: z.string(), key: z.string() }),
        },
      ],
      errors: ['invalid_params'],
      async handle(call, { query: { from } }) {
        const checkpoint = await log.checkpoint();
        const key = parseVerifier(log.publicKey);
        const read = readCheckpoint(checkpoint, key ? [key] : []);
        if (read.kind === 'malformed') throw new Error('the log signed what is no checkpoint');
        const { origin, size, root } = read.checkpoint;
        const shown = { origin, size, root: root.toString('base64'), checkpoint, key: log.publicKey };
        if (from === undefined) return call.json(shown satisfies AuditCheckpoint);
        if (from < 1 || from > size) {
          const detail = `from: the log has ${size} records, not ${from}`;
          return problemResponse(problem('invalid_params', { detail, next: `Send a number from 1 to ${size}.` }));
        }
        const proof = proofTree(await log.store.leaves(size)).consistency(from);
        const consistency = proof.map((node) => node.toString('base64'));
        return call.json({ ...shown, consistency } satisfies AuditCheckpoint);
      },
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/audit/export',
      operationId: 'exportAudit',
      tag,
      summary:
        'Export the log, with all that a check of it needs, as events of OCSF 1.9, or what policies decided by which facts',
      query: exportQuery,
      answers: [{ status: 200, description: 'The records', streams: { [JSON_LINES]: 'One JSON object a line' } }],
      errors: ['invalid_params'],
      async handle(call, { query: { format, ...filter } }) {
        return call.body(streamOf(FORMATS[format](log, filterOf(filter))), 200, { 'content-type': JSON_LINES });
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/audit/verify',
      operationId: 'verifyAudit',
      tag,
      summary: 'Check the whole log against its checkpoints, and those that are given',
      body: { schema: verifyBody, expected: 'a JSON object with "keys" and "checkpoints"', optional: true },
      answers: [{ status: 200, description: 'What was found', schema: verdictSchema }],
      errors: ['invalid_params'],
      async handle(call, { body }) {
        try {
          return call.json(await verifyExport(exportLines(log), body));
        } catch (error) {
          if (!(error instanceof UnverifiableError)) throw error;
          return problemResponse(problem('invalid_params', { detail: error.message }));
        }
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/audit/{seq}/reveal',
      operationId: 'revealAuditPaths',
      tag,
      summary: 'Show the paths of a record in the clear, where policies let the caller; that is recorded first',
      parameters: { seq: 'Number of a record' },
      answers: [
        {
          status: 200,
          description: 'The paths, by their labels',
          schema: z.object({ paths: z.array(z.object({ label: z.string(), path: z.string() })) }),
        },
      ],
      errors: ['not_found', 'conflict', 'forbidden'],
      async handle(call) {
        const seq = parseEventSeq(call.req.param('seq'));
        const actor = actorOf(call);
        const permit = async (session: string | undefined): Promise<RevealVerdict> =>
          governance === undefined ? NOBODY : governance.permitReveal(session, actor);
        const result = seq === undefined ? undefined : await log.reveal(seq, actor.label, permit);
        switch (result?.kind) {
          case 'revealed':
            return call.json({ paths: result.paths });
          case 'refused': {
            const { reason, next, policies, policyHash } = result;
            return problemResponse(
              problem('forbidden', { detail: reason, next, data: { policies: [...policies], policyHash } }),
            );
          }
          case 'no-paths':
            return notFound('the record is about no path', 'Look at "places" of the record first.');
          case 'destroyed': {
            const detail = 'the key of the paths of this record was destroyed: they cannot be read any more';
            return problemResponse(problem('conflict', { detail, next: 'Search by label: labels stay.' }));
          }
          default:
            return notFound('there is no such record', 'GET /v1/audit lists those that there are.');
        }
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/audit/keys/rotate',
      operationId: 'rotateAuditKey',
      tag,
      summary: 'Sign with a new key from now on; the old one signs that, and is gone',
      answers: [{ status: 200, description: 'The new public key', schema: z.object({ key: z.string() }) }],
      async handle(call) {
        return call.json({ key: await log.rotateKey(callerOf(call)) });
      },
    }),
  ];
}

/** Lines as they are asked for: a slow reader holds the log's reading, not its writing. */
function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = '';
      while (text.length < CHUNK_CHARS) {
        const { value, done } = await lines.next();
        if (done) {
          if (text !== '') controller.enqueue(Buffer.from(text));
          controller.close();
          return;
        }
        text += `${value}\n`;
      }
      controller.enqueue(Buffer.from(text));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
}
