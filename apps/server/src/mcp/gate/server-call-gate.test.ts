import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CallApproval } from '../../boundary/server-guard.ts';
import { base, call, lookalike, open, outside, root, rw, textOf } from './gate.rig.ts';

afterEach(() => vi.useRealTimers());

describe('where the paths of a call lead', () => {
  it.each([
    'file',
    '.',
    'new/deep/er',
    './a/../file',
    'link',
    'loop/x',
    join(root, 'file'),
    `${root}/`,
    join(root, 'a/../file'),
    root,
  ])('is inside, and the call is passed on: %s', async (path) => {
    const { check, said } = open();
    expect((await check(call({ path }))).kind).toBe('forward');
    expect(said.alarms).toEqual([]);
  });

  it.each([
    join(outside, 'file'),
    join(lookalike, 'file'),
    '..',
    '../outside/file',
    'out/file',
    'dangling',
    'self/etc/passwd',
    `${root}/../outside`,
    `${root}/out/../outside/file`,
    '/etc/passwd',
    '/',
    '~/x',
    '/nonexistent/place',
    '%2e%2e/outside/file',
  ])('is outside, and the call is refused with an alarm: %s', async (path) => {
    const { check, said } = open();
    const text = textOf(await check(call({ path })));
    expect(text).toContain('The root that would be needed is');
    expect(text).toContain(`It may reach ${root} (rw)`);
    expect(said.alarms).toMatchObject([{ by: 'agent', tool: 'tool', access: 'rw' }]);
    expect(said.ended).toMatchObject([{ outcome: 'refused', by: 'gate' }]);
  });

  it('is inside of a root that is a file for that file alone', async () => {
    const file = { path: join(outside, 'file'), access: 'rw', kind: 'file' } as const;
    const { check, said } = open({ roots: [{ path: root, access: 'rw' }, file] });
    for (const path of [file.path, 'out/file', `${outside}/./file`]) {
      expect((await check(call({ path }))).kind).toBe('forward');
    }
    for (const path of [
      outside,
      join(outside, 'other'),
      `${file.path}x`,
      `${file.path}/below`,
      `${file.path}/../other`,
    ]) {
      expect(textOf(await check(call({ path })))).toContain('The root that would be needed is');
    }
    expect(said.alarms).toHaveLength(5);
    const alone = open({ roots: [file] });
    expect((await alone.check(call({ path: file.path }))).kind).toBe('forward');
    expect((await alone.check(call({ path: 'relative' }))).kind).toBe('forward');
    for (const path of [join(outside, 'other'), '../etc/passwd']) {
      expect((await alone.check(call({ path }))).kind).toBe('refuse');
    }
  });

  it('begins where the server works, which need not be its first root, nor all of one', async () => {
    const roots = [outside, root].map((path) => ({ path, access: 'rw' as const }));
    const { check, said } = open({ roots, cwd: join(root, 'a') });
    for (const path of ['../link', '../../outside/file']) expect((await check(call({ path }))).kind).toBe('forward');
    for (const path of ['../../root-evil/file', '../../file'])
      expect((await check(call({ path }))).kind).toBe('refuse');
    expect(said.alarms.map(({ path }) => path)).toEqual([join(lookalike, 'file'), join(base, 'file')]);
    const first = open({ roots: [{ path: root, access: 'rw' }], cwd: join(root, 'a') });
    expect((await first.check(call({ path: '../file' }))).kind).toBe('forward');
  });

  it.each([
    ['~/.bashrc', /\/home\/nobody, one of high risk. It is a whole home directory/],
    ['/etc/passwd', /\/etc, one of high risk. It belongs to the operating system/],
    ['/initrd.img.none', /is \/, which can be none/],
  ])('is not asked for where the root would hold far more than the call is about: %s', async (path, words) => {
    const text = textOf(await open().check(call({ path })));
    expect(text).toMatch(words);
    expect(text).toContain('Ask a person to put what is needed into a root');
    expect(text).not.toContain('roots request');
  });

  it('is told with the root that would be needed, and of a link no more than the link says', async () => {
    const { check, said } = open();
    expect(textOf(await check(call({ path: join(outside, 'file') })))).toContain(
      `The root that would be needed is ${outside}. A person can be asked for it: reeve roots request ${outside} --session ses_1`,
    );
    const deeper = join(base, 'deeper');
    symlinkSync(deeper, join(root, 'chain'));
    symlinkSync('/etc', deeper);
    const text = textOf(await check(call({ path: 'chain/passwd' })));
    expect(text).toContain(`leads through a symbolic link to ${deeper}/passwd`);
    expect(text).not.toContain('/etc');
    expect(said.alarms.at(-1)?.path).toBe('/etc/passwd');
  });

  it('is no matter where the machine has no such place, or where it is prose', async () => {
    const { check } = open();
    for (const message of ['/api/v1/users', '/ and other prose', '/etc and other prose', 'and/or', '/help', '1/2']) {
      expect((await check(call({ message }))).kind).toBe('forward');
    }
    expect((await check(call({ message: '/etc/passwd' }))).kind).toBe('refuse');
  });

  it('is no matter for a server without roots that only names places of its own', async () => {
    const { check } = open({ roots: [] });
    for (const path of ['src/index.ts', '/api/users', 'a/../b'])
      expect((await check(call({ path }))).kind).toBe('forward');
    for (const path of ['/etc/passwd', '../etc/passwd']) expect((await check(call({ path }))).kind).toBe('refuse');
  });

  it('is the matter of another machine for a remote server, but for file URIs', async () => {
    const { check } = open({ server: { transport: { kind: 'http', url: 'https://example.org/mcp', headers: {} } } });
    expect((await check(call({ path: '/etc/nginx' }))).kind).toBe('forward');
    expect((await check(call({ uri: 'file:///etc/nginx' }))).kind).toBe('refuse');
    const here = open({ server: { transport: { kind: 'http', url: 'http://127.0.0.1:9/mcp', headers: {} } } });
    expect((await here.check(call({ path: '/etc/nginx' }))).kind).toBe('refuse');
  });

  it('is asked of resources, prompts and completions too', async () => {
    const { check } = open();
    const read = (uri: string) => check(call({}, { method: 'resources/read', params: { uri } }));
    expect((await read('file:///etc/passwd')).kind).toBe('refuse');
    expect((await read(`file://${root}/file`)).kind).toBe('forward');
    expect((await read('test://static/1')).kind).toBe('forward');
    expect(textOf(await read(`file://localhost${root}/file`))).toContain('without a host name');
  });
});

