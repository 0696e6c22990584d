import { isObject, type JsonObject, memberSpan, setMember } from '@reeve/protocol';
import type { ClientPort } from './client-port.ts';
import { allOptions, offeredBy, optionsOf, translatedOptions } from './config-options.ts';
import type { SetupState } from './setup-state.ts';

/** A request as the agent has it. */
export interface TranslatedChoice {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * A client's `session/set_model`, `set_mode` or `set_config_option` in the words of an agent that has the one and not the other;
 * undefined where the agent knows the request itself, or nothing in its place.
 */
export function translateChoice(setup: SetupState, method: string, params: JsonObject): TranslatedChoice | undefined {
  switch (method) {
    case 'session/set_model':
      return isObject(setup.models) ? undefined : asOption(setup, 'model', 'modelId', params);
    case 'session/set_mode':
      return isObject(setup.modes) ? undefined : asOption(setup, 'mode', 'modeId', params);
    case 'session/set_config_option':
      return asOwnMethod(setup, params);
    default:
      return undefined;
  }
}

export interface ChoiceAnswer {
  readonly port: ClientPort;
  /** What the client sent. */
  readonly method: string;
  readonly translated: boolean;
  /** After the choice. */
  readonly setup: SetupState;
  /** The agent's response under the client's id. */
  readonly message: Buffer;
}

/**
 * What the client is answered: to `session/set_config_option` the complete list of what it may be shown (ACP, session config
 * options), also where the agent has no such list or left it out. All else as it came.
 */
export function choiceAnswer({ port, method, translated, setup, message }: ChoiceAnswer): Buffer {
  if (method !== 'session/set_config_option') {
    return translated ? setMember(message, ['result'], '{}') : message;
  }
  const options = allOptions(setup, port.profile) ?? translatedOptions(setup).map(({ option }) => option);
  const complete = !translated && options === setup.configOptions && hasOptions(message);
  return complete ? message : setMember(message, ['result', 'configOptions'], JSON.stringify(options));
}

function asOption(
  setup: SetupState,
  category: string,
  parameter: string,
  params: JsonObject,
): TranslatedChoice | undefined {
  const { [parameter]: value, ...others } = params;
  const options = optionsOf(setup).filter((option) => option.category === category && option.type === 'select');
  const option = options.find((it) => offeredBy(it).some((offered) => offered.value === value)) ?? options[0];
  if (!option) return undefined;
  return { method: 'session/set_config_option', params: { ...others, configId: option.id, value } };
}

function asOwnMethod(setup: SetupState, params: JsonObject): TranslatedChoice | undefined {
  const { configId, value, type: _type, ...others } = params;
  const translated = translatedOptions(setup).find(({ option }) => option.id === configId);
  return translated && { method: translated.method, params: { ...others, [translated.parameter]: value } };
}

function hasOptions(message: Buffer): boolean {
  return memberSpan(message, ['result', 'configOptions']) !== undefined;
}
