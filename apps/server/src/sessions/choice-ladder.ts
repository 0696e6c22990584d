import type { Choice, JsonObject } from '@reeve/protocol';
import {
  idOfOption,
  modelsOf,
  modesOf,
  type Offered,
  offeredBy,
  optionsOf,
  settingOf,
  twinOf,
} from './config-options.ts';
import type { SetupState } from './setup-state.ts';

/** How a choice reached an agent: by a request of ACP, or only as a hint in `_meta` that the agent may read. */
export type Rung = 'config_option' | 'set_model' | 'set_mode' | 'hint';

/** One request that would make the choice. */
export interface LadderStep {
  readonly rung: Exclude<Rung, 'hint'>;
  readonly method: string;
  readonly params: JsonObject;
  /** The agent's own name of what was chosen. */
  readonly value: string;
  /** What it moves: two choices may move the same. */
  readonly knob: string;
  /** It is chosen already. */
  readonly done: boolean;
}

export interface Ladder {
  /** In the order in which they are tried; empty when the agent offers no such value. */
  readonly steps: readonly LadderStep[];
  /** Every value that one of the rungs offers. */
  readonly available: readonly string[];
}

interface Place {
  readonly rung: LadderStep['rung'];
  readonly knob: string;
  readonly offered: readonly Offered[];
  readonly current: unknown;
  readonly request: (value: string) => { readonly method: string; readonly params: JsonObject };
}

/** Custom options that mean a variant or the permissions, by id or name. */
const VARIANT = /variant|effort|reason|think|thought/i;
const PERMISSION = /permission|approval|sandbox|access/i;

/**
 * How a choice can be brought to an agent (extension strategy: a config option of the category, else the agent's own older
 * method, else a hint). A value is found by its id, else by its name in any case.
 */
export function ladderOf(choice: Choice, requested: string, setup: SetupState): Ladder {
  const places = placesOf(choice, setup);
  const steps = places.flatMap(({ rung, knob, offered, current, request }): LadderStep[] => {
    const value = find(offered, requested);
    return value === undefined ? [] : [{ rung, knob, value, done: current === value, ...request(value) }];
  });
  return { steps, available: [...new Set(places.flatMap(({ offered }) => offered.map(({ value }) => value)))] };
}

function placesOf(choice: Choice, setup: SetupState): readonly Place[] {
  const options = optionsOf(setup);
  const category = (name: string): Place[] => options.filter((option) => option.category === name).flatMap(optionPlace);
  const custom = (pattern: RegExp): Place[] =>
    options
      .filter(({ category: known }) => !isStandard(known))
      .filter((option) => matches(pattern, idOfOption(option)) || matches(pattern, option.name))
      .flatMap(optionPlace);
  switch (choice) {
    case 'model':
      return [...category('model'), ...custom(/^model$/i), ...modelPlace(setup)];
    case 'variant':
      return [...category('thought_level'), ...custom(VARIANT)];
    case 'agentMode':
      return [...modePlace(setup), ...category('mode')];
    case 'permissionMode':
      return [...category('mode'), ...custom(PERMISSION), ...modePlace(setup)];
  }
}

function optionPlace(option: JsonObject): Place[] {
  const { currentValue: current } = option;
  const configId = idOfOption(option);
  if (typeof configId !== 'string' || option.type !== 'select') return [];
  const request: Place['request'] = (value) => ({
    method: 'session/set_config_option',
    params: settingOf(option, value),
  });
  return [{ rung: 'config_option', knob: `option ${configId}`, offered: offeredBy(option), current, request }];
}

function modelPlace(setup: SetupState): Place[] {
  const offered = modelsOf(setup);
  if (!offered) return [];
  const current = (setup.models as JsonObject).currentModelId;
  const request: Place['request'] = (modelId) => ({ method: 'session/set_model', params: { modelId } });
  return [{ rung: 'set_model', knob: twinKnob(setup, 'model') ?? 'models', offered, current, request }];
}

function modePlace(setup: SetupState): Place[] {
  const offered = modesOf(setup);
  if (!offered) return [];
  const current = (setup.modes as JsonObject).currentModeId;
  const request: Place['request'] = (modeId) => ({ method: 'session/set_mode', params: { modeId } });
  return [{ rung: 'set_mode', knob: twinKnob(setup, 'mode') ?? 'modes', offered, current, request }];
}

function twinKnob(setup: SetupState, kind: 'mode' | 'model'): string | undefined {
  const twin = twinOf(setup, kind);
  return twin && `option ${String(twin.id)}`;
}

/** Categories whose meaning ACP fixes: an option of one of them means nothing else. */
function isStandard(category: unknown): boolean {
  return category === 'mode' || category === 'model' || category === 'thought_level';
}

function matches(pattern: RegExp, text: unknown): boolean {
  return typeof text === 'string' && pattern.test(text);
}

function find(offered: readonly Offered[], requested: string): string | undefined {
  const wanted = requested.toLowerCase();
  const byName = offered.find(({ name }) => name?.toLowerCase() === wanted);
  return (offered.find(({ value }) => value === requested) ?? byName)?.value;
}
