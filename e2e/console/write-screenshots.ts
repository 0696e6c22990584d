import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { openScreenshotScene, type ScreenshotScene } from './screenshot-scene.ts';
import { SCREENSHOTS, type Screenshot } from './screenshots.ts';

/*
 * `npm run screenshots [-- DIRECTORY]`: writes SCREENSHOTS into the directory, docs/screenshots unless told. Ends with 2, and takes
 * none, where it cannot write there.
 */

const top = resolve(import.meta.dirname, '../..');
/** Where the project lies, as the pictures have it. */
const PLAIN = '/home/ada/work';
/** How long a page stands still before its picture is taken. */
const STILL_MS = 250;
/** How often it may be looked at before it is taken for one that never does. */
const LOOKS = 100;

/** How a screen is come to: its address, none where one is not signed in; what is done there; and what stands on it once it is whole. */
interface Visit {
  readonly path?: string;
  readonly prepare?: (page: Page) => Promise<void>;
  readonly shows: string;
}

function visits({ sessionId, requestId }: ScreenshotScene): Readonly<Record<Screenshot['screen'], Visit>> {
  return {
    inbox: { path: '/', shows: 'Approve' },
    request: { path: `/requests/${requestId}`, shows: 'Always allow npm test' },
    sessions: { path: '/sessions', shows: 'Try another parser' },
    'new-session': {
      path: '/sessions',
      prepare: (page) => page.getByRole('button', { name: 'New session' }).click(),
      shows: 'npx -y tickets-mcp@2.1.0 --project shop',
    },
    session: { path: `/sessions/${sessionId}`, shows: 'waits for an answer' },
    boundaries: { path: '/boundaries', shows: 'Try another parser' },
    boundary: { path: `/boundaries/${sessionId}`, shows: `${PLAIN}/shared-docs` },
    servers: { path: '/servers', shows: 'Waits for you' },
    agents: { path: '/agents', shows: 'npm package cline' },
    policy: { path: '/policy', shows: 'project-to-confined-servers' },
    audit: { path: '/audit', shows: 'server.started' },
    'sign-in': { shows: 'Sign in' },
  };
}

async function takePicture(scene: ScreenshotScene, { screen, theme, width, height }: Screenshot): Promise<Buffer> {
  const { path, prepare, shows } = visits(scene)[screen];
  await using console = await scene.lab.open({
    theme,
    width,
    height,
    ...(path === undefined ? { token: '' } : { path }),
    prepare: (context) => showPlainPaths(context, scene.folder),
  });
  const { page } = console;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await prepare?.(page);
  await page.getByText(shows).filter({ visible: true }).first().waitFor();
  let last = await page.screenshot();
  for (let looks = 1; looks < LOOKS; looks++) {
    await page.waitForTimeout(STILL_MS);
    const next = await page.screenshot();
    if (next.equals(last)) return next;
    last = next;
  }
  throw new Error(`the screen "${screen}" never stands still`);
}

/** Whatever of the server the page shows, with the paths of this machine as they might be on another: pictures are for everybody. */
async function showPlainPaths(context: BrowserContext, folder: string): Promise<void> {
  await context.route(/\/v1\/(agents|boundaries|requests|servers|sessions|workspaces|audit)/, (route) =>
    withPlainPaths(route, folder),
  );
  // What comes as a stream is never whole, so that no route can have it: it is changed where the page reads it.
  await context.addInitScript(`
    const { decode } = TextDecoder.prototype;
    TextDecoder.prototype.decode = function (...given) {
      return decode.apply(this, given).replaceAll(${JSON.stringify(folder)}, ${JSON.stringify(PLAIN)}).replaceAll(${JSON.stringify(top)}, '/opt/reeve');
    };`);
}

/** What the server is told and tells, each with its own paths. */
async function withPlainPaths(route: Route, folder: string): Promise<void> {
  const request = route.request();
  if (request.headers().accept?.includes('text/event-stream')) return route.continue();
  const sent = request.postData()?.replaceAll(PLAIN, folder);
  const response = await route.fetch(sent === undefined ? {} : { postData: sent });
  const text = (await response.text()).replaceAll(folder, PLAIN).replaceAll(top, '/opt/reeve');
  await route.fulfill({ response, body: text });
}

/** The directory to write into, made where there is none; or why there is none. */
async function askedDirectory(args: readonly string[]): Promise<string | { readonly refused: string }> {
  const [asked, ...more] = args;
  const usage = 'Usage: npm run screenshots [-- DIRECTORY]';
  if (more.length > 0 || asked === '' || asked?.startsWith('-'))
    return { refused: `Name one directory, or none for docs/screenshots. ${usage}` };
  const directory = resolve(asked ?? join(top, 'docs', 'screenshots'));
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
    return directory;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      refused: `${directory} is no directory that can be written into (${code}): name one that is there or can be made. ${usage}`,
    };
  }
}

const target = await askedDirectory(process.argv.slice(2));
if (typeof target !== 'string') {
  process.stderr.write(`${target.refused}\n`);
  process.exitCode = 2;
} else {
  await using scene = await openScreenshotScene();
  const pictures = SCREENSHOTS.values();
  const takeThem = async (): Promise<void> => {
    for (const picture of pictures) await writeFile(join(target, picture.file), await takePicture(scene, picture));
  };
  // Two pages at a time: while one is waited for, the other is drawn.
  await Promise.all([takeThem(), takeThem()]);
  process.stdout.write(`The pictures are in ${target}\n`);
}
