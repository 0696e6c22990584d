import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectReeve } from '@reeve/client';
import type { AuditEntry } from '@reeve/protocol';
import {
  fakeAgentCommand,
  runCommandThenSay,
  type SpawnedReeve,
  sayText,
  startReeve,
  writeFileThenSay,
} from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callControl, readLog } from './control-calls.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';
import type { RealAgentName } from './real-agents.ts';
import { agentText, choose, connectSdkClient, type SdkClient } from './sdk-client.ts';

const SECRET = 'secret-of-the-server-7d1';
const CANARY = 'canary-of-the-sibling-93c';

interface Told {
  readonly roots: readonly { readonly path: string; readonly access: string }[];
  readonly revision: number;
  readonly network: unknown;
  readonly enforcement: { readonly agent: { readonly backend: string; readonly gaps: readonly string[] } };
}

/** What any program does that honours HTTPS_PROXY. */
const LOOK = `exec 3<>"/dev/tcp/127.0.0.1/\${HTTPS_PROXY##*:}"
printf 'CONNECT denied.example.org:443 HTTP/1.1\\r\\nHost: denied.example.org:443\\r\\n\\r\\n' >&3
head -n 1 <&3
`;

/** opencode starts slowly where much else runs. */
const LONG_MS = 120_000;

/** Real agents as everybody runs them: nothing is configured but the model that they speak to. */
describe.each<RealAgentName>(['codex', 'claude', 'opencode'])(
  'the real agent %s inside its boundary',
  { timeout: LONG_MS },
  (name) => {
    let lab: RealAgentLab;
    let client: SdkClient;
    let sessionId: string;
    let told: Told;

    beforeAll(async () => {
      lab = await openRealAgentLab(name, { env: { REEVE_TEST_SECRET: SECRET } });
      const sibling = join(dirname(lab.cwd), 'sibling');
      await mkdir(sibling);
      await writeFile(join(sibling, 'canary.txt'), CANARY);
      client = await lab.connect('websocket', { onPermission: (request) => choose(request, 'allow_once') });
      const created = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] });
      sessionId = created.sessionId;
      told = (created._meta as { 'sandboxagent.dev': { boundary: Told } })['sandboxagent.dev'].boundary;
    }, LONG_MS);
    afterAll(async () => {
      await client?.[Symbol.asyncDispose]();
      await lab?.[Symbol.asyncDispose]();
    });

    it('is told to be enforced, with its roots and its network, in results and over HTTP', async () => {
      const network = { allow: [new URL(lab.model.url).host] };
      expect(told).toMatchObject({ roots: [{ path: lab.cwd, access: 'rw' }], revision: 1, network });
      const held = { backend: 'bubblewrap', fs: 'enforced', network: 'enforced' };
      expect(told.enforcement.agent).toMatchObject(held);
      expect(await callControl(lab.reeve, `/sessions/${sessionId}`)).toMatchObject({
        enforcement: held,
        boundary: { roots: [{ path: lab.cwd, access: 'rw' }], network, enforcement: { agent: held } },
      });
    });

    it('answers, and edits a file with permission', async () => {
      lab.model.script(sayText('greet me', 'Hello from inside.'));
      expect(await ask('Please greet me')).toMatchObject({ stopReason: 'end_turn' });
      expect(agentText(client.updates, sessionId)).toContain('Hello from inside.');
      const path = join(lab.cwd, 'edited.txt');
      lab.model.script(writeFileThenSay('write the file', { path, content: 'one\ntwo\n' }, 'It is written.'));
      expect(await ask('Please write the file')).toMatchObject({ stopReason: 'end_turn' });
      expect(await readFile(path, 'utf8')).toContain('one\ntwo');
      expect(client.asked.length).toBeGreaterThan(0);
    });

    it('commits, branches and makes worktrees with git, and finds no sibling, no home and no secret of the server', async () => {
      const git = 'git -c user.name=a -c user.email=a@example.org';
      const asked = client.asked.length;
      const command = [
        'git init -q -b main .',
        'echo x > tracked.txt',
        'git add tracked.txt',
        `${git} commit -q -m first`,
        'git branch side',
        'git worktree add -q tree side',
        '(cat ../sibling/canary.txt; ls -a ..; ls -a /root /home; env) > seen.txt 2>&1',
        'true',
      ].join(' && ');
      lab.model.script(runCommandThenSay('use git', command.replace('&& true', '; true'), 'Git was used.'));
      expect(await ask('Please use git')).toMatchObject({ stopReason: 'end_turn' });
      expect(client.asked.length).toBeGreaterThan(asked);
      const log = execFileSync('git', ['-C', lab.cwd, 'log', '--all', '--format=%s %D'], { encoding: 'utf8' });
      expect(log).toContain('first');
      expect(log).toContain('side');
      expect(existsSync(join(lab.cwd, 'tree', 'tracked.txt'))).toBe(true);
      const seen = await readFile(join(lab.cwd, 'seen.txt'), 'utf8');
      expect(seen).toContain('HOME=');
      for (const hidden of [CANARY, SECRET, 'REEVE_TEST_SECRET']) expect(seen).not.toContain(hidden);
      expect(seen).toMatch(/sibling\/canary\.txt: No such file/);
    });

    it('is loaded again by a new server, in a new process that remembers', async () => {
      await client.drop();
      await lab.killAndRestart();
      client = await lab.connect('websocket', { onPermission: (request) => choose(request, 'allow_once') });
      const loaded = await client.agent.request('session/load', { sessionId, cwd: lab.cwd, mcpServers: [] });
      expect(loaded._meta).toMatchObject({
        'sandboxagent.dev': {
          restored: 'resume',
          boundary: { revision: 1, enforcement: { agent: { fs: 'enforced' } } },
        },
      });
      lab.model.script(sayText('what we said', 'We spoke of greetings.'));
      expect(await ask('Tell me what we said')).toMatchObject({ stopReason: 'end_turn' });
      const asked = lab.model.requests.findLast(({ userText, isSide }) => userText.includes('what we said') && !isSide);
      expect((asked?.conversation ?? []).map(({ text }) => text).join('\n')).toContain('Please greet me');
    });

    function ask(text: string): Promise<{ stopReason: string }> {
      return client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    }
  },
);

