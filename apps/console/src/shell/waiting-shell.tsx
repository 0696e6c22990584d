import { useLocation } from 'wouter';
import { Loading } from '../ui/loading.tsx';
import { Frame } from './frame.tsx';

interface WaitingShellProps {
  /** It was asked, and nobody answered. */
  readonly isAway: boolean;
  readonly onSignOut: () => void;
}

/** The page of somebody who has a token, before the server has answered to it: nothing of a session stands there yet. */
export function WaitingShell({ isAway, onSignOut }: WaitingShellProps) {
  const [location] = useLocation();
  const banner = isAway && (
    <p role="status" className="border-b bg-warn-soft px-4 py-1.5 text-sm text-warn">
      The server does not answer. Trying again …
    </p>
  );
  return (
    <Frame waiting={0} location={location} onSignOut={onSignOut} banner={banner}>
      <h1 className="sr-only">Reeve</h1>
      <Loading what="the server" />
    </Frame>
  );
}
