import { type RefObject, useEffect } from 'react';

/**
 * The keys of the inbox: `j` and `k` go to the next and previous card, `a` and `d` press the button of the card that has the focus
 * which allows once or denies. Without a focused card they do nothing, nor while a key is held down: nobody allows what
 * slid under the finger. Escape is bound to nothing.
 */
export function useInboxKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
      const cards = [...(list.current?.querySelectorAll<HTMLElement>('article[data-request]') ?? [])];
      const at = cards.findIndex((card) => card.contains(document.activeElement));
      if (event.key === 'j' || event.key === 'k') {
        const next = at === -1 ? 0 : Math.min(cards.length - 1, Math.max(0, at + (event.key === 'j' ? 1 : -1)));
        cards[next]?.focus();
        cards[next]?.scrollIntoView({ block: 'nearest' });
        event.preventDefault();
      } else if (event.key === 'a' || event.key === 'd') {
        cards[at]?.querySelector<HTMLElement>(`button[data-key="${event.key}"]`)?.click();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [list]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
