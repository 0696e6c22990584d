import { LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { IconButton } from '../ui/icon-button.tsx';
import { DESTINATIONS, isHere } from './destinations.ts';
import { NavigationLink } from './navigation-link.tsx';
import type { Theme } from './theme.ts';
import { useTheme } from './use-theme.ts';

export interface NavigationProps {
  readonly waiting: number;
  readonly location: string;
  readonly onSignOut: () => void;
}

export const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const satisfies Record<Theme, unknown>;

/** The navigation of wide windows. */
export function SideNavigation({ waiting, location, onSignOut }: NavigationProps) {
  const { theme, toggle } = useTheme();
  return (
    <nav aria-label="Main" className="hidden w-48 shrink-0 flex-col border-r bg-surface p-3 md:flex">
      <div className="mb-4 flex items-center gap-2 px-2 text-lg font-semibold">
        <img src="/icon.svg" alt="" className="size-6" />
        Reeve
      </div>
      <ul className="grid grid-cols-1 gap-0.5">
        {DESTINATIONS.map((destination) => (
          <li key={destination.href}>
            <NavigationLink
              destination={destination}
              current={isHere(destination, location)}
              waiting={waiting}
              className="gap-2.5 px-2 py-1.5 [&>span:last-child:not(:nth-child(2))]:ml-auto"
            />
          </li>
        ))}
      </ul>
      <div className="mt-auto flex gap-1">
        <IconButton icon={THEME_ICONS[theme]} label={`Theme: ${theme}`} onClick={toggle} />
        <IconButton icon={LogOut} label="Sign out" onClick={() => onSignOut()} />
      </div>
    </nav>
  );
}
