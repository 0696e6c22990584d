import { type ReactNode, useEffect, useRef } from 'react';
import { setPageTitle } from '../shell/page-title.ts';

interface ScreenProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Beside the title. */
  readonly actions?: ReactNode;
  /** Below the title: what the screen is for. */
  readonly lead?: ReactNode;
}

/** A screen that scrolls, with its heading. The heading takes the focus when the screen is opened, so that readers hear it. */
export function Screen({ title, children, actions, lead }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setPageTitle(title);
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <div className="mx-auto w-full max-w-5xl p-3 sm:p-6">
      <header className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <div>
          <h1 ref={heading} tabIndex={-1} className="text-xl outline-none">
            {title}
          </h1>
          {lead && <p className="text-sm text-muted">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
