import { useReeve } from '@reeve/client/react';
import { useCallback } from 'react';
import { useResource } from '../data/use-resource.ts';
import { Badge } from '../ui/badge.tsx';

/** What this machine can hold a boundary with, and what it cannot. */
export function SandboxSummary() {
  const reeve = useReeve();
  const { resource } = useResource(useCallback(() => reeve.sandbox(), [reeve]));
  if (resource.kind !== 'ready') return null;
  const { usable, backend, reason, nextStep, limitGaps } = resource.value;
  return (
    <details className="mb-4 rounded-lg border bg-surface px-3 py-2 text-sm" open={!usable}>
      <summary className="flex flex-wrap items-center gap-2">
        On this machine boundaries are
        {usable ? <Badge tone="ok">enforced by {backend}</Badge> : <Badge tone="danger">only declared</Badge>}
      </summary>
      <div className="mt-1 grid gap-1 text-muted">
        {reason && <p>{reason}</p>}
        {nextStep && <p>{nextStep}</p>}
        {limitGaps.map((gap) => (
          <p key={gap}>{gap}</p>
        ))}
        {usable && limitGaps.length === 0 && <p>Nothing that a boundary says is left out.</p>}
      </div>
    </details>
  );
}
