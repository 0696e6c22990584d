import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCall } from '../call-gate.ts';
import { MAX_CALL_NAME } from './call-summary.ts';
import { call, open, outside, root, textOf } from './gate.rig.ts';

describe('a message that is no call', () => {
  it.each([
    ['tools/list', { cursor: join(outside, 'file') }],
    ['resources/unsubscribe', { uri: `file://${outside}/file` }],
    ['logging/setLevel', { level: join(outside, 'file') }],
    ['tasks/get', { taskId: '../outside/file' }],
    ['notifications/x/own', { deep: [{ path: 'out/file' }] }],
    ['notifications/progress', { message: `at file://${outside}/file.` }],
    ['elicitation/create', { action: 'accept', content: { file: join(outside, 'file') } }],
    ['resources/unsubscribe', { uri: 'file://localhost/etc' }],
  ])('is refused with a path outside, and recorded: %s %j', async (method, params) => {
    const { gate, said } = open();
    expect(textOf(await gate.screen({ method, params }))).toContain('Reeve did not pass this call on');
    expect(said.ended).toMatchObject([{ outcome: 'refused', by: 'gate' }]);
    expect(said.asked).toEqual([]);
  });

  it('is passed on at once without one, and recorded nowhere', () => {
    const { gate, said } = open({ decide: () => 'deny' });
    for (const [method, params] of [
      ['tools/list', undefined],
      ['tools/list', { cursor: 'cGFnZTI=' }],
      ['logging/setLevel', { level: 'debug' }],
      ['tasks/cancel', { taskId: '786512e2-9e0d-44bd-8f29-789f320fe840' }],
    ] as const)
      expect(gate.screen({ method, params })).toMatchObject({ kind: 'forward' });
    expect(said.ended).toEqual([]);
    expect(said.alarms).toEqual([]);
  });

  it('is passed on with a path inside, and without a member of _meta that names one outside', async () => {
    const { gate, said } = open();
    const params = { path: join(root, 'file'), _meta: { 'a/b': join(outside, 'file'), 'c/d': 1 } };
    expect(await gate.screen({ method: 'notifications/x', params })).toEqual({ kind: 'forward', withoutMeta: ['a/b'] });
    expect(said.ended).toEqual([]);
  });

  it('is everything that makes a server neither act nor tell of anything new, and no method that nobody knows', () => {
    const plain = ['tools/list', 'resources/unsubscribe', 'logging/setLevel', 'tasks/result'];
    expect(plain.filter(isCall)).toEqual([]);
    const calls = ['tools/call', 'resources/read', 'resources/subscribe', 'completion/complete', 'tasks/update', 'x/y'];
    expect(calls.filter(isCall)).toEqual(calls);
  });
});

describe('a call of any method', () => {
  it.each([
    ['x/own', { anything: [join(outside, 'file')] }],
    ['x/own', [join(outside, 'file')]],
    ['resources/subscribe', { uri: `file://${outside}/file` }],
    ['prompts/get', { name: 'p', arguments: { file: join(outside, 'file') } }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: `file://${outside}/{name}` }, argument: {} }],
    ['completion/complete', { ref: {}, argument: { name: 'x', value: join(outside, 'file') } }],
    ['completion/complete', { ref: {}, argument: {}, context: { arguments: { x: join(outside, 'file') } } }],
    ['tools/call', { name: 'tool', arguments: { paths: JSON.stringify([join(outside, 'file')]) } }],
    ['tools/call', { name: 'tool', arguments: { path: 'o%75t/file' } }],
  ])('is refused with a path outside: %s %j', async (method, params) => {
    const { check, said } = open();
    expect(textOf(await check(call({}, { method, params })))).toContain('The root that would be needed is');
    expect(said.alarms).toHaveLength(1);
  });
});

describe('what is recorded of a call', () => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';

  it.each([
    ['tools/call', { name: secret }, false, { method: 'tools/call', tool: 'other' }],
    ['tools/call', { name: '/etc/passwd' }, false, { method: 'tools/call', tool: 'other' }],
    ['tools/call', { name: 'edit' }, true, { method: 'tools/call', tool: 'edit' }],
    ['prompts/get', { name: 'home/jo' }, false, { method: 'prompts/get', tool: 'other' }],
    ['resources/read', { uri: `x://${secret}` }, false, { method: 'resources/read', tool: undefined }],
    [secret, undefined, false, { method: 'other', tool: undefined }],
    ['etc/passwd', { name: secret }, false, { method: 'other', tool: 'other' }],
  ])('is no name that an agent may have made up: %s %j', async (method, params, listed, recorded) => {
    const { check, said } = open();
    const verdict = await check(call({}, { method, params, isListed: () => listed }));
    if (verdict.kind === 'forward') verdict.done('completed');
    expect(said.ended.map(({ call: { recorded: what } }) => what)).toEqual([recorded]);
  });

  it('is the name where the server lists it while the call is under way', async () => {
    const { check, said } = open();
    let isListed = false;
    const verdict = await check(call({}, { params: { name: 'edit' }, isListed: () => isListed }));
    if (verdict.kind === 'forward') verdict.done('completed');
    const names = () => said.ended.map(({ call: { recorded: what } }) => what.tool);
    expect(names()).toEqual(['other']);
    isListed = true;
    expect(names()).toEqual(['edit']);
  });

  it('is no such name in an alarm either', async () => {
    const { check, said } = open();
    await check(call({}, { params: { name: secret, arguments: { path: '/etc/passwd' } }, isListed: () => false }));
    expect(said.alarms).toMatchObject([{ tool: 'other' }]);
  });

  it('leaves policies and people the name as it is', async () => {
    const told: unknown[] = [];
    const { check } = open({
      decide: ({ method, tool }) => {
        told.push([method, tool]);
        return 'allow';
      },
    });
    await check(call({}, { params: { name: 'hidden' }, isListed: () => false }));
    await check(call({}, { method: 'x/own', params: undefined, isListed: () => false }));
    expect(told).toEqual([
      ['tools/call', 'hidden'],
      ['x/own', undefined],
    ]);
  });

  it.each([
    ['tools/call', { name: 'x'.repeat(MAX_CALL_NAME + 1) }],
    ['tools/call', { name: 'half a pair: \ud800' }],
    ['tools/call', { name: ['edit'] }],
    ['prompts/get', { name: { toString: 'edit' } }],
    ['x'.repeat(MAX_CALL_NAME + 1), undefined],
  ])('is little where the name is none: the call is refused (%.10s)', async (method, params) => {
    const decided: string[] = [];
    const { check, said } = open({
      decide: ({ method: of, tool = '' }) => {
        decided.push(of, tool);
        return 'allow';
      },
    });
    expect(textOf(await check(call({}, { method, params })))).toContain(`at most ${MAX_CALL_NAME} characters`);
    expect(said.ended).toMatchObject([{ outcome: 'refused', by: 'gate' }]);
    expect(Math.max(...decided.map(({ length }) => length))).toBeLessThanOrEqual(MAX_CALL_NAME);
  });

  it('is passed on where it is as long as it may be', async () => {
    const { check } = open();
    expect((await check(call({}, { params: { name: 'x'.repeat(MAX_CALL_NAME) } }))).kind).toBe('forward');
  });
});
