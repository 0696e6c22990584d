import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** The card that has the focus, or had it when it went. */
interface Place {
  readonly id: string;
  readonly index: number;
}

/**
 * The keys of the inbox: `j` and `k` go to the next and previous card, `a` and `d` press the button of the card that has the focus
 * which allows once or denies. Without a focused card they do nothing, nor while a key is held down: nobody allows what
 * slid under the finger. Escape is bound to nothing. When the focused card goes, the list takes the focus, no other card for the
 * same reason; `j` goes on with the one that came in its place. `cards`: ids of those that are shown.
 */
export function useInboxKeys(list: RefObject<HTMLElement | null>, cards: readonly string[]): void {
  const place = useRef<Place>(undefined);

  useEffect(() => {
    const element = list.current;
    const onFocus = (event: FocusEvent): void => {
      const card = event.target instanceof Element ? event.target.closest<HTMLElement>('article[data-request]') : null;
      const id = card?.dataset.request;
      // Whoever is elsewhere now has left the list; the list itself keeps its place.
      if (card && id !== undefined && element?.contains(card))
        place.current = { id, index: cardsIn(element).indexOf(card) };
      else if (event.target !== element) place.current = undefined;
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, [list]);

  useLayoutEffect(() => {
    const { id } = place.current ?? {};
    if (id === undefined || cards.includes(id)) return;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) list.current?.focus({ preventScroll: true });
  }, [list, cards]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
      const shown = cardsIn(list.current);
      const at = shown.findIndex((card) => card.contains(document.activeElement));
      if (event.key === 'j' || event.key === 'k') {
        const next = shown[nextIndex(at, place.current, event.key === 'j', shown.length)];
        next?.focus();
        next?.scrollIntoView({ block: 'nearest' });
        event.preventDefault();
      } else if (event.key === 'a' || event.key === 'd') {
        shown[at]?.querySelector<HTMLElement>(`button[data-key="${event.key}"]`)?.click();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [list]);
}

function cardsIn(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('article[data-request]') ?? [])];
}

/** `at`: of the focused card, -1 without one; then `place` says where one was. */
function nextIndex(at: number, place: Place | undefined, forward: boolean, count: number): number {
  const wanted = at >= 0 ? at + (forward ? 1 : -1) : place ? place.index - (forward ? 0 : 1) : 0;
  return Math.min(count - 1, Math.max(0, wanted));
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
