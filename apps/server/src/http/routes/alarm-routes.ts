import { type AlarmPage, type AuditEntry, parseEventSeq } from '@reeve/protocol';
import { z } from 'zod';
import type { AuditLog } from '../../audit/audit-log.ts';
import { badInput } from '../api-problems.ts';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { pageLimit } from '../page-limit.ts';

const alarmQuery = z.object({
  session: z.string().min(1, { error: 'the id of a session' }).optional(),
  cursor: z.string().optional(),
  limit: pageLimit(100),
});

const alarmSchema = z.looseObject({
  seq: z.int(),
  at: z.number(),
  kind: z.string(),
  session: z.string().optional(),
  facts: z.looseObject({}),
});

/** What servers and agents reached for and were not given, as the audit log has it. */
export function alarmRoutes(log: AuditLog): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/alarms',
      operationId: 'listAlarms',
      tag: 'Boundaries',
      summary: 'List alarms, newest first: who reached for what it was not given',
      description:
        'Records of the audit log: paths are told by their labels. `POST /v1/audit/{seq}/reveal` tells them.',
      query: alarmQuery,
      answers: [
        {
          status: 200,
          description: 'Alarms',
          schema: z.object({ alarms: z.array(alarmSchema), nextCursor: z.string().optional() }),
        },
      ],
      errors: ['invalid_params'],
      async handle(call, { query: { session, cursor, limit } }) {
        const from = cursor === undefined ? undefined : parseEventSeq(cursor);
        if (cursor !== undefined && from === undefined) {
          return badInput({ kind: 'bad', path: 'cursor', expected: 'the nextCursor of the page before' }, 'query');
        }
        const { records, next } = await log.store.read({
          kind: 'boundary.alarm',
          order: 'newest',
          limit,
          ...(session === undefined ? {} : { session }),
          ...(from === undefined ? {} : { from }),
        });
        const page: AlarmPage = {
          alarms: records.map(({ body }) => JSON.parse(body) as AuditEntry),
          ...(next === undefined ? {} : { nextCursor: String(next) }),
        };
        return call.json(page);
      },
    }),
  ];
}
