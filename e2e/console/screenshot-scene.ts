import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Step } from '@reeve/testkit';
import { FILES_SERVER } from '../files-lab.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

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

/** What the pictures show: a server with sessions, requests and MCP servers made for them. Disposing ends it and removes the files. */
export interface ScreenshotScene extends AsyncDisposable {
  readonly lab: ConsoleLab;
  /** Holds the directories of all that is shown. */
  readonly folder: string;
  /** The session that waits for answers. */
  readonly sessionId: string;
  /** The permission that its agent asks for. */
  readonly requestId: string;
}

export async function openScreenshotScene(): Promise<ScreenshotScene> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'reeve-pictures-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const lab = opened.use(await openConsoleLab([], true, { workspaces: await makeWorkspace(folder) }));
  const waiting = await makeSessions(lab, folder);
  const resources = opened.move();
  return { lab, folder, ...waiting, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function makeSessions(lab: ConsoleLab, folder: string): Promise<{ sessionId: string; requestId: string }> {
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

/** A workspace with MCP servers of its own, and a file in it that proposes one more. */
async function makeWorkspace(folder: string): Promise<object> {
  const shop = join(folder, 'shop');
  await mkdir(shop);
  const tickets = { command: 'npx', args: ['-y', 'tickets-mcp@2.1.0', '--project', 'shop'] };
  await writeFile(join(shop, '.mcp.json'), JSON.stringify({ mcpServers: { tickets } }));
  const notes = { command: process.execPath, args: [FILES_SERVER, shop] };
  return { shop: { roots: [{ path: shop, access: 'rw' }], mcpServers: { notes } } };
}
