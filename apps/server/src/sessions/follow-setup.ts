import { isObject, type JsonObject } from '@reeve/protocol';
import { idOfOption, settingOf, twinOf } from './config-options.ts';
import type { SetupState } from './setup-state.ts';

/** The state after a `session/new`, `load` or `resume` result. What a result leaves out stays as it was. */
export function setupFromResult(before: SetupState, result: unknown): SetupState {
  if (!isObject(result)) return before;
  const { sessionId: _id, _meta, ...members } = result;
  const known = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(known) };
}

/** The state after a `session/update` (ACP, session modes and session config options). */
export function setupAfterUpdate(state: SetupState, update: JsonObject): SetupState {
  if (update.sessionUpdate === 'current_mode_update')
    return synced(state, withCurrentMode(state, update.currentModeId));
  if (update.sessionUpdate === 'config_option_update')
    return synced(state, withConfigOptions(state, update.configOptions));
  // In ACP v2 the results of new and resume have the commands too.
  if (update.sessionUpdate === 'available_commands_update' && Array.isArray(update.availableCommands)) {
    return { ...state, availableCommands: update.availableCommands };
  }
  return state;
}

/** The state after a client's request succeeded. */
export function setupAfterCommand(state: SetupState, method: string, params: unknown, result: unknown): SetupState {
  if (!isObject(params)) return state;
  if (method === 'session/set_mode') return synced(state, withCurrentMode(state, params.modeId));
  if (method === 'session/set_model') return synced(state, withCurrentModel(state, params.modelId));
  if (method !== 'session/set_config_option') return state;
  const complete = isObject(result) ? result.configOptions : undefined;
  // An agent that answers without the list has taken the value all the same.
  if (!Array.isArray(complete)) return synced(state, withOption(state, params.configId, params.value));
  return synced(state, withConfigOptions(state, complete));
}

/** A request that brings a fresh agent session to what was chosen before. */
export interface SetupCall {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * What must be set again after a restore: what is chosen in `wanted` and not in `fresh`, if that offers it or says nothing of it. The
 * model first, since other options may depend on it: look again after each answer.
 */
export function setupCalls(wanted: SetupState, fresh: SetupState): readonly SetupCall[] {
  const calls: SetupCall[] = [];
  const model = isObject(wanted.models) ? wanted.models.currentModelId : undefined;
  if (typeof model === 'string' && (!isObject(fresh.models) || fresh.models.currentModelId !== model)) {
    calls.push({ method: 'session/set_model', params: { modelId: model } });
  }
  const mode = isObject(wanted.modes) ? wanted.modes.currentModeId : undefined;
  if (typeof mode === 'string' && (!isObject(fresh.modes) || fresh.modes.currentModeId !== mode)) {
    const offered = isObject(fresh.modes) ? list(fresh.modes.availableModes) : undefined;
    if (!offered || offered.some(({ id }) => id === mode)) {
      calls.push({ method: 'session/set_mode', params: { modeId: mode } });
    }
  }
  const options = Array.isArray(fresh.configOptions) ? list(fresh.configOptions) : undefined;
  const models = list(wanted.configOptions).filter(({ category }) => category === 'model');
  for (const option of [...models, ...list(wanted.configOptions).filter((other) => !models.includes(other))]) {
    const now = options?.find((other) => idOfOption(other) === idOfOption(option));
    if (option.currentValue === undefined || (options && (!now || now.currentValue === option.currentValue))) continue;
    calls.push({ method: 'session/set_config_option', params: settingOf(option, option.currentValue) });
  }
  return calls;
}

function withCurrentMode(state: SetupState, modeId: unknown): SetupState {
  if (typeof modeId !== 'string' || !isObject(state.modes) || state.modes.currentModeId === modeId) return state;
  return { ...state, modes: { ...state.modes, currentModeId: modeId } };
}

function withCurrentModel(state: SetupState, modelId: unknown): SetupState {
  if (typeof modelId !== 'string' || !isObject(state.models) || state.models.currentModelId === modelId) return state;
  return { ...state, models: { ...state.models, currentModelId: modelId } };
}

function withOption(state: SetupState, id: unknown, currentValue: unknown): SetupState {
  const options = state.configOptions;
  if (!Array.isArray(options) || currentValue === undefined) return state;
  const changed = (option: unknown): boolean =>
    isObject(option) && idOfOption(option) === id && option.currentValue !== currentValue;
  if (!options.some(changed)) return state;
  return {
    ...state,
    configOptions: options.map((option: unknown) =>
      changed(option) ? { ...(option as object), currentValue } : option,
    ),
  };
}

/** Where modes (or models) and an option move the same switch, whichever moved takes the other along. */
function synced(before: SetupState, after: SetupState): SetupState {
  if (after === before) return after;
  const currentMode = (state: SetupState): unknown => (isObject(state.modes) ? state.modes.currentModeId : undefined);
  const currentModel = (state: SetupState): unknown =>
    isObject(state.models) ? state.models.currentModelId : undefined;
  let state = after;
  for (const [kind, current, withCurrent] of [
    ['mode', currentMode, withCurrentMode],
    ['model', currentModel, withCurrentModel],
  ] as const) {
    const twin = twinOf(state, kind);
    const now = current(state);
    if (!twin || twin.currentValue === now) continue;
    state = now === current(before) ? withCurrent(state, twin.currentValue) : withOption(state, twin.id, now);
  }
  return state;
}

function withConfigOptions(state: SetupState, configOptions: unknown): SetupState {
  return Array.isArray(configOptions) ? { ...state, configOptions } : state;
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
