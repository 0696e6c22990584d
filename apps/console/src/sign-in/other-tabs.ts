import { storedToken } from './token-store.ts';

/** What the tabs of one browser say to each other; to pages of this server alone, and kept nowhere. */
type Said =
  | { readonly kind: 'ask' }
  | { readonly kind: 'lend'; readonly token: string }
  | { readonly kind: 'signed-out' };

/** How long a tab that is there may take to answer, ms. */
const ANSWER_MS = 250;

export interface OtherTabs extends Disposable {
  /** The token of another tab that is signed in; undefined where none is. */
  askForToken(): Promise<string | undefined>;
  /** Somebody signed out here. */
  tellSignedOut(): void;
}

/** Lends the token of this tab to others that are opened beside it. `onSignedOut`: somebody signed out in another one. */
export function openOtherTabs(onSignedOut: () => void): OtherTabs {
  const channel = new BroadcastChannel('reeve.sign-in');
  const say = (said: Said): void => channel.postMessage(said);
  const lent = new Set<(token: string) => void>();
  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if (data.kind === 'ask') {
      const token = storedToken();
      if (token !== undefined) say({ kind: 'lend', token });
    } else if (data.kind === 'lend') for (const take of lent) take(data.token);
    else onSignedOut();
  };
  return {
    askForToken: () =>
      new Promise((resolve) => {
        const end = (token?: string): void => {
          clearTimeout(timer);
          lent.delete(end);
          resolve(token);
        };
        const timer = setTimeout(end, ANSWER_MS);
        lent.add(end);
        say({ kind: 'ask' });
      }),
    tellSignedOut: () => say({ kind: 'signed-out' }),
    [Symbol.dispose]: () => channel.close(),
  };
}
