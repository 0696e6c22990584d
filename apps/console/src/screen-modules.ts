import { later } from './later-files.ts';

/** What is not needed for the first screen, each a file of its own. */
export const SCREEN_MODULES = {
  session: later('session/session-screen.tsx', () => import('./session/session-screen.tsx')),
  boundaries: later('boundary/boundaries-screen.tsx', () => import('./boundary/boundaries-screen.tsx')),
  boundary: later('boundary/boundary-screen.tsx', () => import('./boundary/boundary-screen.tsx')),
  servers: later('servers/servers-screen.tsx', () => import('./servers/servers-screen.tsx')),
  agents: later('agents/agents-screen.tsx', () => import('./agents/agents-screen.tsx')),
  policy: later('policy/policy-screen.tsx', () => import('./policy/policy-screen.tsx')),
  audit: later('audit/audit-screen.tsx', () => import('./audit/audit-screen.tsx')),
  newSession: later('sessions/new-session-dialog.tsx', () => import('./sessions/new-session-dialog.tsx')),
  markdown: later('markdown/markdown.tsx', () => import('./markdown/markdown.tsx')),
} as const;

/** How long a browser that is never idle may put it off. */
const IDLE_MS = 5000;

/**
 * Loads all of them once the page has nothing else to do, one after the other: whoever goes to another screen while the server is away has it
 * already. What fails is told where it is wanted. The function that it gives ends it.
 */
export function loadScreensWhenIdle(): () => void {
  let left = false;
  const loadAll = async (): Promise<void> => {
    for (const load of Object.values(SCREEN_MODULES)) {
      if (left) return;
      await load().catch(() => undefined);
    }
  };
  // Safari has no idle callback.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(() => void loadAll(), IDLE_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }
  const handle = window.requestIdleCallback(() => void loadAll(), { timeout: IDLE_MS });
  return () => {
    left = true;
    window.cancelIdleCallback(handle);
  };
}
