import assert from 'node:assert/strict';
import { faultsOf } from '../acp-schema.ts';
import type { ConfigOption } from './cell.ts';
import type { Check } from './check.ts';

export const settingsChecks: readonly Check[] = [
  {
    id: 'MODES-001',
    level: 'C',
    holds: 'currentModeId is among the available',
    applies: (cell) => cell.hasModes,
    run: async ({ session }) => {
      const { modes } = await session();
      assert.ok(modes?.availableModes.some(({ id }) => id === modes.currentModeId));
    },
  },
  {
    id: 'MODES-002',
    level: 'C',
    holds: 'set_mode works; current_mode_update has currentModeId',
    applies: (cell) => cell.hasModes,
    run: async ({ peer, session }) => {
      const { sessionId, modes } = await session();
      const before = modes?.currentModeId ?? '';
      for (const modeId of [...(modes?.availableModes ?? []).map(({ id }) => id).slice(0, 2), before]) {
        const result = await peer.request('session/set_mode', { sessionId, modeId });
        assert.equal(faultsOf('SetSessionModeResponse', result), undefined);
      }
      const told = peer.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate === 'current_mode_update');
      for (const update of told) {
        assert.ok(
          modes?.availableModes.some(({ id }) => id === update.currentModeId),
          JSON.stringify(update),
        );
      }
    },
  },
  {
    id: 'CONFIG-001',
    level: 'C',
    holds: 'currentValue is valid',
    applies: (cell) => cell.hasOptions,
    run: async ({ session }) => {
      for (const option of (await session()).configOptions ?? []) assertValid(option);
    },
  },
  {
    id: 'CONFIG-002',
    level: 'C',
    holds: 'set answers with the complete list',
    applies: (cell) => cell.hasOptions,
    run: async (cell) => {
      const { sessionId, configOptions = [] } = await cell.session();
      const option = configOptions.find(({ type }) => type === 'select');
      const value = (option && valuesOf(option).find((it) => it !== option.currentValue)) ?? option?.currentValue;
      for (const next of [value, option?.currentValue]) {
        const params = { sessionId, configId: option?.id, value: next };
        const result = await cell.peer.request<{ configOptions: ConfigOption[] }>('session/set_config_option', params);
        assert.equal(faultsOf('SetSessionConfigOptionResponse', result), undefined);
        assert.equal(result.configOptions.find(({ id }) => id === option?.id)?.currentValue, next);
        for (const given of result.configOptions) assertValid(given);
      }
    },
  },
  {
    id: 'CONFIG-003',
    level: 'M',
    holds: 'no boolean option unless the client has session.configOptions.boolean',
    run: async ({ peer, session }) => {
      const { sessionId, configOptions = [] } = await session();
      const told = peer.updates(sessionId).flatMap((update) => (update.configOptions ?? []) as ConfigOption[]);
      assert.deepEqual(
        [...configOptions, ...told].filter(({ type }) => type === 'boolean'),
        [],
      );
    },
  },
];

function valuesOf({ options = [] }: ConfigOption): string[] {
  return options.flatMap(({ value, options: inner = [] }) =>
    value === undefined ? inner.map((it) => it.value) : [value],
  );
}

function assertValid(option: ConfigOption): void {
  assert.equal(faultsOf('SessionConfigOption', option), undefined);
  if (option.type === 'select') assert.ok(valuesOf(option).includes(String(option.currentValue)), option.id);
}
