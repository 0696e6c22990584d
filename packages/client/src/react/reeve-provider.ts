import { createContext, createElement, type ReactElement, type ReactNode, useContext, useMemo } from 'react';
import type { Reeve } from '../connect-reeve.ts';
import { type LiveReeve, openLive } from '../live/open-live.ts';

const LiveContext = createContext<LiveReeve | undefined>(undefined);

export interface ReeveProviderProps {
  /** The same object as long as it is the same server and token. */
  readonly reeve: Reeve;
  readonly children?: ReactNode;
}

/** Gives the hooks below it their server. */
export function ReeveProvider({ reeve, children }: ReeveProviderProps): ReactElement {
  const live = useMemo(() => openLive(reeve), [reeve]);
  return createElement(LiveContext, { value: live }, children);
}

/** The live values of the nearest `ReeveProvider`; throws where there is none. */
export function useLive(): LiveReeve {
  const live = useContext(LiveContext);
  if (!live) throw new Error('no ReeveProvider above: put <ReeveProvider reeve={connectReeve({…})}> around the page');
  return live;
}
