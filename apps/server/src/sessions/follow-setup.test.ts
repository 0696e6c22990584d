import { describe, expect, it } from 'vitest';
import { setupAfterCommand, setupAfterUpdate, setupCalls, setupFromResult } from './follow-setup.ts';

const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask' }, { id: 'code' }] };
const option = (id: string, currentValue: unknown) => ({ id, name: id, type: 'select', currentValue });

describe('what is kept of a session’s setup', () => {
  it('is the result of session/new without the id and _meta, unknown members included', () => {
    const result = { sessionId: 's', modes, configOptions: [], novelty: { a: 1 }, models: null, _meta: { x: 1 } };
    expect(setupFromResult({}, result)).toEqual({ modes, configOptions: [], novelty: { a: 1 } });
    expect(setupFromResult({ modes, old: 1 }, { modes: null, configOptions: [1] })).toEqual({
      modes,
      old: 1,
      configOptions: [1],
    });
    for (const odd of [null, undefined, 5, []]) expect(setupFromResult({ modes }, odd)).toEqual({ modes });
  });

  it('follows updates and the requests of clients; whatever says nothing new leaves the same object', () => {
    const state = { modes, models: { currentModelId: 'a' }, configOptions: [option('x', 1)] };
    expect(
      setupAfterUpdate(state, { sessionUpdate: 'current_mode_update', currentModeId: 'code' }).modes,
    ).toMatchObject({
      currentModeId: 'code',
    });
    expect(setupAfterUpdate(state, { sessionUpdate: 'config_option_update', configOptions: [] }).configOptions).toEqual(
      [],
    );
    expect(setupAfterCommand(state, 'session/set_model', { modelId: 'b' }, {}).models).toEqual({ currentModelId: 'b' });
    expect(setupAfterCommand(state, 'session/set_mode', { modeId: 'code' }, {}).modes).toMatchObject({
      currentModeId: 'code',
    });
    const options = [option('x', 2)];
    expect(
      setupAfterCommand(state, 'session/set_config_option', { configId: 'x' }, { configOptions: options }),
    ).toEqual({
      ...state,
      configOptions: options,
    });
    expect(setupAfterUpdate(state, { sessionUpdate: 'current_mode_update', currentModeId: 'ask' })).toBe(state);
    expect(setupAfterUpdate(state, { sessionUpdate: 'current_mode_update', currentModeId: 7 })).toBe(state);
    expect(setupAfterUpdate(state, { sessionUpdate: 'agent_message_chunk' })).toBe(state);
    expect(setupAfterCommand(state, 'session/set_config_option', {}, {})).toBe(state);
    expect(setupAfterCommand(state, 'session/set_mode', null, {})).toBe(state);
    expect(setupAfterUpdate({}, { sessionUpdate: 'current_mode_update', currentModeId: 'code' })).toEqual({});
  });

  it('is set again after a restore where it differs and is offered', () => {
    const fresh = {
      modes,
      models: { currentModelId: 'a' },
      configOptions: [option('x', 1), option('flag', false), option('same', 3)],
    };
    const wanted = {
      modes: { ...modes, currentModeId: 'code' },
      models: { currentModelId: 'b' },
      configOptions: [option('x', 2), option('flag', true), option('same', 3), option('gone', 4)],
    };
    expect(setupCalls(wanted, fresh)).toEqual([
      { method: 'session/set_model', params: { modelId: 'b' } },
      { method: 'session/set_mode', params: { modeId: 'code' } },
      { method: 'session/set_config_option', params: { configId: 'x', value: 2 } },
      { method: 'session/set_config_option', params: { configId: 'flag', value: true, type: 'boolean' } },
    ]);
    expect(setupCalls(fresh, fresh)).toEqual([]);
    expect(setupCalls({ modes: { currentModeId: 'lost' } }, fresh)).toEqual([]);
  });

  it('is set again, the model first, where a fresh agent says nothing of it', () => {
    const level = { ...option('level', 'high'), category: 'thought_level' };
    const model = { ...option('model', 'b'), category: 'model' };
    expect(setupCalls({ modes, configOptions: [level, model] }, {})).toEqual([
      { method: 'session/set_mode', params: { modeId: 'ask' } },
      { method: 'session/set_config_option', params: { configId: 'model', value: 'b' } },
      { method: 'session/set_config_option', params: { configId: 'level', value: 'high' } },
    ]);
    expect(setupCalls({ modes, configOptions: [level] }, { modes, configOptions: [] })).toEqual([]);
  });

  it('moves modes and an option of just the same values together, and no option of other values', () => {
    const values = [{ value: 'ask' }, { value: 'code' }];
    const twin = { id: 'mode', category: 'mode', type: 'select', currentValue: 'ask', options: values };
    const state = { modes, configOptions: [twin] };
    const coded = { modes: { currentModeId: 'code' }, configOptions: [{ currentValue: 'code' }] };
    expect(setupAfterCommand(state, 'session/set_mode', { modeId: 'code' }, {})).toMatchObject(coded);
    const answer = { configOptions: [{ ...twin, currentValue: 'code' }] };
    expect(setupAfterCommand(state, 'session/set_config_option', {}, answer)).toMatchObject(coded);
    expect(setupAfterUpdate(state, { sessionUpdate: 'current_mode_update', currentModeId: 'code' })).toMatchObject(
      coded,
    );
    const other = { ...twin, options: [...values, { value: 'trust' }] };
    expect(
      setupAfterCommand({ modes, configOptions: [other] }, 'session/set_mode', { modeId: 'code' }, {}),
    ).toMatchObject({
      configOptions: [{ currentValue: 'ask' }],
    });
  });

  it('knows the value that an agent took without a list', () => {
    const state = { configOptions: [option('x', 1), option('y', 1)] };
    expect(setupAfterCommand(state, 'session/set_config_option', { configId: 'y', value: 2 }, {})).toEqual({
      configOptions: [option('x', 1), option('y', 2)],
    });
  });
});
