import type { FakeAgentFlags } from './flags.ts';
import { invalidParams } from './rpc-error.ts';
import type { SessionState } from './session-store.ts';

const modes = ['ask', 'code', 'plan'];
const models = ['fake-small', 'fake-large'];
const configOptions = [
  { id: 'model', name: 'Model', category: 'model', values: models },
  { id: 'thinking', name: 'Thinking', category: 'thought_level', values: ['low', 'high'] },
  { id: 'permissions', name: 'Permissions', category: 'mode', values: ['ask', 'trust'] },
];

export const initialSettings = {
  modeId: 'ask',
  modelId: 'fake-small',
  config: { model: 'fake-small', thinking: 'low', permissions: 'ask', fast: false },
} as const;

const named = (id: string): string => id.replace(/^./, (first) => first.toUpperCase());

/** The settings part of the results of `session/new`, `load`, `resume` and `fork`, as far as the flags offer them. */
export function settingsResult(flags: FakeAgentFlags, state: SessionState): object {
  return {
    ...(flags.modes
      ? { modes: { currentModeId: state.modeId, availableModes: modes.map((id) => ({ id, name: named(id) })) } }
      : {}),
    ...(flags.models
      ? {
          models: {
            currentModelId: state.modelId,
            availableModels: models.map((modelId) => ({ modelId, name: named(modelId) })),
          },
        }
      : {}),
    ...(flags.configOptions ? { configOptions: configOptionsResult(flags, state) } : {}),
  };
}

export function configOptionsResult(flags: FakeAgentFlags, state: SessionState): object[] {
  const selects = configOptions.map(({ id, name, category, values }) => ({
    id,
    name,
    category,
    type: 'select',
    currentValue: state.config[id],
    options: values.map((value) => ({ value, name: named(value) })),
  }));
  const fast = { id: 'fast', name: 'Fast', type: 'boolean', currentValue: state.config.fast };
  return flags.booleanOption ? [...selects, fast] : selects;
}

export function withMode(state: SessionState, modeId: unknown): SessionState {
  return { ...state, modeId: oneOf(modes, modeId, 'modeId') };
}

export function withModel(state: SessionState, modelId: unknown): SessionState {
  return { ...state, modelId: oneOf(models, modelId, 'modelId') };
}

export function withConfigOption(state: SessionState, configId: unknown, value: unknown): SessionState {
  if (configId === 'fast' && typeof value === 'boolean') {
    return { ...state, config: { ...state.config, fast: value } };
  }
  const option = configOptions.find(({ id }) => id === configId);
  if (option === undefined)
    throw invalidParams({ configId: `Invalid option: expected one of ${list(configOptions.map(({ id }) => id))}` });
  return { ...state, config: { ...state.config, [option.id]: oneOf(option.values, value, 'value') } };
}

function oneOf(values: readonly string[], value: unknown, field: string): string {
  if (typeof value === 'string' && values.includes(value)) return value;
  throw invalidParams({ [field]: `Invalid option: expected one of ${list(values)}` });
}

function list(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join('|');
}
