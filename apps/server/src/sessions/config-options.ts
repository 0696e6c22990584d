import { isObject, type JsonObject, META_KEY } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import { versionOf } from '../agents/acp-version.ts';
import type { SetupState } from './setup-state.ts';

/** A value that may be chosen: a model, a mode, a value of a config option. */
export interface Offered {
  readonly value: string;
  readonly name: string | undefined;
}

/** The config options of a setup, as the agent gave them (ACP, session config options). */
export function optionsOf(setup: SetupState): readonly JsonObject[] {
  return list(setup.configOptions);
}

/** What a config option is set by: its `id` in ACP v1, its `configId` in v2. */
export function idOfOption({ id, configId }: JsonObject): unknown {
  return id ?? configId;
}

/** The params that set a config option, but for the session's id: v2 has every value with its type (ACP v2, `SetSessionConfigOptionRequest`). */
export function settingOf(option: JsonObject, value: unknown): JsonObject {
  const type = typeof value === 'boolean' ? 'boolean' : option.id === undefined ? 'id' : undefined;
  return { configId: idOfOption(option), value, ...(type === undefined ? {} : { type }) };
}

/** The values of a select option, groups opened; none for any other option. */
export function offeredBy(option: JsonObject): readonly Offered[] {
  return list(option.options)
    .flatMap((entry) => (Array.isArray(entry.options) ? list(entry.options) : [entry]))
    .flatMap((entry) => offered(entry.value, entry.name));
}

/** The modes of a setup; undefined where the agent has no modes (ACP, session modes). */
export function modesOf(setup: SetupState): readonly Offered[] | undefined {
  if (!isObject(setup.modes)) return undefined;
  return list(setup.modes.availableModes).flatMap(({ id, name }) => offered(id, name));
}

/** The models of a setup; undefined where the agent has no `models` state (older agents have it instead of a config option). */
export function modelsOf(setup: SetupState): readonly Offered[] | undefined {
  if (!isObject(setup.models)) return undefined;
  return list(setup.models.availableModels).flatMap(({ modelId, name }) => offered(modelId, name));
}

/**
 * The config option that moves the same switch as the modes (or the models) of a setup: it has the category and just the same
 * values. Some agents offer both, for clients of either kind.
 */
export function twinOf(setup: SetupState, kind: 'mode' | 'model'): JsonObject | undefined {
  const offered = kind === 'mode' ? modesOf(setup) : modelsOf(setup);
  if (!offered || offered.length === 0) return undefined;
  const values = offered.map(({ value }) => value).toSorted();
  return optionsOf(setup).find((option) => {
    if (option.category !== kind || typeof option.id !== 'string') return false;
    const own = offeredBy(option).map(({ value }) => value);
    return own.length === values.length && own.toSorted().every((value, index) => value === values[index]);
  });
}

/** What an agent has only as `models` or `modes`, as a config option for clients that know these. */
export interface TranslatedOption {
  readonly method: 'session/set_model' | 'session/set_mode';
  /** The parameter of the method that takes the value. */
  readonly parameter: 'modelId' | 'modeId';
  readonly option: JsonObject;
}

/** The config options that stand for `models` and `modes` where the agent has no option of that category. */
export function translatedOptions(setup: SetupState): readonly TranslatedOption[] {
  const own = optionsOf(setup);
  const found: TranslatedOption[] = [];
  const add = (
    category: 'model' | 'mode',
    method: TranslatedOption['method'],
    parameter: TranslatedOption['parameter'],
    currentValue: unknown,
    choices: readonly JsonObject[],
  ): void => {
    if (typeof currentValue !== 'string' || choices.length === 0) return;
    if (own.some((option) => option.category === category)) return;
    const id = own.some((option) => option.id === category) ? `${META_KEY}/${category}` : category;
    const name = category === 'model' ? 'Model' : 'Mode';
    found.push({
      method,
      parameter,
      option: { id, name, category, type: 'select', currentValue, options: choices },
    });
  };
  if (isObject(setup.models)) {
    const choices = list(setup.models.availableModels).flatMap((model) => choice(model.modelId, model));
    add('model', 'session/set_model', 'modelId', setup.models.currentModelId, choices);
  }
  if (isObject(setup.modes)) {
    const choices = list(setup.modes.availableModes).flatMap((mode) => choice(mode.id, mode));
    add('mode', 'session/set_mode', 'modeId', setup.modes.currentModeId, choices);
  }
  return found;
}

/** Whether a client said that it knows config options: it is shown the translated ones. */
export function knowsOptions(client: ClientProfile): boolean {
  return versionOf(client) === 2 || optionCapabilities(client.clientCapabilities) !== undefined;
}

/** Whether a client may be shown boolean options (ACP v1, `session.configOptions.boolean`; every client of v2). */
export function knowsBooleans(client: ClientProfile): boolean {
  const { clientCapabilities } = client;
  return versionOf(client) === 2 || isObject(optionCapabilities(clientCapabilities)?.boolean);
}

/** The options but for boolean ones; the same list when there are none. */
export function simpleOptions(options: readonly unknown[]): readonly unknown[] {
  return options.some(isBoolean) ? options.filter((option) => !isBoolean(option)) : options;
}

/** All options of a setup as one client is shown them; undefined when there are none to be shown. */
export function allOptions(setup: SetupState, client: ClientProfile): readonly unknown[] | undefined {
  const translated = knowsOptions(client) ? translatedOptions(setup).map(({ option }) => option) : [];
  if (!Array.isArray(setup.configOptions)) return translated.length > 0 ? translated : undefined;
  const own: readonly unknown[] = setup.configOptions;
  const all = translated.length > 0 ? [...own, ...translated] : own;
  return knowsBooleans(client) ? all : simpleOptions(all);
}

/** A setup as one client is shown it; the same object when nothing differs. */
export function shownSetup(setup: SetupState, client: ClientProfile): SetupState {
  const configOptions = allOptions(setup, client);
  return configOptions === undefined || configOptions === setup.configOptions ? setup : { ...setup, configOptions };
}

function optionCapabilities(capabilities: JsonObject): JsonObject | undefined {
  const session = isObject(capabilities.session) ? capabilities.session : {};
  return isObject(session.configOptions) ? session.configOptions : undefined;
}

function isBoolean(option: unknown): boolean {
  return isObject(option) && option.type === 'boolean';
}

function choice(value: unknown, { name, description }: JsonObject): JsonObject[] {
  if (typeof value !== 'string') return [];
  const named = { value, name: typeof name === 'string' ? name : value };
  return [typeof description === 'string' ? { ...named, description } : named];
}

function offered(value: unknown, name: unknown): Offered[] {
  return typeof value === 'string' ? [{ value, name: typeof name === 'string' ? name : undefined }] : [];
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
