import { objectMember, objectsIn, textMember } from './json-members.ts';

/** One thing that can be chosen of an agent: the name under which a session's metadata has it, and its values. */
export interface OfferedChoice {
  readonly choice: 'model' | 'agentMode' | 'variant' | 'permissionMode';
  readonly name: string;
  readonly current: string | undefined;
  readonly options: readonly { readonly id: string; readonly name: string }[];
}

/** What `modes`, `models` and `configOptions` of an agent's setup offer, each choice once. */
export function offeredChoices(setup: unknown): readonly OfferedChoice[] {
  const modes = objectMember(setup, 'modes');
  const models = objectMember(setup, 'models');
  const modeOptions = named(objectsIn(modes, 'availableModes'), 'id');
  const found: OfferedChoice[] = [
    {
      choice: 'agentMode',
      name: 'Mode',
      current: textMember(modes, 'currentModeId'),
      options: modeOptions,
    },
    {
      choice: 'model',
      name: 'Model',
      current: textMember(models, 'currentModelId'),
      options: named(objectsIn(models, 'availableModels'), 'modelId'),
    },
    ...objectsIn(setup, 'configOptions').flatMap(configChoice),
  ];
  const seen = new Set<string>();
  return found.filter(({ choice, options }) => {
    // The modes may stand among the config options once more.
    if (options.length === 0 || seen.has(choice) || (choice === 'permissionMode' && isSame(options, modeOptions)))
      return false;
    seen.add(choice);
    return true;
  });
}

const CATEGORIES: ReadonlyMap<string | undefined, OfferedChoice['choice']> = new Map([
  ['model', 'model'],
  ['mode', 'permissionMode'],
  ['thought_level', 'variant'],
] as const);

function configChoice(option: Readonly<Record<string, unknown>>): readonly OfferedChoice[] {
  const choice = CATEGORIES.get(textMember(option, 'category'));
  if (choice === undefined || option.type === 'boolean') return [];
  const entries = objectsIn(option, 'options').flatMap((entry) =>
    Array.isArray(entry.options) ? objectsIn(entry, 'options') : [entry],
  );
  const name = textMember(option, 'name') ?? choice;
  return [{ choice, name, current: textMember(option, 'currentValue'), options: named(entries, 'value') }];
}

function isSame(some: OfferedChoice['options'], others: OfferedChoice['options']): boolean {
  return some.length === others.length && some.every(({ id }, at) => id === others[at]?.id);
}

function named(entries: readonly Readonly<Record<string, unknown>>[], key: string): OfferedChoice['options'] {
  return entries.flatMap((entry) => {
    const id = textMember(entry, key);
    return id === undefined ? [] : [{ id, name: textMember(entry, 'name') ?? id }];
  });
}
