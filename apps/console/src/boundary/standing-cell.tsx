import type { RootStandingInfo } from '@reeve/protocol';
import { exactText } from '../hostile/visible-text.ts';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import type { BoundaryActions } from './boundary-actions.ts';
import { standingText } from './standing-text.ts';

interface StandingCellProps {
  readonly server: string;
  readonly standing: RootStandingInfo | undefined;
  readonly actions: BoundaryActions;
}

const TONES: Readonly<Record<RootStandingInfo['state'], Tone>> = {
  granted: 'ok',
  undecided: 'neutral',
  denied: 'danger',
  lost: 'danger',
};

/** How one root stands with one server, and the one action that changes it. */
export function StandingCell({ server, standing, actions }: StandingCellProps) {
  if (!standing) return <span className="text-muted">not shown</span>;
  const { root, state, access } = standing;
  const text = exactText(standingText(standing));
  const busy = actions.busy === `${root.path} ${server}`;
  return (
    <div className="grid justify-items-start gap-1">
      {access === 'none' ? (
        <Badge tone={TONES[state] ?? 'neutral'}>{text}</Badge>
      ) : (
        <>
          <AccessBadge access={access} />
          {text !== '' && <span className="text-xs text-muted wrap-anywhere">{text}</span>}
        </>
      )}
      {access === 'none' ? (
        <Button
          small
          busy={busy}
          aria-label={`Give ${root.path} to ${server}`}
          onClick={() => actions.grant(standing, server)}
        >
          Give
        </Button>
      ) : (
        <Button
          small
          kind="danger"
          busy={busy}
          aria-label={`Take away: ${root.path} from ${server}`}
          onClick={() => actions.revoke(root.path, server)}
        >
          Take away
        </Button>
      )}
    </div>
  );
}
