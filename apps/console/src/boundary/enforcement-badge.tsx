import { Badge, type Tone } from '../ui/badge.tsx';
import { type HoldLevel, holdOf, readEnforcement } from './enforcement.ts';

const TONES: Readonly<Record<HoldLevel, Tone>> = { enforced: 'ok', partial: 'warn', declared: 'danger' };
const WORDS: Readonly<Record<HoldLevel, string>> = {
  enforced: 'enforced',
  partial: 'partly enforced',
  declared: 'not enforced',
};

/** How far the operating system holds a boundary: files, network and limits. Nothing where no process runs. */
export function EnforcementBadge({ enforcement }: { readonly enforcement: unknown }) {
  const read = readEnforcement(enforcement);
  if (!read) return null;
  const { level, text } = holdOf(read);
  return (
    <Badge tone={TONES[level]} title={read.gaps.join('\n')} className="whitespace-normal">
      {text}
    </Badge>
  );
}

export function LevelBadge({ level, title }: { readonly level: HoldLevel; readonly title?: string }) {
  return (
    <Badge tone={TONES[level]} {...(title ? { title } : {})}>
      {WORDS[level]}
    </Badge>
  );
}
