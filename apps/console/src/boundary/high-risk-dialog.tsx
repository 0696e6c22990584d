import type { BoundaryAccess } from '@reeve/protocol';
import { visibleText } from '../hostile/visible-text.ts';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Code } from '../ui/code.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { RiskBadges } from './risk-badges.tsx';

/** A root that is to be given, and what the server says of it. */
export interface RiskyGrant {
  readonly path: string;
  readonly access: BoundaryAccess;
  /** Undefined: to the session itself. */
  readonly server?: string | undefined;
  readonly risks: readonly string[];
  readonly highRisk: boolean;
  readonly why?: string | undefined;
}

interface HighRiskDialogProps {
  readonly grant: RiskyGrant;
  readonly onClose: () => void;
  readonly onGive: () => void;
}

/** Asks once more before a root is given that is dangerous, with the server's own reasons. */
export function HighRiskDialog({ grant, onClose, onGive }: HighRiskDialogProps) {
  const { path, access, server, risks, highRisk, why } = grant;
  return (
    <ConfirmDialog
      title="Give a high-risk directory?"
      verb="Give it all the same"
      keep="Do not give it"
      open
      onOpenChange={onClose}
      onConfirm={async () => onGive()}
    >
      <p className="mb-2 flex flex-wrap items-center gap-2">
        <Code>{path}</Code> <AccessBadge access={access} /> to{' '}
        {server === undefined ? 'the session' : visibleText(server)}
      </p>
      <RiskBadges risks={risks} highRisk={highRisk} />
      {why && <p className="mt-2 text-sm">{visibleText(why)}</p>}
      <p className="mt-2 text-sm text-muted">
        Whatever runs there can touch all that lies in it, from the next step on.
      </p>
    </ConfirmDialog>
  );
}
