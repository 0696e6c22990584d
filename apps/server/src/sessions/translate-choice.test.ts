import { describe, expect, it } from 'vitest';
import { translateChoice } from './translate-choice.ts';

const option = (id: string, category: string, values: readonly string[]) => ({
  id,
  category,
  type: 'select',
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value })),
});
const modes = { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] };
const models = { currentModelId: 'm', availableModels: [{ modelId: 'm', name: 'M' }] };

describe('a choice of a client', () => {
  it('goes as it came to an agent that knows the request', () => {
    const setup = { modes, models, configOptions: [option('o', 'model', ['m']), option('p', 'mode', ['a'])] };
    expect(translateChoice(setup, 'session/set_model', { modelId: 'm' })).toBeUndefined();
    expect(translateChoice(setup, 'session/set_mode', { modeId: 'a' })).toBeUndefined();
    expect(translateChoice(setup, 'session/set_config_option', { configId: 'o', value: 'm' })).toBeUndefined();
  });

  it('goes as it came where the agent has nothing in its place, so that the agent itself refuses it', () => {
    for (const setup of [{}, { configOptions: [option('x', 'thought_level', ['a'])] }]) {
      expect(translateChoice(setup, 'session/set_model', { modelId: 'm' })).toBeUndefined();
      expect(translateChoice(setup, 'session/set_mode', { modeId: 'a' })).toBeUndefined();
    }
    expect(translateChoice({ models }, 'session/set_config_option', { configId: 'mode', value: 'a' })).toBeUndefined();
    expect(translateChoice({ models }, '_other/method', { modelId: 'm' })).toBeUndefined();
  });

  it('is said in the words that the agent has; _meta and unknown members stay', () => {
    const others = { sessionId: 's', _meta: { x: 1 }, novelty: true };
    const options = {
      configOptions: [option('o', 'model', ['m']), option('p', 'mode', ['a']), option('q', 'mode', ['b'])],
    };
    expect(translateChoice(options, 'session/set_model', { ...others, modelId: 'm' })).toEqual({
      method: 'session/set_config_option',
      params: { ...others, configId: 'o', value: 'm' },
    });
    expect(translateChoice(options, 'session/set_mode', { ...others, modeId: 'b' })?.params).toMatchObject({
      configId: 'q',
    });
    expect(translateChoice(options, 'session/set_mode', { ...others, modeId: 'z' })?.params).toMatchObject({
      configId: 'p',
    });
    expect(
      translateChoice({ models }, 'session/set_config_option', {
        ...others,
        configId: 'model',
        type: 'select',
        value: 'm',
      }),
    ).toEqual({ method: 'session/set_model', params: { ...others, modelId: 'm' } });
    expect(
      translateChoice({ modes }, 'session/set_config_option', { ...others, configId: 'mode', value: 'a' }),
    ).toEqual({
      method: 'session/set_mode',
      params: { ...others, modeId: 'a' },
    });
  });

  it('by a made-up option never meets an option of the agent’s own that has its id', () => {
    const setup = { models, configOptions: [option('model', 'other', ['m'])] };
    expect(translateChoice(setup, 'session/set_config_option', { configId: 'model', value: 'm' })).toBeUndefined();
    const made = { configId: 'sandboxagent.dev/model', value: 'm' };
    expect(translateChoice(setup, 'session/set_config_option', made)?.method).toBe('session/set_model');
  });
});
