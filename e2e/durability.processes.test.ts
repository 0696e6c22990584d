import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  connectWebSocket,
  fakeAgentCommand,
  type JsonRpcPeer,
  type SpawnedReeve,
  type Step,
  script,
  startReeve,
} from '@reeve/testkit';
import { describe, expect, it } from 'vitest';
import { readLog } from './control-calls.ts';

const cwd = tmpdir();
const FILESYSTEM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
/** How long what the server started may outlive it; far less, but on a busy machine. */
const GRACE_MS = 20_000;

/** Agents that do not want to go, with children in their group, out of it, and at their stdio. */
const STUBBORN = {
  child: fakeAgentCommand(['--grandchild', '--ignore-eof', '--ignore-sigterm']),
  setsid: fakeAgentCommand(['--grandchild=setsid', '--ignore-eof', '--ignore-sigterm']),
  hold: fakeAgentCommand(['--grandchild=hold']),
};

const canContain =
  spawnSync('bwrap', ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;

describe.runIf(process.platform === 'linux')('the processes of a server', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'are gone with it when it ends by %s, in the middle of turns',
    async (signal) => {
      await using reeve = await startReeve({ config: { agents: STUBBORN, defaultAgent: 'child' } });
      for (const agent of Object.keys(STUBBORN)) {
        const { peer, sessionId } = await openSession(reeve, agent);
        void prompt(peer, sessionId, { say: 'begun' }, { refuseCancel: true }, { sleep: 60_000 }).catch(
          () => undefined,
        );
        await peer.waitFor((message) => message.method === 'session/update');
      }
      const started = descendants(reeve.pid);
      // Each agent and its grandchild, twice: one answered initialize, one has the session.
      expect(started.length).toBeGreaterThanOrEqual(12);
      await reeve.kill(signal);
      await expect.poll(() => started.filter(isAlive), { timeout: GRACE_MS, interval: 20 }).toEqual([]);
    },
  );

  it.runIf(canContain)(
    'are gone with a server that is killed, whoever left group, environment and parent (needs bubblewrap and user namespaces)',
    async () => {
      const words = `sleep 3${Math.floor(Math.random() * 1e9)}.5`;
      const orphan = `(setsid env -i /bin/sh -c '${words}; true' </dev/null >/dev/null 2>&1 &); exec "$0" "$@"`;
      const { command, args } = fakeAgentCommand();
      const agent = { command: '/bin/sh', args: ['-c', orphan, command, ...args], env: { PATH: '/usr/bin:/bin' } };
      await using reeve = await startReeve({ config: { agents: { leaver: agent }, defaultAgent: 'leaver' } });
      await openSession(reeve, 'leaver');
      const left = descendants(reeve.pid).filter((pid) => commandLineOf(pid).includes(words));
      expect(left.length).toBeGreaterThan(0);
      await reeve.kill('SIGKILL');
      await expect.poll(() => left.filter(isAlive), { timeout: GRACE_MS, interval: 20 }).toEqual([]);
    },
  );

  it.runIf(canContain)(
    'are gone with a server that is killed, its MCP servers in their sandboxes too (needs bubblewrap and user namespaces)',
    async () => {
      const project = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-killed-')));
      await using _ = { [Symbol.asyncDispose]: async () => rmSync(project, { recursive: true }) };
      writeFileSync(join(project, 'package.json'), '{}');
      const agents = { fake: { ...fakeAgentCommand(), sandbox: { readOnly: [resolve(import.meta.dirname, '..')] } } };
      const files = { command: process.execPath, args: [FILESYSTEM, project] };
      const config = { sandbox: {}, agents, defaultAgent: 'fake', mcpServers: { files } };
      await using reeve = await startReeve({ config });
      await openSession(reeve, 'fake', project);
      const servers = (): number[] => descendants(reeve.pid).filter((pid) => commandLineOf(pid).includes(FILESYSTEM));
      await expect.poll(servers).not.toEqual([]);
      const started = descendants(reeve.pid);
      await reeve.kill('SIGKILL');
      await expect.poll(() => started.filter(isAlive), { timeout: GRACE_MS, interval: 20 }).toEqual([]);
    },
  );

  it('are gone with their session when it is closed', async () => {
    await using reeve = await startReeve({ config: { agents: STUBBORN, defaultAgent: 'setsid' } });
    const { peer: first, sessionId: kept } = await openSession(reeve, 'setsid');
    const before = new Set(descendants(reeve.pid));
    const { peer, sessionId } = await openSession(reeve, 'setsid');
    const own = descendants(reeve.pid).filter((pid) => !before.has(pid));
    expect(own.length).toBeGreaterThanOrEqual(2);
    await peer.request('session/close', { sessionId });
    await expect.poll(() => own.filter(isAlive), { timeout: GRACE_MS + 3_000, interval: 20 }).toEqual([]);
    expect(await prompt(first, kept, { say: 'still here' })).toMatchObject({ stopReason: 'end_turn' });
  });
});

