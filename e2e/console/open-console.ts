import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** The system's own Chromium, by its name on the PATH. Throws where there is none. */
export function chromiumPath(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const places = (process.env.PATH ?? '').split(delimiter);
  const found = names.flatMap((name) => places.map((place) => join(place, name))).find((file) => existsSync(file));
  if (!found) throw new Error('no Chromium on the PATH: install it (Debian: apt-get install chromium)');
  return found;
}

/** How long a test waits for what is to appear: shorter than a test may take, so that it says what was missing. */
const WAIT_MS = 60_000;

export function openChromium(): Promise<Browser> {
  // Containers give shared memory too little room for a browser.
  const args = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: chromiumPath(), args });
}

export interface ConsoleOptions {
  readonly url: string;
  /** Signs in by the link with it; without one the page asks. */
  readonly token?: string;
  /** From `/`. */
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** Faults are what the test is about: they do not fail it. */
  readonly faulty?: boolean;
  /** Done before the page is opened. */
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
}

/** A page of the console in a browser profile of its own. Disposing closes it, and throws where there were faults. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page's policy forbade, errors on its console, exceptions that nobody caught, and requests that left the server: to be empty. */
  readonly faults: readonly string[];
}

export async function openConsole(browser: Browser, options: ConsoleOptions): Promise<ConsolePage> {
  const { url, token, path = '/', width = 1280, height = 800, theme = 'light' } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  const faults: string[] = [];
  // Beneath the page's own scripts, so that its policy does not count.
  await context.exposeFunction('reportFault', (text: string) => faults.push(text));
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => reportFault(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`,
  );
  await options.prepare?.(context);
  context.on('weberror', (event) => faults.push(`uncaught: ${event.error().message}`));
  // What could not be loaded is shown by the page itself.
  context.on('console', (message) => {
    const text = message.text();
    if (token !== undefined && text.includes(token)) faults.push(`the token on the console: ${text}`);
    if (message.type() === 'error' && !/^(?:Failed to load resource|WebSocket connection to .* failed)/.test(text))
      faults.push(`on the console: ${text}`);
  });
  context.on('request', (request) => {
    const target = request.url();
    if (!target.startsWith(url) && !/^(data|blob):/.test(target)) faults.push(`request to ${target}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(`${url}${path}${token === undefined ? '' : `#token=${token}`}`);
  return {
    page,
    context,
    faults,
    async [Symbol.asyncDispose]() {
      // A request that a route still answers would fail for all when the page is gone.
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
      if (faults.length > 0 && !options.faulty) throw new Error(`faults of the page:\n${faults.join('\n')}`);
    },
  };
}
