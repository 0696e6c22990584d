import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useWaitingSignals } from '../inbox/use-waiting-signals.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { PhoneNavigation } from './phone-navigation.tsx';
import { SideNavigation } from './side-navigation.tsx';

interface ShellProps {
  readonly onSignOut: (problem?: string) => void;
  readonly children: ReactNode;
}

/** What stands around every screen: where one can go, what waits, and whether the server answers. */
export function Shell({ onSignOut, children }: ShellProps) {
  const waiting = useWaitingSignals();
  const [location] = useLocation();
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2 focus:shadow-pop"
      >
        To the content
      </a>
      <SideNavigation waiting={waiting} location={location} onSignOut={onSignOut} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionBanner onRefused={onSignOut} />
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          {children}
        </main>
      </div>
      <PhoneNavigation waiting={waiting} location={location} onSignOut={onSignOut} />
    </div>
  );
}
