import type { TerminalItem } from '@reeve/client';
import { createContext } from 'react';

/** The terminals of the session that is shown, by the id that tool calls name; none where no session is. */
export const ShownTerminals = createContext<ReadonlyMap<string, TerminalItem>>(new Map());
