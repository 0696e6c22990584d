import type { WireEvent } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffsOf, textOf } from './content.ts';
import { hasSeq, indexOfSeq, Timeline, timelineOf } from './timeline.ts';
import type { TimelineItem, ToolItem } from './timeline-item.ts';

type Draft = Omit<WireEvent, 'seq' | 'at' | 'connection'> & { readonly connection?: string };

/** One event each millisecond. */
const log = (...events: readonly Draft[]): WireEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, at: 1000 + index }) as unknown as WireEvent);

const update = (sessionUpdate: string, members: object = {}, source: WireEvent['source'] = 'agent'): Draft => ({
  source,
  kind: 'update',
  message: {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate, ...members } },
  },
});
const text = (words: string): object => ({ content: { type: 'text', text: words } });
const prompt = (words: string): Draft[] => [
  {
    source: 'client',
    kind: 'prompt',
    connection: 'c',
    message: { id: 1, method: 'session/prompt', params: { prompt: [{ type: 'text', text: words }] } },
  },
  update('user_message_chunk', text(words), 'client'),
];
const turnEnd = (stopReason = 'end_turn'): Draft => ({
  source: 'agent',
  kind: 'turn_end',
  message: { id: 1, result: { stopReason } },
});
const ask = (id: number): Draft => ({
  source: 'agent',
  kind: 'request',
  message: { id, method: 'session/request_permission', params: { options: [] } },
});
const answer = (id: number): Draft => ({
  source: 'client',
  kind: 'response',
  connection: 'c',
  message: { id, result: { outcome: { outcome: 'selected', optionId: 'a' } } },
});
const note = (type: string, facts: object = {}): Draft => ({
  source: 'reeve',
  kind: 'note',
  message: { type, ...facts },
});

const askTerminal = (id: number, method: string, params: object): Draft => ({
  source: 'agent',
  kind: 'request',
  message: { id, method: `terminal/${method}`, params: { sessionId: 's', ...params } },
});
const answerTerminal = (id: number, result: object, source: WireEvent['source'] = 'reeve'): Draft => ({
  source,
  kind: 'response',
  message: { id, result },
});

const kinds = (items: readonly TimelineItem[]): string[] => items.map(({ kind }) => kind);
const said = (item: TimelineItem | undefined): string => (item && 'blocks' in item ? textOf(item.blocks) : '');