describe('an agent is not started', () => {
  it('where its root was deleted or swapped since it was approved, and is once it is back', async () => {
    await using lab = await openRealAgentLab('codex');
    await using client = await lab.connect('websocket');
    const cwd = join(lab.cwd, 'project');
    const library = join(lab.cwd, 'library');
    await Promise.all([mkdir(cwd), mkdir(library)]);
    const roots = [
      { path: cwd, access: 'rw' },
      { path: library, access: 'ro' },
    ];
    const _meta = { 'sandboxagent.dev': { boundary: { roots } } };
    const { sessionId } = await client.agent.request('session/new', { cwd, mcpServers: [], _meta });
    await client.agent.request('_sandboxagent/session/terminate', { sessionId });
    const started = await startsOf(lab, sessionId);
    expect(started).toBe(1);

    await rename(library, `${library}-moved`);
    expect(await promptOver(lab, sessionId)).toMatch(/Root .*library/);
    await rename(`${library}-moved`, library);
    await rename(cwd, `${cwd}-moved`);
    expect(await promptOver(lab, sessionId)).toContain('nothing there');
    await symlink('/etc', cwd);
    expect(await promptOver(lab, sessionId)).toMatch(
      /Root .*project.* is not a directory any more, but a file or a symlink/,
    );
    await unlink(cwd);
    expect(await startsOf(lab, sessionId)).toBe(started);
    await rename(`${cwd}-moved`, cwd);
    lab.model.script(sayText('greet me', 'Back again.'));
    expect(await promptOver(lab, sessionId)).toContain('end_turn');
    expect(await startsOf(lab, sessionId)).toBe(started + 1);
    const refusals = await refusalsIn(lab.reeve);
    expect(refusals).toHaveLength(2);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        session: sessionId,
        decision: 'deny',
        facts: { agent: 'codex', reason: 'bad-root' },
      });
      expect(refusal.places).toHaveLength(2);
      expect(JSON.stringify(refusal)).not.toContain(cwd);
    }
  });

  it('where no sandbox works, and the error says both ways out', async () => {
    const agents = { fake: fakeAgentCommand() };
    await using reeve = await startReeve({ config: { sandbox: { backend: 'container' }, agents } });
    const refused: unknown = await connectSdkClient(reeve, { transport: 'websocket' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 47001,
      message: expect.stringMatching(
        /no sandbox works here: no container engine.*Nothing was started.*"sandbox.require" to "declared"/,
      ),
      data: { reason: 'no-sandbox', next: expect.stringContaining('reeve doctor') },
    });
    expect(await refusalsIn(reeve)).toMatchObject([{ facts: { agent: 'fake', reason: 'no-sandbox' } }]);
    // Over HTTP the step is the same: whether the agent is installed is not the question.
    const next = expect.stringMatching(/^Do what the message says, .*"reeve doctor"/);
    await expect(connectReeve(reeve).sessions.create({ cwd: tmpdir() })).rejects.toMatchObject({
      code: 'agent_start_failed',
      next,
    });
    expect(reeve.stderr()).toContain(
      'agents are not started: no sandbox works here (no container engine is configured)',
    );
  });

  it('where the client asks for a boundary that is only declared, and the configuration does not allow it', async () => {
    await using lab = await openRealAgentLab('codex');
    await using client = await lab.connect('websocket');
    const _meta = { 'sandboxagent.dev': { boundary: { require: 'declared' } } };
    const refused: unknown = await client.agent
      .request('session/new', { cwd: lab.cwd, mcpServers: [], _meta })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ message: expect.stringContaining('"sandbox.require" to "declared"') });
  });
});

