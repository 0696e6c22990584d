import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Step } from '@reeve/testkit';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

/*
 * `npm run screenshots`: a picture of every screen of the console in docs/screenshots, light and dark, desktop and phone, with a
 * server, sessions and MCP servers made for it.
 */

const top = resolve(import.meta.dirname, '../..');
const target = join(top, 'docs', 'screenshots');
const FILES_SERVER = join(top, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
/** Where the project lies, as the pictures have it. */
const PLAIN = '/home/ada/work';
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

const WORK: readonly Step[] = [
  { update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'The test reads the old name.' } } },
  {
    say: 'The build fails because `greet()` was renamed, and one test still calls it by its old name.\n\n1. Mend the test\n2. Run it again\n',
  },
  {
    update: {
      sessionUpdate: 'plan',
      entries: [
        { content: 'Find what fails', status: 'completed', priority: 'high' },
        { content: 'Mend the test', status: 'in_progress', priority: 'high' },
        { content: 'Run the tests again', status: 'pending', priority: 'medium' },
      ],
    },
  },
];

interface Scene {
  readonly sessionId: string;
  readonly requestId: string;
}

async function setScene(lab: ConsoleLab, folder: string): Promise<Scene> {
  const [project, other] = [join(folder, 'greeter'), join(folder, 'shared-docs')];
  await Promise.all([mkdir(project), mkdir(other)]);
  const create = async (title: string, mcpServers: readonly unknown[] = []): Promise<string> => {
    const roots = [
      { path: project, access: 'rw' },
      { path: other, access: 'ro' },
    ];
    const made = await lab.api.sessions.create({ cwd: project, mcpServers, metadata: { title, boundary: { roots } } });
    return made.session.sessionId;
  };
  const past = await create('Tidy the changelog');
  await lab.api.sessions.prompt(past, { prompt: 'Tidy the changelog' });
  await create('Try another parser');
  const files = { name: 'files', command: process.execPath, args: [FILES_SERVER, project], env: [] };
  const sessionId = await create('Why does the build fail?', [files]);
  const test = join(project, 'greet.test.ts');
  const call = { toolCallId: 'run', title: 'npm test', kind: 'execute', rawInput: { command: 'npm', args: ['test'] } };
  const options = [
    { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'always', name: 'Always allow npm test', kind: 'allow_always' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
  await lab.begin(
    sessionId,
    ...WORK,
    {
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 'edit',
        title: 'Edit greet.test.ts',
        kind: 'edit',
        status: 'completed',
        locations: [{ path: test }],
        content: [
          {
            type: 'diff',
            path: test,
            oldText:
              "import { greet } from './greet.ts';\n\nit('greets', () => {\n  expect(greet('Ada')).toBe('Hello, Ada');\n});\n",
            newText:
              "import { greeting } from './greet.ts';\n\nit('greets', () => {\n  expect(greeting('Ada')).toBe('Hello, Ada');\n});\n",
          },
        ],
      },
    },
    { request: { method: 'session/request_permission', params: { sessionId: '$SESSION', toolCall: call, options } } },
  );
  for (;;) {
    const waiting = await lab.api.requests.list({ session: sessionId });
    const permission = waiting.find(({ kind }) => kind === 'permission');
    if (permission && waiting.length > 1) return { sessionId, requestId: permission.id };
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Every screen: its name, its address, and what is done to it before the picture. */
function screens({ sessionId, requestId }: Scene) {
  const newSession = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('list', { name: 'MCP servers of the session' }).getByText('tickets').first().waitFor();
  };
  return [
    ['inbox', '/'],
    ['request', `/requests/${requestId}`],
    ['sessions', '/sessions'],
    ['new-session', '/sessions', newSession],
    ['session', `/sessions/${sessionId}`],
    ['boundaries', '/boundaries'],
    ['boundary', `/boundaries/${sessionId}`],
    ['servers', '/servers'],
    ['agents', '/agents'],
    ['policy', '/policy'],
    ['audit', '/audit'],
    ['sign-in', undefined],
  ] as const;
}

/** A workspace with MCP servers of its own, and a file in it that proposes one more. */
async function makeWorkspace(folder: string): Promise<object> {
  const shop = join(folder, 'shop');
  await mkdir(shop);
  const tickets = { command: 'npx', args: ['-y', 'tickets-mcp@2.1.0', '--project', 'shop'] };
  await writeFile(join(shop, '.mcp.json'), JSON.stringify({ mcpServers: { tickets } }));
  const notes = { command: process.execPath, args: [FILES_SERVER, shop] };
  return { shop: { roots: [{ path: shop, access: 'rw' }], mcpServers: { notes } } };
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

await mkdir(target, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'reeve-pictures-'));
await using lab = await openConsoleLab([], true, { workspaces: await makeWorkspace(folder) });
try {
  const scene = await setScene(lab, folder);
  for (const theme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      for (const [name, path, prepare] of screens(scene)) {
        await using console = await lab.open({
          theme,
          ...viewport,
          ...(path === undefined ? { token: '' } : { path }),
          prepare: (context) => showPlainPaths(context, folder),
        });
        const { page } = console;
        await (path === undefined ? page.getByLabel('Token') : page.locator('nav:visible').first()).waitFor();
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {});
        await prepare?.(page);
        await page.screenshot({ path: join(target, `${name}-${size}-${theme}.png`) });
      }
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`The pictures are in ${target}\n`);
