import { of, type Requirement } from './requirement.ts';

const ATTACHING = 'apps/server/src/sessions/attaching.test.ts';
const LOG = 'apps/server/src/store/event-log.contract.ts';
const FLOOD = 'e2e/durability.flood.test.ts';
const CRASH = 'e2e/durability.crash.test.ts';
const CRASH_NAME =
  'in the middle of a flood, %s times: what a client saw is in the log, without a gap, under a seq of its own';
const PAUSE_NAME = 'loses nothing at a client that stops reading, and costs the server no more than its bound';

/** The durable log, floods and slow readers. */
export const log: readonly Requirement[] = [
  {
    id: 'LOG-1',
    promise: 'one contract suite, which the memory and the SQLite driver pass',
    source: 'events 1',
    tests: [
      ...of('apps/server/src/store/memory/memory-store.test.ts', 'the memory store'),
      ...of('apps/server/src/store/sqlite/sqlite-store.test.ts', 'the SQLite store'),
      ...of(
        LOG,
        'starts empty at seq 1, and numbers without gaps over appends',
        'answers conflict to a wrong first seq, with the seq that is there, and writes nothing',
        'answers fenced to a stale epoch and to a log that nobody owns, and writes nothing',
        'truncates by whole chunks, and never uses a number again',
      ),
    ],
  },
  {
    id: 'LOG-2',
    promise: 'kill -9 in the middle of a flood, 50 times: nothing seen is missing, seq has no gap and is never reused',
    source: 'events 1',
    tests: [
      ...of(CRASH, CRASH_NAME),
      ...of(
        'apps/server/src/store/sqlite/sqlite-crash.test.ts',
        'has everything that was acknowledged before kill -9, without a gap, %s times in a row',
      ),
    ],
  },
  {
    id: 'LOG-3',
    promise: '200,000 updates at full speed with the durable log on: every one, in order, once',
    source: 'events 2',
    tests: of(FLOOD, 'of 200,000 arrives whole, in order, once'),
  },
  {
    id: 'LOG-4',
    promise: 'the same for each of 20 clients',
    source: 'events 2',
    tests: of(FLOOD, 'arrives whole, in order, once, at each of %s clients'),
    byHand: 'in CI and with REEVE_E2E_SLOW=1 each of them gets 200,000',
  },
  {
    id: 'LOG-5',
    promise: 'a client that stops reading for a minute loses nothing and costs no more than its byte bound',
    source: 'events 2',
    tests: [
      ...of(FLOOD, PAUSE_NAME),
      ...of(
        ATTACHING,
        'loses nothing for a client that stops reading, holds no other, and keeps no more than its bound',
      ),
    ],
    byHand: 'in CI and with REEVE_E2E_SLOW=1 it is a whole minute',
  },
  {
    id: 'LOG-6',
    promise: 'secrets of MCP servers are never written to the log',
    source: 'design: Rules that hold everywhere',
    tests: of(
      'packages/protocol/src/hide-mcp-secrets.test.ts',
      'hides the values of env and headers and keeps every other byte',
    ),
  },
  {
    id: 'LOG-7',
    promise: 'a log that cannot be written ends its session with an error, and nothing else',
    source: 'design: Rules that hold everywhere',
    tests: of(
      'apps/server/src/sessions/log-failure.test.ts',
      'everybody who waits gets an error, the process ends, and the server and its other sessions live',
    ),
  },
];
