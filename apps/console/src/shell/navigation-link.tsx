import { Link } from 'wouter';
import { classNames } from '../ui/class-names.ts';
import type { Destination } from './destinations.ts';

interface NavigationLinkProps {
  readonly destination: Destination;
  readonly current: boolean;
  readonly waiting: number;
  readonly className?: string;
}

/** A way to a screen; the inbox says how many wait in it. */
export function NavigationLink({ destination, current, waiting, className }: NavigationLinkProps) {
  const { href, name, icon: Icon } = destination;
  const count = href === '/' ? waiting : 0;
  return (
    <Link
      href={href}
      aria-current={current ? 'page' : undefined}
      className={classNames(
        'relative flex items-center rounded-md transition-colors',
        current ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:bg-sunken hover:text-ink',
        className,
      )}
    >
      <Icon aria-hidden className="size-4.5 shrink-0" />
      <span>{name}</span>
      {count > 0 && (
        <span className="min-w-5 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-on-accent">
          {count}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </Link>
  );
}
