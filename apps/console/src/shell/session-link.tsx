import { Link } from 'wouter';
import { useSessionName } from '../data/use-session-name.ts';

interface SessionLinkProps {
  readonly id: string;
  /** Where it leads: to the session itself unless told. */
  readonly to?: 'sessions' | 'boundaries';
}

/** A session by its name. */
export function SessionLink({ id, to = 'sessions' }: SessionLinkProps) {
  const name = useSessionName(id);
  return (
    <Link href={`/${to}/${encodeURIComponent(id)}`} className="wrap-anywhere underline underline-offset-2">
      {name}
    </Link>
  );
}
