import { describe, expect, it } from 'vitest';
import { chunkOf, type SessionEvent } from '../events/event-chunk.ts';
import { segmentChunk } from '../events/event-run.ts';
import { shownUpdate } from './shown-update.ts';

const clients = {
  plain: { clientCapabilities: {} },
  selects: { clientCapabilities: { session: { configOptions: {} } } },
  booleans: { clientCapabilities: { session: { configOptions: { boolean: {} } } } },
};

function event(source: 'agent' | 'reeve', configOptions: unknown, meta = '{}'): SessionEvent {
  const update = `{ "sessionUpdate":"config_option_update", "configOptions":${JSON.stringify(configOptions)},"own":1 }`;
  const text = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":${update},"_meta":${meta}}}`;
  return { seq: 1 as never, at: 0, source, kind: 'update', message: Buffer.from(text) };
}

const select = { id: 'm', type: 'select' };
const boolean = { id: 'b', type: 'boolean' };
const translated = '{"sandboxagent.dev":{"translated":true}}';

describe('a config_option_update', () => {
  it('is the agent’s bytes for every client that may see all of it', () => {
    const simple = event('agent', [select]);
    for (const client of Object.values(clients)) expect(shownUpdate(simple, client)).toBe(simple.message);
    const mixed = event('agent', [select, boolean]);
    expect(shownUpdate(mixed, clients.booleans)).toBe(mixed.message);
  });

  it('loses its boolean options, and nothing else, for a client that does not know them', () => {
    const mixed = event('agent', [select, boolean]);
    for (const client of [clients.plain, clients.selects]) {
      expect(shownUpdate(mixed, client)?.toString()).toBe(event('agent', [select]).message.toString());
    }
  });

  it('that Reeve wrote for clients that know options is for no other; an agent cannot hide its own by it', () => {
    expect(shownUpdate(event('reeve', [select], translated), clients.plain)).toBeUndefined();
    expect(shownUpdate(event('reeve', [select], translated), clients.selects)).toBeDefined();
    expect(shownUpdate(event('agent', [select], translated), clients.plain)).toBeDefined();
  });

  it('is looked at on its own, and splits no other updates: those stay one run for all clients', () => {
    const plain = { at: 0, source: 'agent', kind: 'update', message: Buffer.from('{}') } as const;
    const varying = { ...event('agent', [boolean]), varies: true };
    const segments = segmentChunk(chunkOf(1 as never, [plain, plain, varying, plain]));
    expect(segments.map((it) => (it.kind === 'run' ? it.run.count : [it.event.kind, it.varies]))).toEqual([
      2,
      ['update', true],
      1,
    ]);
  });
});
