import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type AuditEntry, connectReeve, type Reeve, type RequestInfo } from '@reeve/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliPlace, runCli, startCli } from '../apps/cli/src/cli.rig.ts';

/** The machine as it is, with bubblewrap hidden: a sandbox of its own for the whole command. */
const machine = ['bwrap', '--dev-bind', '/', '/'];
const hidden = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin']
  .map((place) => join(place, 'bwrap'))
  .filter((program) => existsSync(program))
  .flatMap((program) => ['--ro-bind', '/dev/null', program]);
const sandboxWorks = spawnSync('bwrap', [...machine.slice(1), 'true']).status === 0;

let base: string;
let env: Record<string, string>;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'reeve-shown-'));
  for (const name of ['home', 'tmp']) mkdirSync(join(base, name));
  env = { HOME: join(base, 'home'), TMPDIR: join(base, 'tmp') };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const SOON = { timeout: 60_000 };

const GATE = 'Reeve, whose gate did not pass the call on';
const SERVED = 'Reeve, which serves files of the roots alone';

type Event = Readonly<Record<string, unknown>> & { readonly kind: string };

/** What lies outside the project, read while the demonstration runs. */
async function secretOutside(): Promise<string> {
  const read = (): string => {
    const [file] = globSync('reeve-demo-*/neighbour/salaries.txt', { cwd: join(base, 'tmp') });
    return file === undefined
      ? ''
      : readFileSync(join(base, 'tmp', file), 'utf8')
          .replace(/^Ada /, '')
          .trim();
  };
  await expect.poll(read, { ...SOON, interval: 10 }).toMatch(/^[0-9a-f]{24}$/);
  return read();
}

async function run(args: readonly string[], place: CliPlace = {}) {
  await using cli = startCli(['demo', ...args], env, place);
  cli.end();
  const secret = await secretOutside();
  const { code, stdout, stderr } = await cli.done;
  return { code, stdout, stderr, secret, left: readdirSync(join(base, 'tmp')) };
}

const eventsOf = (stdout: string): Event[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);
const first = (events: readonly Event[], kind: string): Event | undefined =>
  events.find((event) => event.kind === kind);

