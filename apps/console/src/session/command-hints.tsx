import type { JsonObject } from '@reeve/protocol';
import { textMember } from '../data/json-members.ts';
import { visibleText } from '../hostile/visible-text.ts';

interface CommandHintsProps {
  /** As the agent announces them (ACP, slash commands). */
  readonly commands: readonly JsonObject[];
  /** What is written so far. */
  readonly text: string;
  readonly onChoose: (name: string) => void;
}

const MAX_SHOWN = 8;

/** The agent's commands that begin with what is written, while that is the beginning of one. */
export function CommandHints({ commands, text, onChoose }: CommandHintsProps) {
  const [, begun] = /^\/(\S*)$/.exec(text) ?? [];
  if (begun === undefined) return null;
  const fitting = commands.flatMap((command) => {
    const name = textMember(command, 'name');
    return name?.startsWith(begun) ? [{ name, description: textMember(command, 'description') ?? '' }] : [];
  });
  if (fitting.length === 0) return null;
  return (
    <ul
      aria-label="Commands of the agent"
      className="grid grid-cols-1 gap-0.5 rounded-md border bg-raised p-1 text-sm shadow-pop"
    >
      {fitting.slice(0, MAX_SHOWN).map(({ name, description }) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => onChoose(name)}
            className="flex w-full items-baseline gap-3 rounded-sm px-2 py-1 text-left hover:bg-sunken"
          >
            <span className="font-mono">/{visibleText(name)}</span>
            <span className="truncate text-muted">{visibleText(description)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
