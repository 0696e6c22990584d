import type { ReactNode } from 'react';
import { PhoneNavigation } from './phone-navigation.tsx';
import { type NavigationProps, SideNavigation } from './side-navigation.tsx';

interface FrameProps extends NavigationProps {
  /** Above the screen. */
  readonly banner?: ReactNode;
  readonly children: ReactNode;
}

/** The page around a screen: where one can go, and the place for what is there. It asks the server for nothing. */
export function Frame({ banner, children, ...navigation }: FrameProps) {
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2 focus:shadow-pop"
      >
        To the content
      </a>
      <SideNavigation {...navigation} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {banner}
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          {children}
        </main>
      </div>
      <PhoneNavigation {...navigation} />
    </div>
  );
}
