import { CallError } from '@reeve/client';
import { visibleText } from '../hostile/visible-text.ts';
import { Button } from './button.tsx';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** What was tried: "The sessions could not be listed". */
  readonly what: string;
  readonly onRetry?: () => void;
}

/** What went wrong, and the next step. */
export function ErrorNotice({ error, what, onRetry }: ErrorNoticeProps) {
  const message = error instanceof Error ? error.message : String(error);
  const next = error instanceof CallError ? error.next : undefined;
  return (
    <div role="alert" className="rounded-md border border-danger bg-danger-soft p-3 text-sm">
      <p className="font-medium text-danger">{what}</p>
      <p className="wrap-anywhere">{visibleText(message)}</p>
      {next && <p className="mt-1 text-muted wrap-anywhere">{visibleText(next)}</p>}
      {onRetry && (
        <Button small className="mt-2" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