describe('a decision about a call', () => {
  it('is refused by policy with its ids, and recorded', async () => {
    const { check, said } = open({ decide: () => 'deny' });
    expect(textOf(await check(call({ path: 'file' })))).toContain('decided by policy0');
    expect(said.ended).toMatchObject([
      { outcome: 'refused', by: 'policy', call: { paths: [join(root, 'file')], tool: 'tool' } },
    ]);
  });

  it('records how a call that was passed on ended, once', async () => {
    const { check, said } = open();
    const verdict = await check(call({ path: 'file' }));
    if (verdict.kind !== 'forward') throw new Error('refused');
    verdict.done('completed');
    verdict.done('failed');
    expect(said.ended).toMatchObject([{ outcome: 'completed' }]);
  });

  it('of a person is waited for, and the approved call runs once', async () => {
    const { check, said } = open({
      decide: () => 'ask_user',
      answer: async () => ({ kind: 'approved', by: 'someone' }),
    });
    expect((await check(call({ path: 'file' }))).kind).toBe('forward');
    expect((await check(call({ path: 'file' }))).kind).toBe('forward');
    expect(said.asked).toHaveLength(2);
    expect(said.asked[0]).toBe(said.asked[1]);
  });

  it('of a person is recorded with who gave it or refused it, and the request', async () => {
    const asked = { by: 'someone', request: 'r-1' };
    const approved = open({ decide: () => 'ask_user', answer: async () => ({ kind: 'approved', ...asked }) });
    const verdict = await approved.check(call({ path: 'file' }));
    if (verdict.kind === 'forward') verdict.done('completed');
    expect(approved.said.ended).toMatchObject([{ outcome: 'completed', asked }]);
    const refused = open({ decide: () => 'ask_user', answer: async () => ({ kind: 'denied', ...asked }) });
    await refused.check(call({ path: 'file' }));
    expect(refused.said.ended).toMatchObject([{ outcome: 'refused', by: 'person', asked }]);
  });

  it('is asked for by what the call says, whatever the order of its members', async () => {
    const { check, said } = open({ decide: () => 'ask_user' });
    await check(call({ path: 'file', other: 1 }));
    await check(call({ other: 1, path: 'file' }));
    await check(call({ other: 2, path: 'file' }));
    expect(said.asked[0]).toBe(said.asked[1]);
    expect(said.asked[2]).not.toBe(said.asked[0]);
    expect(said.asked.join()).not.toContain('file');
  });

  it('is declined by a person, or pending when the agent has no more patience', async () => {
    const declined = open({ decide: () => 'ask_user', answer: async () => ({ kind: 'denied', by: 'someone' }) });
    expect(textOf(await declined.check(call({ path: 'file' })))).toContain('declined');
    expect(declined.said.ended).toMatchObject([{ outcome: 'refused', by: 'person' }]);
    const slow = open({ decide: () => 'ask_admin', patienceMs: 30, answer: pendingUntilAborted });
    expect(textOf(await slow.check(call({ path: 'file' })))).toMatch(/^pending approval: send the same call again/);
    expect(slow.said.dropped).toEqual([]);
    expect(slow.said.ended).toMatchObject([{ outcome: 'refused', by: 'deadline' }]);
  });

  it('is asked about one after the other when the same call comes twice', async () => {
    const answers: ((approval: CallApproval) => void)[] = [];
    const { check, said } = open({
      decide: () => 'ask_user',
      answer: () => new Promise((resolve) => answers.push(resolve)),
    });
    const both = [check(call({ path: 'file' })), check(call({ path: 'file' }))];
    await expect.poll(() => answers).toHaveLength(1);
    await delay(20);
    expect(said.asked).toHaveLength(1);
    answers[0]?.({ kind: 'approved', by: 'someone' });
    await expect.poll(() => answers).toHaveLength(2);
    answers[1]?.({ kind: 'denied', by: 'someone' });
    expect((await Promise.all(both)).map(({ kind }) => kind).sort()).toEqual(['forward', 'refuse']);
  });

  it('is no longer waited for when the turn is cancelled or the call taken back', async () => {
    const { check, gate, said } = open({ decide: () => 'ask_user', answer: pendingUntilAborted });
    const held = check(call({ path: 'file' }));
    await expect.poll(() => said.asked).toHaveLength(1);
    gate.dropHolds('The turn was cancelled.');
    expect(textOf(await held)).toBe('The turn was cancelled.');
    const back = new AbortController();
    const other = check(call({ path: 'file' }), back.signal);
    await expect.poll(() => said.asked).toHaveLength(2);
    back.abort();
    expect((await other).kind).toBe('refuse');
    expect(said.dropped).toEqual(['The turn was cancelled.', 'The call was taken back.']);
  });

  it('is not asked of anybody for arguments that are no text', async () => {
    const { check, said } = open({ decide: () => 'ask_user' });
    expect(textOf(await check(call({ x: '\ud800' })))).toContain('not Unicode');
    expect(said.asked).toEqual([]);
  });
});

