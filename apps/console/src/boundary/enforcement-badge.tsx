import { Badge, type Tone } from '../ui/badge.tsx';
import { type HoldLevel, readEnforcement } from './enforcement.ts';

const TONES: Readonly<Record<HoldLevel, Tone>> = { enforced: 'ok', partial: 'warn', declared: 'danger' };
const WORDS: Readonly<Record<HoldLevel, string>> = {
  enforced: 'enforced',
  partial: 'partly enforced',
  declared: 'not enforced',
};

/** Whether the operating system holds the boundary of files. Nothing where no process runs. */
export function EnforcementBadge({ enforcement }: { readonly enforcement: unknown }) {
  const read = readEnforcement(enforcement);
  if (!read) return null;
  return <LevelBadge level={read.fs} title={read.gaps.join('\n')} />;
}

export function LevelBadge({ level, title }: { readonly level: HoldLevel; readonly title?: string }) {
  return (
    <Badge tone={TONES[level]} {...(title ? { title } : {})}>
      {WORDS[level]}
    </Badge>
  );
}
