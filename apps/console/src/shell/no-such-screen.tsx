import { Link } from 'wouter';
import { EmptyState } from '../ui/empty-state.tsx';
import { Screen } from '../ui/screen.tsx';

/** At an address of none of the screens. */
export function NoSuchScreen() {
  return (
    <Screen title="There is no such screen">
      <EmptyState title="Nothing is at this address">
        Choose a screen from the navigation, or see{' '}
        <Link href="/" className="underline underline-offset-2">
          what waits for you
        </Link>
        .
      </EmptyState>
    </Screen>
  );
}