describe('a call for which nothing is looked up or asked', () => {
  it('is passed on in the very tick in which it comes, and recorded, but for a change or a server that is behind', async () => {
    const { gate, become, said } = open();
    const signal = new AbortController().signal;
    const plain = () => gate.check(call({ text: 'hello' }), { signal });
    const verdict = plain();
    if (verdict instanceof Promise || verdict.kind !== 'forward') throw new Error('held');
    verdict.done('completed');
    expect(said.ended).toMatchObject([{ outcome: 'completed' }]);
    expect(gate.check(call({ path: 'file' }), { signal })).toBeInstanceOf(Promise);
    const change = become([]);
    const changing = gate.scopeChanging(change);
    const held = plain();
    expect(held).toBeInstanceOf(Promise);
    await changing;
    gate.serverStarted(2);
    gate.scopeChanged(change);
    expect((await held).kind).toBe('forward');
    gate.rootsAnswered(2);
    gate.serverStarted(3);
    expect(plain()).toBeInstanceOf(Promise);
  });

  it('is held where policies ask, and refused where they forbid', async () => {
    const denied = open({ decide: () => 'deny' });
    expect((await denied.check(call({ text: 'hello' }))).kind).toBe('refuse');
    const asked = open({ decide: () => 'ask_user' });
    expect((await asked.check(call({ text: 'hello' }))).kind).toBe('refuse');
    expect(asked.said.asked).toHaveLength(1);
  });
});

