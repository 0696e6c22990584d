import { type ReviewRoot, rootNotes } from '@reeve/protocol';
import { RiskBadges } from '../boundary/risk-badges.tsx';
import { exactText } from '../hostile/visible-text.ts';
import { Code } from '../ui/code.tsx';
import { FileBadge } from '../ui/file-badge.tsx';
import { accessesBelow, type RootChoice } from './root-choice.ts';

interface ReviewRootsProps {
  readonly asked: readonly ReviewRoot[];
  readonly choices: readonly RootChoice[];
  readonly onChange: (choices: readonly RootChoice[]) => void;
}

const WORDS: Readonly<Record<RootChoice['access'], string>> = {
  rw: 'read and write',
  ro: 'read only',
  none: 'not shown',
};

/** The roots that are asked for, or would be had anyway, with why one is dangerous; each can be given whole, narrower, or not at all. */
export function ReviewRoots({ asked, choices, onChange }: ReviewRootsProps) {
  if (asked.length === 0) return null;
  return (
    <ul className="grid grid-cols-1 gap-2" aria-label="Directories and files that it would see">
      {asked.map((root, index) => (
        <li key={root.path} className="flex flex-wrap items-center gap-2 rounded-md border p-2">
          <span className="min-w-40 flex-1">
            <Code>{root.path}</Code> <FileBadge kind={root.kind} />
            {rootNotes(root).map((note) => (
              <span key={note} className="block text-sm text-muted wrap-anywhere">
                {exactText(note)}
              </span>
            ))}
          </span>
          <RiskBadges risks={root.risks} highRisk={root.highRisk} />
          <select
            aria-label={`What of ${root.path} is shown`}
            className="input"
            value={choices[index]?.access ?? root.access}
            onChange={({ target }) => {
              const access = target.value as RootChoice['access'];
              onChange(choices.map((choice, at) => (at === index ? { ...choice, access } : choice)));
            }}
          >
            {accessesBelow(root.access).map((access) => (
              <option key={access} value={access}>
                {WORDS[access]}
              </option>
            ))}
          </select>
        </li>
      ))}
    </ul>
  );
}
