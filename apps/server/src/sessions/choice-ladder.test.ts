import { CHOICES } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { applyChoices, callWithin, type SetupHolder } from './apply-choices.ts';
import { ladderOf } from './choice-ladder.ts';

const select = (id: string, values: readonly string[], more: object = {}) => ({
  id,
  name: id,
  type: 'select',
  currentValue: values[0],
  options: values.map((value) => ({ value, name: `The ${value}` })),
  ...more,
});
const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'code', name: 'Write code' },
  ],
};
const models = {
  currentModelId: 's',
  availableModels: [
    { modelId: 's', name: 'Small' },
    { modelId: 'l', name: 'Large' },
  ],
};

const rungs = (...args: Parameters<typeof ladderOf>) => ladderOf(...args).steps.map(({ rung, value }) => [rung, value]);

describe('the ladder of a choice', () => {
  it('prefers an option of the category to the older method', () => {
    const setup = { models, configOptions: [select('m', ['l', 'x'], { category: 'model' })] };
    expect(rungs('model', 'l', setup)).toEqual([
      ['config_option', 'l'],
      ['set_model', 'l'],
    ]);
    expect(rungs('model', 's', setup)).toEqual([['set_model', 's']]);
    expect(rungs('model', 'l', { models })).toEqual([['set_model', 'l']]);
    expect(ladderOf('model', 'none', setup)).toEqual({ steps: [], available: ['l', 'x', 's'] });
  });

  it('prefers the mode method to an option for an agent mode, and the option for a permission mode', () => {
    const setup = { modes, configOptions: [select('p', ['code', 'trust'], { category: 'mode' })] };
    expect(rungs('agentMode', 'code', setup)).toEqual([
      ['set_mode', 'code'],
      ['config_option', 'code'],
    ]);
    expect(rungs('permissionMode', 'code', setup)).toEqual([
      ['config_option', 'code'],
      ['set_mode', 'code'],
    ]);
    expect(rungs('permissionMode', 'trust', setup)).toEqual([['config_option', 'trust']]);
  });

  it('knows a custom option by its id or name, if it has the value, and none of another standard category', () => {
    const effort = select('x', ['low', 'high'], { name: 'Reasoning effort', category: '_vendor' });
    const policy = select('approval_policy', ['never', 'always']);
    const other = select('effort-model', ['high'], { category: 'model' });
    const setup = { configOptions: [other, effort, policy] };
    expect(ladderOf('variant', 'high', setup).steps.map(({ params }) => params)).toEqual([
      { configId: 'x', value: 'high' },
    ]);
    expect(rungs('variant', 'extreme', setup)).toEqual([]);
    expect(rungs('permissionMode', 'never', setup)).toEqual([['config_option', 'never']]);
  });

  it('finds a value by its id before its name, a name in any case, and values in groups', () => {
    const confusing = {
      ...modes,
      availableModes: [
        { id: 'a', name: 'b' },
        { id: 'b', name: 'a' },
      ],
    };
    expect(rungs('agentMode', 'b', { modes: confusing })).toEqual([['set_mode', 'b']]);
    expect(rungs('agentMode', 'WRITE CODE', { modes })).toEqual([['set_mode', 'code']]);
    const options = [{ group: 'g', name: 'G', options: [{ value: 'deep', name: 'Deep' }] }];
    const grouped = select('m', [], { category: 'model', options, currentValue: 'none' });
    expect(rungs('model', 'deep', { configOptions: [grouped] })).toEqual([['config_option', 'deep']]);
  });

  it('asks for nothing that is chosen already', () => {
    expect(ladderOf('agentMode', 'ask', { modes }).steps).toMatchObject([{ done: true }]);
  });

  it('takes whatever an agent says without failing', () => {
    const odd: unknown[] = [null, undefined, 5, 'x', [], {}, [null, 5, 'x', [], {}]];
    const shapes = odd.flatMap((it) => [
      { modes: it, models: it, configOptions: it },
      { modes: { currentModeId: it, availableModes: it } },
      { models: { currentModelId: it, availableModels: it } },
      { configOptions: [{ id: it, name: it, type: 'select', category: 'model', currentValue: it, options: it }] },
      {
        configOptions: [
          { id: 'a', type: 'select', category: 'mode', options: [{ options: it }, { value: it, name: it }] },
        ],
      },
    ]);
    for (const setup of shapes) {
      for (const choice of CHOICES) expect(ladderOf(choice, 'x', setup).available).toBeInstanceOf(Array);
    }
  });
});

describe('choices that are applied', () => {
  it('see the setup after the choice before: a variant that only the new model has', async () => {
    const model = select('model', ['a', 'b'], { category: 'model' });
    const effort = select('effort', ['low', 'high'], { category: 'thought_level' });
    const holder: SetupHolder = { setup: { configOptions: [model] } };
    const asked: unknown[] = [];
    const applied = await applyChoices({ variant: 'high', model: 'b' }, holder, async (method, params) => {
      asked.push([method, params]);
      const configOptions = [
        { ...model, currentValue: 'b' },
        params.configId === 'effort' ? { ...effort, currentValue: 'high' } : effort,
      ];
      return { kind: 'result', result: { configOptions }, raw: Buffer.alloc(0) };
    });
    expect(asked).toEqual([
      ['session/set_config_option', { configId: 'model', value: 'b' }],
      ['session/set_config_option', { configId: 'effort', value: 'high' }],
    ]);
    expect(applied).toMatchObject({ model: { rung: 'config_option' }, variant: { rung: 'config_option' } });
    expect(holder.setup).toMatchObject({ configOptions: [{ currentValue: 'b' }, { currentValue: 'high' }] });
  });

  it('ask nothing more of an agent that was silent for too long', async () => {
    const asked: string[] = [];
    const silent = {
      call: (method: string) => {
        asked.push(method);
        return new Promise(() => {});
      },
    } as unknown as AgentConnection;
    const holder: SetupHolder = { setup: { models, modes } };
    const applied = await applyChoices({ model: 'l', agentMode: 'code' }, holder, callWithin(silent, 's', 10));
    expect(asked).toEqual(['session/set_model']);
    expect(applied).toMatchObject({ model: { rung: 'hint' }, agentMode: { rung: 'hint' } });
    expect(holder.setup).toEqual({ models, modes });
  });

  it('are hints where the agent answers too late or is gone, and say so', async () => {
    const exit = { code: 1, signal: null } as never;
    for (const [reply, error] of [
      ['late', 'no answer in time'],
      [{ kind: 'gone', exit }, 'the agent process ended'],
    ] as const) {
      const applied = await applyChoices({ model: 'l' }, { setup: { models } }, async () => reply);
      expect(applied.model).toMatchObject({ rung: 'hint', failures: [{ rung: 'set_model', error }] });
    }
  });
});
