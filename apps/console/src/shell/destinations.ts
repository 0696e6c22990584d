import { Bot, FolderLock, Inbox, type LucideIcon, MessagesSquare, Plug, ScrollText, ShieldCheck } from 'lucide-react';

export interface Destination {
  readonly href: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** Addresses below it that are part of it. */
  readonly within: readonly string[];
}

/** Where one can go, the most used first: on a phone the first four have a place of their own. */
export const DESTINATIONS: readonly Destination[] = [
  { href: '/', name: 'Inbox', icon: Inbox, within: ['/requests/'] },
  { href: '/sessions', name: 'Sessions', icon: MessagesSquare, within: ['/sessions/'] },
  { href: '/boundaries', name: 'Boundaries', icon: FolderLock, within: ['/boundaries/'] },
  { href: '/servers', name: 'Servers', icon: Plug, within: [] },
  { href: '/agents', name: 'Agents', icon: Bot, within: [] },
  { href: '/policy', name: 'Policy', icon: ShieldCheck, within: [] },
  { href: '/audit', name: 'Audit', icon: ScrollText, within: [] },
];

export function isHere({ href, within }: Destination, location: string): boolean {
  return location === href || within.some((prefix) => location.startsWith(prefix));
}
