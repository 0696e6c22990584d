import { isObject, type JsonObject } from '@reeve/protocol';

/**
 * What the agent's `session/new` result said beside the id (modes, configOptions, models and what else there was), kept up to date, so
 * that load and resume can give it even where the agent gives it only once. Pure: each function answers the new state, or the same object
 * when nothing changed.
 */
export type SetupState = { readonly [member: string]: unknown };

/** The state after a `session/new`, `load` or `resume` result. What a result leaves out stays as it was. */
export function setupFromResult(before: SetupState, result: unknown): SetupState {
  if (!isObject(result)) return before;
  const { sessionId: _id, _meta, ...members } = result;
  const known = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(known) };
}

/** The state after a `session/update` (ACP, session modes and session config options). */
export function setupAfterUpdate(state: SetupState, update: JsonObject): SetupState {
  if (update.sessionUpdate === 'current_mode_update') return withCurrentMode(state, update.currentModeId);
  if (update.sessionUpdate === 'config_option_update') return withConfigOptions(state, update.configOptions);
  return state;
}

/** The state after a client's request succeeded. */
export function setupAfterCommand(state: SetupState, method: string, params: unknown, result: unknown): SetupState {
  if (!isObject(params)) return state;
  if (method === 'session/set_mode') return withCurrentMode(state, params.modeId);
  if (method === 'session/set_config_option')
    return withConfigOptions(state, isObject(result) ? result.configOptions : undefined);
  if (method === 'session/set_model' && isObject(state.models) && typeof params.modelId === 'string') {
    return { ...state, models: { ...state.models, currentModelId: params.modelId } };
  }
  return state;
}

/** A request that brings a fresh agent session to what was chosen before. */
export interface SetupCall {
  readonly method: string;
  readonly params: JsonObject;
}

/** What must be set again after a restore: what is chosen in `wanted`, offered by `fresh` and not chosen there. */
export function setupCalls(wanted: SetupState, fresh: SetupState): readonly SetupCall[] {
  const calls: SetupCall[] = [];
  const mode = isObject(wanted.modes) ? wanted.modes.currentModeId : undefined;
  if (typeof mode === 'string' && isObject(fresh.modes) && fresh.modes.currentModeId !== mode) {
    if (list(fresh.modes.availableModes).some((offered) => offered.id === mode)) {
      calls.push({ method: 'session/set_mode', params: { modeId: mode } });
    }
  }
  const options = list(fresh.configOptions);
  for (const option of list(wanted.configOptions)) {
    const now = options.find((offered) => offered.id === option.id);
    if (!now || now.currentValue === option.currentValue || option.currentValue === undefined) continue;
    calls.push({ method: 'session/set_config_option', params: configParams(option) });
  }
  const model = isObject(wanted.models) ? wanted.models.currentModelId : undefined;
  if (typeof model === 'string' && isObject(fresh.models) && fresh.models.currentModelId !== model) {
    calls.push({ method: 'session/set_model', params: { modelId: model } });
  }
  return calls;
}

function configParams(option: JsonObject): JsonObject {
  const value = option.currentValue;
  return { configId: option.id, value, ...(typeof value === 'boolean' ? { type: 'boolean' } : {}) };
}

function withCurrentMode(state: SetupState, modeId: unknown): SetupState {
  if (typeof modeId !== 'string' || !isObject(state.modes) || state.modes.currentModeId === modeId) return state;
  return { ...state, modes: { ...state.modes, currentModeId: modeId } };
}

function withConfigOptions(state: SetupState, configOptions: unknown): SetupState {
  return Array.isArray(configOptions) ? { ...state, configOptions } : state;
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
