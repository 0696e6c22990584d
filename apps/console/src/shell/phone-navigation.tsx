import { Ellipsis } from 'lucide-react';
import { useLocation } from 'wouter';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { DESTINATIONS, isHere } from './destinations.ts';
import { NavigationLink } from './navigation-link.tsx';
import type { NavigationProps } from './side-navigation.tsx';
import { useTheme } from './use-theme.ts';

const SHOWN = 4;

/** The navigation of phones: along the bottom, with the rest behind "More". */
export function PhoneNavigation({ waiting, location, onSignOut }: NavigationProps) {
  const { theme, toggle } = useTheme();
  const [, navigate] = useLocation();
  return (
    <nav aria-label="Main" className="flex border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden">
      {DESTINATIONS.slice(0, SHOWN).map((destination) => (
        <NavigationLink
          key={destination.href}
          destination={destination}
          current={isHere(destination, location)}
          waiting={waiting}
          className="min-h-13 flex-1 flex-col justify-center text-xs [&>span:last-child:not(:nth-child(2))]:absolute [&>span:last-child:not(:nth-child(2))]:top-0.5 [&>span:last-child:not(:nth-child(2))]:left-[55%]"
        />
      ))}
      <Menu
        trigger={
          <button
            type="button"
            className="flex min-h-13 flex-1 flex-col items-center justify-center rounded-md text-xs text-muted"
          >
            <Ellipsis aria-hidden className="size-4.5" />
            More
          </button>
        }
      >
        {DESTINATIONS.slice(SHOWN).map(({ href, name, icon: Icon }) => (
          <MenuItem key={href} onSelect={() => navigate(href)}>
            <Icon aria-hidden className="size-4" />
            {name}
          </MenuItem>
        ))}
        <MenuItem onSelect={toggle}>Theme: {theme}</MenuItem>
        <MenuItem onSelect={() => onSignOut()}>Sign out</MenuItem>
      </Menu>
    </nav>
  );
}
