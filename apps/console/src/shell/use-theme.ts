import { useState } from 'react';
import { applyTheme, storedTheme, storeTheme, type Theme } from './theme.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

/** The theme, and a step to the next one. */
export function useTheme(): { readonly theme: Theme; toggle(): void } {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const toggle = (): void => {
    const next = NEXT[theme];
    storeTheme(next);
    applyTheme(next);
    setTheme(next);
  };
  return { theme, toggle };
}
