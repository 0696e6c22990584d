import { useReeve } from '@reeve/client/react';
import { useCallback } from 'react';
import { offeredChoices } from '../data/offered-choices.ts';
import { useResource } from '../data/use-resource.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { Field } from '../ui/field.tsx';

interface AgentChoicesProps {
  readonly agent: string;
  readonly choices: Readonly<Record<string, string>>;
  readonly onChange: (choices: Readonly<Record<string, string>>) => void;
}

/** Model and mode, as far as an earlier session of the agent told which there are. */
export function AgentChoices({ agent, choices, onChange }: AgentChoicesProps) {
  const reeve = useReeve();
  const { resource } = useResource(useCallback(() => reeve.agents.show(agent), [reeve, agent]));
  const offered = resource.kind === 'ready' ? offeredChoices(resource.value.setup) : [];
  if (offered.length === 0) return null;
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      {offered.map(({ choice, name, options }) => (
        <Field key={choice} label={name}>
          {(wiring) => (
            <select
              {...wiring}
              className="input w-full"
              value={choices[choice] ?? ''}
              onChange={({ target }) => onChange({ ...choices, [choice]: target.value })}
            >
              <option value="">as the agent starts</option>
              {options.map((option) => (
                <option key={option.id} value={option.id}>
                  {visibleText(option.name)}
                </option>
              ))}
            </select>
          )}
        </Field>
      ))}
    </div>
  );
}