describe('the timeline of a session', () => {
  it('merges the chunks of a message, shows a prompt once, and ends a turn with its duration', () => {
    const { items, running } = timelineOf(
      log(
        ...prompt('hello'),
        update('agent_thought_chunk', text('hm')),
        update('agent_message_chunk', text('Good ')),
        update('agent_message_chunk', text('day')),
        update('agent_message_chunk', { content: { type: 'image', data: 'x', mimeType: 'image/png' } }),
        turnEnd(),
      ),
    );
    expect(kinds(items)).toEqual(['user', 'thought', 'agent', 'turn_end']);
    expect(items.map(said)).toEqual(['hello', 'hm', 'Good day', '']);
    expect(items[0]).toMatchObject({ connection: 'c', ranges: [[1, 2]], at: 1000, lastAt: 1001 });
    expect(items[2]).toMatchObject({ blocks: [{ text: 'Good day' }, { type: 'image' }], firstSeq: 4, lastSeq: 6 });
    expect(items[3]).toMatchObject({ stopReason: 'end_turn', durationMs: 6 });
    expect(running).toBe(false);
  });

  it('keeps a tool call one item from its beginning to its end, whatever comes between', () => {
    const { items } = timelineOf(
      log(
        ...prompt('go'),
        update('tool_call', { toolCallId: 't', title: 'Edit', kind: 'edit', status: 'pending', rawInput: { a: 1 } }),
        update('agent_message_chunk', text('working')),
        update('tool_call_update', { toolCallId: 't', status: 'in_progress', locations: [{ path: '/a', line: 3 }] }),
        update('tool_call_update', {
          toolCallId: 't',
          status: 'completed',
          content: [{ type: 'diff', path: '/a', oldText: 'x', newText: 'y' }],
          rawOutput: 'done',
        }),
      ),
    );
    expect(kinds(items)).toEqual(['user', 'tool', 'agent']);
    const tool = items[1] as ToolItem;
    expect(tool).toMatchObject({
      title: 'Edit',
      toolKind: 'edit',
      status: 'completed',
      rawInput: { a: 1 },
      rawOutput: 'done',
      locations: [{ path: '/a', line: 3 }],
      durationMs: 3,
      ranges: [
        [3, 3],
        [5, 6],
      ],
    });
    expect(diffsOf(tool)).toEqual([{ path: '/a', oldText: 'x', newText: 'y' }]);
    expect(hasSeq(tool, 4)).toBe(false);
    expect([3, 4, 5, 6, 99].map((seq) => indexOfSeq(items, seq))).toEqual([1, 2, 1, 1, 2]);
    expect(indexOfSeq(items, 0)).toBeUndefined();
  });

  it('tells how a request ended: answered, refused, or void when the process is gone', () => {
    const refused: Draft = {
      source: 'reeve',
      kind: 'response',
      message: { id: 2, error: { code: -1, message: 'no' } },
    };
    const { items } = timelineOf(log(ask(1), answer(1), ask(2), refused, ask(3), note('agent_exited'), ask(3)));
    const outcomes = items.flatMap((item) => (item.kind === 'request' ? [item.outcome] : []));
    expect(outcomes).toMatchObject([
      { kind: 'answered', source: 'client', connection: 'c', result: { outcome: { optionId: 'a' } } },
      { kind: 'failed', message: 'no' },
      { kind: 'void' },
      { kind: 'pending' },
    ]);
  });

  it('has one plan and one usage of a turn, the mode, options and commands as they are', () => {
    const option = (currentValue: string) => ({ configOptions: [{ id: 'model', currentValue }] });
    const view = timelineOf(
      log(
        ...prompt('one'),
        update('plan', { entries: [{ content: 'a', status: 'pending', priority: 'high' }] }),
        update('usage_update', { used: 1, size: 10 }),
        update('plan', { entries: [{ content: 'a', status: 'completed' }] }),
        update('usage_update', { used: 2, size: 10, cost: { amount: 0.5, currency: 'USD' } }),
        turnEnd(),
        ...prompt('two'),
        update('plan', { entries: [] }),
        update('current_mode_update', { currentModeId: 'ask' }),
        update('current_mode_update', { currentModeId: 'ask' }),
        update('config_option_update', option('big')),
        update('config_option_update', option('small')),
        update('available_commands_update', { availableCommands: [{ name: 'go' }] }),
        update('session_info_update', { title: 'T' }),
      ),
    );
    expect(kinds(view.items)).toEqual(['user', 'plan', 'usage', 'turn_end', 'user', 'plan', 'mode', 'mode', 'mode']);
    expect(view.items.flatMap((item) => (item.kind === 'mode' ? item.changes : []))).toEqual([
      { option: 'mode', value: 'ask' },
      { option: 'model', value: 'big' },
      { option: 'model', value: 'small' },
    ]);
    expect(view.items[1]).toMatchObject({ entries: [{ content: 'a', status: 'completed' }] });
    expect(view).toMatchObject({
      usage: { used: 2, cost: { amount: 0.5 } },
      plan: { entries: [] },
      modeId: 'ask',
      configOptions: [{ currentValue: 'small' }],
      commands: [{ name: 'go' }],
      title: 'T',
      running: true,
    });
  });

  it('reads ACP v2: messages by id, content chunks, terminals, and the state of the work', () => {
    const view = timelineOf(
      log(
        ...prompt('go').slice(0, 1),
        update('user_message', { messageId: 'u', content: [{ type: 'text', text: 'go' }] }),
        update('state_update', { state: 'running' }),
        update('agent_message_chunk', { messageId: 'm', ...text('One ') }),
        update('tool_call_update', { toolCallId: 't', title: 'Run', status: 'in_progress' }),
        update('agent_message_chunk', { messageId: 'm', ...text('two') }),
        update('tool_call_content_chunk', { toolCallId: 't', content: { type: 'terminal', terminalId: 'x' } }),
        update('terminal_update', { terminalId: 'x', command: 'ls' }),
        update('terminal_output_chunk', { terminalId: 'x', data: btoa('out\n') }),
        update('terminal_update', { terminalId: 'x', exitStatus: { exitCode: 3 } }),
        update('notice', { severity: 'warning', title: 'Slow' }),
        update('state_update', { state: 'idle', stopReason: 'end_turn' }),
        update('state_update', { state: 'idle' }),
      ),
    );
    expect(kinds(view.items)).toEqual(['user', 'agent', 'tool', 'terminal', 'note', 'turn_end']);
    expect(view.items.map(said)).toEqual(['go', 'One two', '', '', '', '']);
    expect(view.items[0]).toMatchObject({ messageId: 'u', ranges: [[1, 2]] });
    expect(view.items[2]).toMatchObject({ content: [{ type: 'terminal', terminalId: 'x' }] });
    expect(view.items[3]).toMatchObject({ command: 'ls', output: 'out\n', exitCode: 3 });
    expect(view.items[4]).toMatchObject({ type: 'notice', facts: { title: 'Slow' } });
  });

  it('has the output of a terminal of Reeve from its notes, whatever the agent asks of it, and asks no person', () => {
    const view = timelineOf(
      log(
        askTerminal(1, 'create', { command: 'make', args: ['all'], cwd: '/work', env: [{ name: 'KEY', value: 'v' }] }),
        answerTerminal(1, { terminalId: 't' }),
        update('tool_call', { toolCallId: 'c', content: [{ type: 'terminal', terminalId: 't' }] }),
        note('terminal_output', { terminalId: 't', output: 'one\n' }),
        askTerminal(2, 'output', { terminalId: 't' }),
        answerTerminal(2, { output: 'one\ntwo\n', truncated: false }),
        note('terminal_output', { terminalId: 't', output: 'two\n', omittedBytes: 7 }),
        note('terminal_exited', { terminalId: 't', exitCode: 2, signal: null }),
        askTerminal(3, 'release', { terminalId: 't' }),
        answerTerminal(3, {}),
      ),
    );
    expect(kinds(view.items)).toEqual(['terminal', 'tool']);
    const terminal = view.terminals.get('t');
    expect(terminal).toBe(view.items[0]);
    expect(terminal).toMatchObject({ terminalId: 't', command: 'make all', cwd: '/work', ended: true, exitCode: 2 });
    expect(terminal).toMatchObject({
      output: 'one\n\n[7 bytes are not in the log]\ntwo\n',
      omittedBytes: 7,
      ranges: [
        [1, 2],
        [4, 10],
      ],
    });
  });

  it('has the output of a terminal of a client as the agent last asked for it, and why none was started', () => {
    const view = timelineOf(
      log(
        askTerminal(1, 'create', { command: 'ls' }),
        answerTerminal(1, { terminalId: 't' }, 'client'),
        askTerminal(2, 'output', { terminalId: 't' }),
        askTerminal(3, 'output', { terminalId: 't' }),
        answerTerminal(
          3,
          { output: 'ab', truncated: true, exitStatus: { exitCode: null, signal: 'SIGTERM' } },
          'client',
        ),
        answerTerminal(2, { output: 'a', truncated: false }, 'client'),
        askTerminal(4, 'create', { command: 'rm' }),
        { source: 'reeve', kind: 'response', message: { id: 4, error: { code: 1, message: 'outside' } } },
      ),
    );
    expect(view.items).toMatchObject([
      { kind: 'terminal', command: 'ls', output: 'ab', truncated: true, ended: true, signal: 'SIGTERM' },
      { kind: 'terminal', command: 'rm', terminalId: '', problem: 'outside' },
    ]);
    expect([...view.terminals.keys()]).toEqual(['t']);
  });

  it('never fails on what it does not know, whatever is in an event', () => {
    const kind = fc.constantFrom('update', 'prompt', 'turn_end', 'request', 'response', 'command', 'note', 'new');
    const known = fc.constantFrom(
      'tool_call',
      'plan',
      'plan_update',
      'usage_update',
      'terminal_update',
      'user_message',
      'x',
    );
    const odd = fc.oneof(
      fc.anything(),
      fc.record({
        sessionUpdate: known,
        toolCallId: fc.anything(),
        content: fc.anything(),
        entries: fc.anything(),
        terminalId: fc.string(),
        output: fc.anything(),
        data: fc.anything(),
      }),
    );
    const message = fc.oneof(
      fc.anything(),
      odd.map((one) => ({ method: 'session/update', params: { update: one } })),
      fc.record({
        id: fc.anything(),
        method: fc.anything(),
        params: fc.anything(),
        result: fc.anything(),
        error: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ kind, source: fc.constant('agent'), message })), (events) => {
        timelineOf(log(...(events as unknown as Draft[])));
      }),
    );
  });

  it('is the same read from anywhere, older pages of any size between newer events', () => {
    const piece = fc.oneof(
      fc.constantFrom('a', 'b').map((words) => [update('agent_message_chunk', text(words))]),
      fc.constant([update('agent_thought_chunk', text('t'))]),
      fc.constantFrom('1', '2').map((id) => [update('tool_call', { toolCallId: id, title: id, status: 'pending' })]),
      fc
        .record({ id: fc.constantFrom('1', '2'), status: fc.constantFrom('in_progress', 'completed') })
        .map(({ id, status }) => [update('tool_call_update', { toolCallId: id, status, rawOutput: status })]),
      fc.constant([update('plan', { entries: [{ content: 'p', status: 'pending' }] })]),
      fc.integer({ min: 1, max: 3 }).map((used) => [update('usage_update', { used, size: 9 })]),
      fc.constantFrom('ask', 'code').map((currentModeId) => [update('current_mode_update', { currentModeId })]),
      fc
        .constantFrom('x', 'y')
        .map((currentValue) => [update('config_option_update', { configOptions: [{ id: 'o', currentValue }] })]),
      fc.constant([...prompt('p')]),
      fc.constant([turnEnd()]),
      fc.integer({ min: 1, max: 2 }).map((id) => [ask(id)]),
      fc.integer({ min: 1, max: 2 }).map((id) => [answer(id)]),
      fc.constant([note('agent_started')]),
      fc.constantFrom('m', 'n').map((messageId) => [update('agent_message_chunk', { messageId, ...text('v') })]),
      fc.constant([update('terminal_output_chunk', { terminalId: 'x', data: btoa('o') })]),
      fc
        .integer({ min: 1, max: 2 })
        .map((id) => [askTerminal(id, 'create', { command: 'c' }), answerTerminal(id, { terminalId: 'z' })]),
      fc.constantFrom('p', 'q').map((output) => [note('terminal_output', { terminalId: 'z', output })]),
      fc.constant([note('terminal_exited', { terminalId: 'z', exitCode: 1, signal: null })]),
      fc
        .record({ id: fc.integer({ min: 1, max: 2 }), output: fc.constantFrom('u', 'v') })
        .map(({ id, output }) => [
          askTerminal(id, 'output', { terminalId: 'y' }),
          answerTerminal(id, { output, truncated: false }, 'client'),
        ]),
      fc.integer({ min: 1, max: 2 }).map((id) => [askTerminal(id, 'wait_for_exit', { terminalId: 'y' })]),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (pieces, sizes, part) => {
          const events = log(...pieces.flat());
          const timeline = new Timeline();
          let start = Math.floor(events.length * part);
          let end = start;
          for (let turn = 0; start > 0 || end < events.length; turn += 1) {
            const size = sizes[turn % sizes.length] as number;
            const isOlder = end === events.length || (start > 0 && turn % 2 === 0);
            if (isOlder) timeline.prepend(events.slice(Math.max(0, start - size), start));
            else timeline.append(events.slice(end, end + size));
            if (isOlder) start = Math.max(0, start - size);
            else end = Math.min(events.length, end + size);
            expect(timeline.view()).toEqual(timeline.view());
          }
          expect(timeline.view()).toEqual(timelineOf(events));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('goes on after older pages have come, passes over what it has, and keeps items that did not change', () => {
    const events = log(
      ...prompt('p'),
      update('agent_message_chunk', text('a')),
      update('agent_message_chunk', text('b')),
      turnEnd(),
    );
    const timeline = new Timeline();
    timeline.append(events.slice(3, 4));
    const before = timeline.view();
    expect(timeline.view()).toBe(before);
    timeline.prepend(events.slice(0, 3));
    timeline.append(events.slice(2));
    const after = timeline.view();
    expect(after).toEqual(timelineOf(events));
    timeline.append(log(...prompt('p'), note('x'), ...prompt('q'), ...prompt('r')).slice(4));
    expect(timeline.view().items[1]).toBe(after.items[1]);
    expect(timeline.view().items).toHaveLength(4);
  });

  it('takes 100,000 events in time that grows with their number alone', () => {
    const chunk = Array.from({ length: 100 }, (_, index) => update('agent_message_chunk', text(`${index} `)));
    const turn = [
      ...prompt('p'),
      ...chunk,
      update('tool_call', { toolCallId: 't', title: 'x', status: 'completed' }),
      turnEnd(),
    ];
    const events = log(...Array.from({ length: Math.ceil(100_000 / turn.length) }, () => turn).flat());
    const timeline = new Timeline();
    const times: number[] = [];
    for (let start = 0; start < events.length; start += 10_000) {
      const begun = performance.now();
      timeline.append(events.slice(start, start + 10_000));
      times.push(performance.now() - begun);
    }
    expect(timeline.view().lastSeq).toBe(events.length);
    const [first = 0] = times.toSorted((a, b) => a - b).slice(5);
    expect(times.at(-1)).toBeLessThan(first * 20 + 50);
  });
});