describe('an agent that asks for a host that is not in its list', () => {
  it('is refused, and the session says so', async () => {
    await using lab = await openRealAgentLab('codex');
    await using client = await lab.connect('websocket', { onPermission: (request) => choose(request, 'allow_once') });
    const { sessionId } = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] });
    await writeFile(join(lab.cwd, 'look.sh'), LOOK);
    lab.model.script(runCommandThenSay('look there', 'bash look.sh > asked.txt', 'Looked.'));
    await client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Please look there' }] });
    expect(await readFile(join(lab.cwd, 'asked.txt'), 'utf8')).toContain('403');
    const notes = (await readLog(lab.reeve, sessionId)).map(({ message }) => message);
    expect(notes).toContainEqual(
      expect.objectContaining({ type: 'egress', host: 'denied.example.org', port: 443, decision: 'denied' }),
    );
    expect(lab.reeve.stderr()).toContain('denied.example.org');
  });
});

/** What the audit log has of agents that were not started, oldest first. */
async function refusalsIn({ url, token }: SpawnedReeve): Promise<readonly AuditEntry[]> {
  return (await connectReeve({ url, token }).audit.list({ kind: 'agent.refused', order: 'oldest' })).records;
}

async function startsOf({ reeve }: RealAgentLab, sessionId: string): Promise<number> {
  const log = await readLog(reeve, sessionId);
  return log.filter(({ message }) => (message as { type?: unknown }).type === 'agent_started').length;
}

/** The answer to a prompt over HTTP, or how it failed. */
async function promptOver({ reeve }: RealAgentLab, sessionId: string): Promise<string> {
  const body = JSON.stringify({ prompt: 'Please greet me' });
  return callControl(reeve, `/sessions/${sessionId}/prompt`, { method: 'POST', body }).then(JSON.stringify, String);
}
