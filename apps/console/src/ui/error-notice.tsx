import type { ReactNode } from 'react';
import { visibleText } from '../hostile/visible-text.ts';
import { Button } from './button.tsx';
import { nextStep } from './next-step.ts';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** What was tried: "The sessions could not be listed". */
  readonly what: string;
  readonly onRetry?: () => void;
  /** Ways on. */
  readonly children?: ReactNode;
}

/** What went wrong, and the next step. */
export function ErrorNotice({ error, what, onRetry, children }: ErrorNoticeProps) {
  const message = error instanceof Error ? error.message : String(error);
  const next = nextStep(error);
  return (
    <div role="alert" className="rounded-md border border-danger bg-danger-soft p-3 text-sm">
      <p className="font-medium text-danger">{what}</p>
      <p className="wrap-anywhere">{visibleText(message)}</p>
      {next && <p className="mt-1 text-muted wrap-anywhere">{visibleText(next)}</p>}
      {children && <p className="mt-1">{children}</p>}
      {onRetry && (
        <Button small className="mt-2" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