describe('a server that is told to stop', () => {
  it('answers the prompts that run, writes their end down and exits with 0', async () => {
    await using reeve = await startReeve();
    const { peer, sessionId } = await openSession(reeve, 'fake');
    const turn = prompt(peer, sessionId, { say: 'begun' }, { untilCancel: { say: 'last words' } });
    await peer.waitFor((message) => message.method === 'session/update');
    await reeve.kill('SIGTERM');
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(await reeve.ended).toEqual({ code: 0, signal: null });

    const next = await reeve.restart();
    const log = await readLog(next, sessionId);
    const place = (what: string): number => log.findIndex(({ message }) => JSON.stringify(message).includes(what));
    const turnEnd = log.findIndex(({ kind }) => kind === 'turn_end');
    expect(log.at(-1)?.message).toMatchObject({ type: 'session_ended', reason: 'shutdown' });
    expect(place('"last words"')).toBeGreaterThan(0);
    expect(place('"last words"')).toBeLessThan(turnEnd);
  });

  it('ends at once at the second signal', async () => {
    const patient = { agentStopGraceMs: 30_000, agentStopKillMs: 30_000, shutdownMs: 90_000 };
    await using reeve = await startReeve({
      config: { agents: STUBBORN, defaultAgent: 'child', timeouts: patient },
    });
    await openSession(reeve, 'child');
    const started = descendants(reeve.pid);
    process.kill(reeve.pid, 'SIGTERM');
    await expect.poll(() => reeve.stderr()).toContain('stopping');
    const at = performance.now();
    await reeve.kill('SIGTERM');
    // Ending in order takes such agents two graces of 30 s.
    expect(performance.now() - at).toBeLessThan(10_000);
    await expect.poll(() => started.filter(isAlive), { timeout: GRACE_MS, interval: 20 }).toEqual([]);
  });
});

async function openSession(
  reeve: SpawnedReeve,
  agent: string,
  directory = cwd,
): Promise<{ peer: JsonRpcPeer; sessionId: string }> {
  const peer = await connectWebSocket(`${reeve.url}/acp?agent=${agent}`, { token: reeve.token });
  await peer.request('initialize', { protocolVersion: 1 });
  const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd: directory, mcpServers: [] });
  return { peer, sessionId };
}

function prompt(peer: JsonRpcPeer, sessionId: string, ...steps: Step[]): Promise<Record<string, unknown>> {
  return peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script(...steps) }] });
}

/** Every process below `root`, in whatever process group. */
function descendants(root: number): number[] {
  if (process.platform !== 'linux') return [];
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = Number(statOf(Number(name))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  for (let next = children.get(root) ?? []; next.length > 0; next = next.flatMap((pid) => children.get(pid) ?? [])) {
    found.push(...next);
  }
  return found;
}

function isAlive(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** State, parent, … of a process (proc(5), stat, from the third field on). */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}
