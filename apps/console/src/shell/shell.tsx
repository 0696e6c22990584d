import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useWaitingSignals } from '../inbox/use-waiting-signals.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { Frame } from './frame.tsx';

interface ShellProps {
  readonly onSignOut: (problem?: string) => void;
  readonly children: ReactNode;
}

/** What stands around every screen: where one can go, what waits, and whether the server answers. */
export function Shell({ onSignOut, children }: ShellProps) {
  const waiting = useWaitingSignals();
  const [location] = useLocation();
  return (
    <Frame
      waiting={waiting}
      location={location}
      onSignOut={onSignOut}
      banner={<ConnectionBanner onRefused={onSignOut} />}
    >
      {children}
    </Frame>
  );
}
