import { readEnforcement } from './enforcement.ts';
import { LevelBadge } from './enforcement-badge.tsx';

interface EnforcementFactsProps {
  /** Whose process it is: "The agent". */
  readonly name: string;
  readonly enforcement: unknown;
  /** What to say where there is no process. */
  readonly absent: string;
}

/** How a boundary is held for one process, and in plain words what is not held. */
export function EnforcementFacts({ name, enforcement, absent }: EnforcementFactsProps) {
  const read = readEnforcement(enforcement);
  if (!read) return absent === '' ? null : <p className="text-sm text-muted">{absent}</p>;
  return (
    <section aria-label={`What holds: ${name}`} className="rounded-lg border bg-surface p-3 text-sm">
      <p className="mb-1 font-medium">
        {name} is held by {read.backend === 'none' ? 'nothing' : read.backend}
      </p>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 [&>dt]:text-muted">
        <dt>Files</dt>
        <dd>
          <LevelBadge level={read.fs} />
        </dd>
        <dt>Network</dt>
        <dd>
          <LevelBadge level={read.network} />
        </dd>
        <dt>Limits</dt>
        <dd>
          <LevelBadge level={read.limits} />
        </dd>
      </dl>
      {read.gaps.length > 0 && (
        <>
          <p className="mt-2 font-medium">What is not held</p>
          <ul className="list-disc pl-5 text-muted">
            {read.gaps.map((gap) => (
              <li key={gap}>{gap}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
