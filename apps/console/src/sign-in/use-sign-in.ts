import { CallError, connectReeve, type Reeve } from '@reeve/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type OtherTabs, openOtherTabs } from './other-tabs.ts';
import { storedToken, storeToken } from './token-store.ts';

export type SignInState =
  /** The server was not heard yet; `isAway`: it was asked in vain. */
  | { readonly kind: 'checking'; readonly hasToken: boolean; readonly isAway: boolean }
  | { readonly kind: 'signed-out'; readonly problem: string | undefined }
  | { readonly kind: 'signed-in'; readonly reeve: Reeve };

export interface SignIn {
  readonly state: SignInState;
  enter(token: string): Promise<void>;
  /** Forgets the token; `problem` says why where nobody asked for it. Otherwise every tab of the browser does. */
  leave(problem?: string): void;
}

const WRONG = 'The server does not take this token.';
const RETRY_MS = 2000;

/** Whether the server lets this tab in: with the token that it keeps, that of another tab, or none where it wants none. */
export function useSignIn(): SignIn {
  const [state, setState] = useState<SignInState>(() => ({
    kind: 'checking',
    hasToken: storedToken() !== undefined,
    isAway: false,
  }));

  const enter = useCallback(async (token: string) => {
    const answer = await tryToken(token);
    if (answer.kind === 'signed-in') storeToken(token);
    setState(answer);
  }, []);

  const others = useRef<OtherTabs>(undefined);
  const forget = useCallback((problem?: string) => {
    storeToken(undefined);
    setState({ kind: 'signed-out', problem });
  }, []);
  const leave = useCallback(
    (problem?: string) => {
      forget(problem);
      if (problem === undefined) others.current?.tellSignedOut();
    },
    [forget],
  );

  useEffect(() => {
    let left = false;
    const tabs = openOtherTabs(forget);
    others.current = tabs;
    const begin = async (): Promise<void> => {
      for (;;) {
        const token = storedToken();
        const lending = token === undefined ? tabs.askForToken() : undefined;
        const answer = await tryToken(token);
        const lent = answer.kind === 'signed-out' ? await lending : undefined;
        // Given up meanwhile, by whoever did not want to wait.
        if (left || storedToken() !== token) return;
        if (lent !== undefined) {
          storeToken(lent);
          continue;
        }
        // A server that is away says nothing about the token.
        if (answer.kind === 'signed-out' && answer.problem === UNREACHABLE && token !== undefined) {
          setState({ kind: 'checking', hasToken: true, isAway: true });
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
          if (left || storedToken() !== token) return;
          continue;
        }
        if (answer.kind === 'signed-out') storeToken(undefined);
        setState(token === undefined && answer.kind === 'signed-out' ? { ...answer, problem: undefined } : answer);
        return;
      }
    };
    void begin();
    return () => {
      left = true;
      tabs[Symbol.dispose]();
    };
  }, [forget]);

  return { state, enter, leave };
}

/** How others are told of what was done here. */
const CONSOLE = { name: 'reeve-console', version: '0.1.0' };
const UNREACHABLE = 'The server does not answer.';

async function tryToken(token: string | undefined): Promise<SignInState> {
  const reeve = connectReeve({ url: window.location.origin, token, client: CONSOLE });
  try {
    // Whoever has no right to more is told the status alone.
    const health = (await reeve.health()) as { readonly version?: string };
    return health.version === undefined ? { kind: 'signed-out', problem: WRONG } : { kind: 'signed-in', reeve };
  } catch (error) {
    const refused = error instanceof CallError && error.status === 401;
    return { kind: 'signed-out', problem: refused ? WRONG : UNREACHABLE };
  }
}
