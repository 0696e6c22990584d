import { useInbox } from '@reeve/client/react';
import { useEffect, useRef } from 'react';
import { setWaitingCount } from '../shell/page-title.ts';
import { requestName } from './request-name.ts';

/**
 * How many requests wait, told where nobody looks: the title of the tab, the badge of the installed page, and a notification for each new one while the
 * page is hidden, if the browser was allowed to. A notification says of what kind it is, nothing of what an agent wrote.
 */
export function useWaitingSignals(): number {
  const { requests, state } = useInbox();
  const told = useRef<Set<string>>(undefined);
  const count = requests.length;

  useEffect(() => {
    setWaitingCount(count);
    if (!('setAppBadge' in navigator)) return;
    void (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => {});
  }, [count]);

  useEffect(() => {
    if (state.kind !== 'live') return;
    const first = told.current === undefined;
    told.current ??= new Set();
    for (const request of requests) {
      if (told.current.has(request.id)) continue;
      told.current.add(request.id);
      if (!first && document.hidden) notify(request.id, requestName(request));
    }
  }, [requests, state.kind]);

  return count;
}

function notify(id: string, name: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const notification = new Notification(`${name} waits for you`, { tag: id, icon: '/icon.svg' });
  notification.onclick = () => {
    window.focus();
    window.location.assign(`/requests/${encodeURIComponent(id)}`);
  };
}