describe('the demonstration', () => {
  it('runs through by itself with --yes: a server reviewed, a question, an edit after a diff, and nothing from outside', async () => {
    const { code, stdout, stderr, secret, left } = await run(['--yes']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    for (const shown of [
      /console {2}http:\/\/127\.0\.0\.1:\d+\/#token=\S+/,
      '? review: Start the MCP server "notes" (Allow in this session, Allow in this project, Deny)\n    server ',
      '? question: Which tone is the greeting to have?',
      '    - Hello.\n    + Hello, and welcome!',
      '? permission: Edit greeting.txt (Allow once, Reject)\n  answered by --yes: Allow once',
      '· notes: count_words notes.md [completed]\n    10 words',
      '· notes: count_words ../neighbour/salaries.txt [failed]',
      / reeve roots request \S+ --session [0-9a-f-]{36}\n/,
      /audit log: intact, \d+ records checked/,
    ])
      expect(stdout).toMatch(shown);
    expect(stdout).not.toContain(secret);
    expect(left).toEqual([]);
  });

  it.skipIf(!sandboxWorks)(
    'shows that each way to a file outside is refused, by what, and what the audit log has of it (needs bubblewrap)',
    async () => {
      const { code, stdout, stderr, secret } = await run(['--yes', '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const events = eventsOf(stdout);
      expect(first(events, 'started')).toMatchObject({ enforced: true });
      const held = { backend: 'bubblewrap', fs: 'enforced' };
      expect(first(events, 'held')).toMatchObject({
        boundary: { enforcement: { agent: held, servers: { notes: held } } },
      });
      expect(events.find(({ asked }) => asked === 'review')).toMatchObject({
        review: { review: 'server', server: { name: 'notes', origin: 'client', sandboxed: true } },
      });
      expect(first(events, 'outside')?.attempts).toEqual([
        { by: 'tool', refused: true, text: expect.stringMatching(/^Reeve did not pass/), heldBy: GATE },
        {
          by: 'agent',
          refused: true,
          text: expect.stringContaining('ENOENT'),
          heldBy: expect.stringMatching(/^bubblewrap/),
        },
        { by: 'fs/read_text_file', refused: true, text: expect.stringContaining('outside the roots'), heldBy: SERVED },
      ]);
      const records = first(events, 'recorded')?.records as readonly AuditEntry[];
      expect(records.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['session.created', 'boundary.set', 'agent.started', 'mcp.approved', 'request.asked']),
      );
      expect(records.filter(({ kind }) => kind === 'request.answered').map(({ decision }) => decision)).toEqual([
        'allow',
        'answered',
        'allow',
      ]);
      const calls = records.filter(({ kind }) => kind === 'mcp.called');
      expect(calls.map(({ facts }) => facts.outcome)).toEqual(['completed', 'refused']);
      expect(first(events, 'alarmed')?.alarms).toMatchObject([
        { kind: 'boundary.alarm', facts: { server: { name: 'notes' }, tool: 'count_words' } },
      ]);
      expect(first(events, 'verified')).toMatchObject({ verdict: { kind: 'intact', problems: [] } });
      expect(stdout).not.toContain(secret);
    },
  );

  it.skipIf(!sandboxWorks)(
    'says so where no sandbox works: the boundary is declared, and was not kept (needs bubblewrap, to hide it)',
    async () => {
      const { code, stdout, secret } = await run(['--yes', '--json'], { inside: [...machine, ...hidden] });
      expect(code).toBe(0);
      const events = eventsOf(stdout);
      expect(first(events, 'started')).toMatchObject({ enforced: false, bounds: expect.stringContaining('declared') });
      expect(first(events, 'outside')?.attempts).toEqual(
        expect.arrayContaining([
          { by: 'agent', refused: false, text: '29 bytes' },
          expect.objectContaining({ by: 'tool', refused: true, heldBy: GATE }),
          expect.objectContaining({ by: 'fs/read_text_file', refused: true, heldBy: SERVED }),
        ]),
      );
      expect(stdout).not.toContain(secret);
      const { stdout: told } = await run(['--yes'], { inside: [...machine, ...hidden] });
      expect(told).toMatch('by the agent itself  NOT refused: 29 bytes');
    },
  );

  it('waits for whoever opens its address, goes on where they say no, and stays until it is told to end', async () => {
    await using cli = startCli(['demo', '--json'], env);
    const secret = await secretOutside();
    await expect.poll(() => cli.stdout().includes('"started"'), SOON).toBe(true);
    const started = first(eventsOf(cli.stdout()), 'started') as unknown as {
      url: string;
      console: string;
      project: string;
    };
    const token = new URL(started.console).hash.replace('#token=', '');
    const reeve = connectReeve({ url: started.url, token });
    const review = await asked(reeve, 'review');
    await reeve.requests.answer(review.id, { decision: 'deny' });
    const question = await asked(reeve, 'elicitation');
    await reeve.requests.answer(question.id, { content: { tone: 'formal' } });
    const permission = await asked(reeve, 'permission');
    await reeve.requests.answer(permission.id, { reply: 'reject' });
    await expect.poll(() => cli.stdout().includes('"verified"'), SOON).toBe(true);
    expect(readFileSync(join(started.project, 'greeting.txt'), 'utf8')).toBe('Hello.\n');
    const events = eventsOf(cli.stdout());
    const answers = events.filter(({ kind }) => kind === 'answered').map(({ by }) => by);
    expect(answers).toEqual(Array(3).fill('reeve-sdk 0.1.0'));
    expect(events.find(({ id, status }) => id === 'count' && status === 'failed')).toMatchObject({
      text: expect.stringContaining('was not admitted'),
    });
    const { session } = first(events, 'prompted') as unknown as { session: string };
    const log = await reeve.sessions.events(session, { limit: 1000 });
    expect(log.events.length).toBeGreaterThan(20);
    expect(JSON.stringify(log)).not.toContain(secret);
    cli.kill('SIGINT');
    const { code, stdout, stderr } = await cli.done;
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(secret);
    expect(readdirSync(join(base, 'tmp'))).toEqual([]);
  });

  it('prints without --yes too what is asked, with the whole review, and names what was answered elsewhere', async () => {
    await using cli = startCli(['demo'], env);
    const address = /console {2}(http:\S+)\/#token=(\S+)/;
    await expect.poll(() => cli.stdout(), SOON).toMatch(/\? review: Start the MCP server "notes"[\s\S]*server /);
    const [, url = '', token = ''] = address.exec(cli.stdout()) ?? [];
    const reeve = connectReeve({ url, token });
    expect((await reeve.sessions.list()).sessions).toMatchObject([{ title: 'A demonstration' }]);
    await reeve.requests.answer((await asked(reeve, 'review')).id, { decision: 'deny' });
    await expect.poll(() => cli.stdout(), SOON).toContain('Start the MCP server "notes": answered by reeve-sdk 0.1.0');
    cli.kill('SIGINT');
    await cli.done;
  });

  it('leaves nothing behind when it is interrupted while it waits', async () => {
    await using cli = startCli(['demo', '--json'], env);
    await expect.poll(() => cli.stdout().includes('"planned"'), SOON).toBe(true);
    cli.kill('SIGTERM');
    expect((await cli.done).code).toBe(130);
    expect(readdirSync(join(base, 'tmp'))).toEqual([]);
  });

  it('takes nothing of the caller: no configuration, no server, no agent', async () => {
    const own = { ...env, REEVE_CONFIG: '/nowhere.json', REEVE_URL: 'http://127.0.0.1:1', REEVE_PORT: 'x' };
    expect(await runCli(['demo', '--yes'], own)).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(join(base, 'home'))).toEqual([]);
  });

  it('refuses a port that is none', async () => {
    expect(await runCli(['demo', '--yes', '--port', 'x'], env)).toMatchObject({ code: 2 });
    expect(readdirSync(join(base, 'tmp'))).toEqual([]);
  });

  it('is what "npm run demo" starts', () => {
    const { scripts } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    expect(scripts.demo).toBe('node apps/cli/bin/reeve.js demo');
  });
});

async function asked(reeve: Reeve, kind: string): Promise<RequestInfo> {
  let found: RequestInfo | undefined;
  const look = async (): Promise<boolean> => {
    found = (await reeve.requests.list()).find((request) => request.kind === kind);
    return found !== undefined;
  };
  await expect.poll(look, SOON).toBe(true);
  return found as RequestInfo;
}
