import assert from 'node:assert/strict';
import type { JsonRpcPeer } from '@reeve/testkit';
import { faultsOf, foreignFields, typesOf } from '../acp-schema.ts';
import type { Cell } from './cell.ts';
import type { Check } from './check.ts';

/** They look back at all that the cell's connections have seen: they come last. */
export const schemaChecks: readonly Check[] = [
  {
    id: 'SCHEMA-001',
    level: 'M',
    holds: 'everything that was emitted is valid by schema',
    run: async (cell) => {
      const emitted = typedValues(cell);
      assert.ok(emitted.length > 50, `${emitted.length} messages`);
      const faults = emitted.map(([type, value]) => faultsOf(type, value));
      assert.deepEqual(
        faults.filter((fault) => fault !== undefined),
        [],
      );
    },
  },
  {
    id: 'SCHEMA-002',
    level: 'A',
    holds: 'no type of ACP has a field at its root that the schema does not know',
    run: async (cell) => {
      const foreign = typedValues(cell).flatMap(([type, value]) =>
        foreignFields(type, Object(value)).map((name) => `${type}.${name}`),
      );
      assert.deepEqual([...new Set(foreign)], []);
    },
  },
];

type TypedValue = readonly [type: string, value: unknown];

/** What of the incoming messages has a type in ACP v1. */
function typedValues({ wires }: Cell): TypedValue[] {
  return wires.flatMap(({ peer }) => typedOf(peer));
}

function typedOf({ log }: JsonRpcPeer): TypedValue[] {
  const methods = new Map<unknown, string>();
  return log.flatMap(({ direction, message }): TypedValue[] => {
    if (message === undefined) return [];
    const { id, method } = message;
    if (direction === 'out') {
      if (typeof method === 'string' && id !== undefined) methods.set(id, method);
      return [];
    }
    if (method === 'session/update') {
      const { update } = Object(message.params) as { update?: unknown };
      return [
        ['SessionNotification', message.params],
        ['SessionUpdate', update],
      ];
    }
    const { params, result } = typesOf(String(method ?? methods.get(id)));
    if (method !== undefined) return params === undefined ? [] : [[params, message.params]];
    if ('error' in message) return [['Error', message.error]];
    return result === undefined ? [] : [[result, message.result]];
  });
}