describe('a change of the boundary', () => {
  it('holds calls until it is through, and then judges them by the new roots', async () => {
    const { check, gate, become } = open();
    const change = become([]);
    await gate.scopeChanging(change);
    const held = check(call({ path: join(root, 'file') }));
    expect(await Promise.race([held, delay(50, 'held')])).toBe('held');
    gate.serverStarted(2);
    gate.scopeChanged(change);
    expect((await held).kind).toBe('refuse');
  });

  it('judges a call again that was being looked at when it came', async () => {
    const { check, gate, become } = open();
    const racing = check(call({ path: join(root, 'file') }));
    const change = become([]);
    await gate.scopeChanging(change);
    gate.scopeChanged(change);
    expect((await racing).kind).toBe('refuse');
  });

  it.each([
    ['cancel', { path: 'file' }, true],
    ['cancel', { no: 'path' }, true],
    ['cancel', { path: join(outside, 'file') }, false],
    ['finish', { path: 'file' }, false],
  ] as const)('with "%s" ends calls in flight that depend on what it takes: %j %s', async (calls, args, ended) => {
    const { check, gate, become, said } = open({ roots: [...rw, { path: outside, access: 'ro' }], drainMs: 20_000 });
    const verdict = await check(call(args));
    if (verdict.kind !== 'forward') throw new Error('refused');
    const began = performance.now();
    const changing = gate.scopeChanging(become([{ path: outside, access: 'ro' }], calls));
    expect(verdict.revocation?.reason !== undefined).toBe(ended);
    if (ended) expect(verdict.revocation?.reason).toContain('was narrowed while it ran');
    await delay(30);
    verdict.done('completed');
    await changing;
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(said.ended).toMatchObject([{ outcome: ended ? 'cancelled' : 'completed' }]);
  });

  it.each([
    ['finish', false],
    ['cancel', true],
  ] as const)('that only gives something does with "%s" the same to every call in flight', async (calls, ended) => {
    const { check, gate, become, said } = open();
    const verdict = await check(call({ path: 'file' }));
    if (verdict.kind !== 'forward') throw new Error('refused');
    const changing = gate.scopeChanging(become([...rw, { path: outside, access: 'ro' }], calls));
    expect(verdict.revocation?.reason !== undefined).toBe(ended);
    if (ended) expect(verdict.revocation?.reason).toContain('was widened while it ran');
    verdict.done('completed');
    await changing;
    expect(said.ended).toMatchObject([{ outcome: ended ? 'cancelled' : 'completed' }]);
  });

  it('waits no longer for calls in flight than they have time', async () => {
    const { check, gate, become } = open();
    await check(call({ path: 'file' }));
    const began = performance.now();
    await gate.scopeChanging(become([], 'finish'));
    expect(performance.now() - began).toBeGreaterThanOrEqual(195);
  });

  it('asks a person whether a call may go on, where policy says so', async () => {
    const { check, gate, become, said } = open({ answer: async () => ({ kind: 'denied', by: 'someone' }) });
    const verdict = await check(call({ path: 'file' }));
    if (verdict.kind !== 'forward') throw new Error('refused');
    const changing = gate.scopeChanging(become([], 'ask'));
    await expect.poll(() => verdict.revocation?.reason).toBeDefined();
    verdict.done('failed');
    await changing;
    expect(said.asked).toHaveLength(1);
  });

  it('ends every call of a server that may not run any more', async () => {
    const { check, gate, become } = open();
    const verdict = await check(call({ path: 'file' }));
    if (verdict.kind !== 'forward') throw new Error('refused');
    const changing = gate.scopeChanging({ ...become(rw, 'finish'), withdrawn: 'it was forgotten' });
    expect(verdict.revocation?.reason).toBeDefined();
    verdict.done('failed');
    await changing;
  });

  it('holds calls of a server that keeps its roots until it has fetched them again', async () => {
    const { check, gate, become, said } = open({ roots: [...rw, { path: outside, access: 'ro' }] });
    gate.serverStarted(1);
    gate.rootsAnswered(1);
    const change = become(rw);
    await gate.scopeChanging(change);
    gate.scopeChanged(change);
    const held = check(call({ path: 'file' }));
    expect(await Promise.race([held, delay(30, 'held')])).toBe('held');
    gate.rootsAnswered(2);
    expect((await held).kind).toBe('forward');
    expect(said.stale).toEqual([false]);
  });

  it('holds calls of a server that was started again until it has asked for its roots, as it did before', async () => {
    const { check, gate, said } = open();
    gate.serverStarted(1);
    gate.rootsAnswered(1);
    gate.serverStarted(2);
    const held = check(call({ path: 'file' }));
    expect(await Promise.race([held, delay(30, 'held')])).toBe('held');
    gate.rootsAnswered(2);
    expect((await held).kind).toBe('forward');
    gate.serverStarted(3);
    expect((await check(call({ path: 'file' }))).kind).toBe('forward');
    expect(said.stale).toEqual([false, false]);
  });

  it('lets policy decide about calls of a server that does not fetch them in time', async () => {
    const { check, gate, become } = open({ decide: (_, stale) => (stale ? 'deny' : 'allow') });
    gate.serverStarted(1);
    gate.rootsAnswered(1);
    const change = become([...rw, { path: outside, access: 'ro' }]);
    await gate.scopeChanging(change);
    gate.scopeChanged(change);
    expect((await check(call({ path: 'file' }))).kind).toBe('refuse');
    expect((await check(call({ path: 'file' }, { era: 'stateless' }))).kind).toBe('forward');
    gate.rootsAnswered(2);
    await delay(40);
    expect((await check(call({ path: 'file' }))).kind).toBe('forward');
  });
});

function pendingUntilAborted(_key: string, signal: AbortSignal): Promise<CallApproval> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'pending' })));
}
