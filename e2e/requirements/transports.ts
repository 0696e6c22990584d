import { of, type Requirement } from './requirement.ts';

const TURNS = 'apps/server/src/sessions/turns.test.ts';
const ATTACHING = 'apps/server/src/sessions/attaching.test.ts';
const HTTP = 'apps/server/src/acp/streamable-http.test.ts';
const WEBSOCKET = 'apps/server/src/acp/websocket.test.ts';
const LISTENER = 'apps/server/src/http/listener.test.ts';
const CLI = 'apps/cli/src/cli.test.ts';
const INTEROP = 'e2e/interop.test.ts';
const REAL = 'e2e/real-agents.reeve.test.ts';

/** ACP towards clients. */
export const transports: readonly Requirement[] = [
  {
    id: 'TRANSPORT-A',
    promise: "the SDK's http-client, ws-client and stdio work unmodified, over TLS and HTTP/2 too",
    source: 'protocol 4',
    tests: of(
      INTEROP,
      'is told who the agent is and what is offered',
      'opens a session, prompts and gets every update before the answer',
      'keeps two sessions of one connection apart',
      'answers a permission request',
      'cancels a turn, also one that waits for a permission',
      'loads a session: all of it again, then the response',
      'resumes a session without its history',
      'changes mode and config option',
      'lists, closes and deletes sessions',
      'serves files and terminals to the agent',
      'is told of an unknown method and an unknown session, and goes on',
    ),
  },
  {
    id: 'TRANSPORT-B',
    promise: 'HTTP/2 when TLS is configured, HTTP/1.1 and upgrades on the same port',
    source: 'protocol 4',
    tests: [
      ...of(LISTENER, 'speaks HTTP/2 and HTTP/1.1 on one port, upgrades too, and stops'),
      ...of(
        'apps/server/src/acp/streamable-http.http2.test.ts',
        'carries messages and streams of one connection on one socket',
      ),
    ],
  },
  {
    id: 'TRANSPORT-C',
    promise: 'every SSE event has its seq as id; Last-Event-ID resumes exactly after it',
    source: 'protocol 4',
    tests: [
      ...of(HTTP, 'resumes after the last event that a client has, wherever the stream was cut'),
      ...of(
        'apps/server/src/acp/sse-codec.test.ts',
        'gives an event of the log its seq as id, and other messages none',
      ),
    ],
  },
  {
    id: 'TRANSPORT-D',
    promise: '`after` on load and resume continues exactly; seq in updates for those who ask',
    source: 'protocol 4',
    tests: [
      ...of(
        ATTACHING,
        'continues exactly after the seq that a client names, wherever it was cut',
        'continues exactly while a flood runs',
        'puts the seq into updates only for those who wish it, and changes nothing else',
      ),
      ...of(REAL, 'goes on without its client, who comes back and has missed nothing'),
    ],
  },
  {
    id: 'TRANSPORT-E',
    promise: 'heartbeats both ways; a vanished client is reaped',
    source: 'protocol 4',
    tests: [
      ...of(WEBSOCKET, 'reaps a client that answers no heartbeat'),
      ...of(
        HTTP,
        'sends heartbeats while it has nothing else to send',
        'takes a client for gone that has no stream and sends nothing',
      ),
    ],
  },
  {
    id: 'TRANSPORT-F',
    promise: 'body, frame and line limits, a bounded number of connections, one bounded queue per connection',
    source: 'issue: ACP towards clients',
    tests: [
      ...of(
        WEBSOCKET,
        'closes a connection for %s, and no other',
        'says that it is full to a connection over the limit, and takes one again when another left',
        'does not listen to a client that asks and never reads, and serves it when it does',
      ),
      ...of(
        HTTP,
        'loses nothing to a reader that stops for a while, and holds back whoever writes',
        'closes a connection whose answers nobody fetches',
      ),
      ...of(
        'packages/sandbox/src/line-splitter.test.ts',
        'drops a line over the limit, reports it once, and goes on behind it',
      ),
      ...of(
        'apps/cli/src/acp-bridge.test.ts',
        'refuses a line beyond the limit and goes on',
        'does not read on from the server while nobody reads its output',
      ),
    ],
  },
  {
    id: 'TRANSPORT-G',
    promise: 'the response to load comes after the whole replay; the turn ends after its updates, for everybody',
    source: 'protocol 4',
    tests: [
      ...of(INTEROP, 'loads a session: all of it again, then the response'),
      ...of(TURNS, 'ends after all its updates for everybody who is attached'),
      ...of(ATTACHING, 'answers the load before what is asked of people, and both after the replay'),
    ],
  },
  {
    id: 'TRANSPORT-H',
    promise: 'reeve acp is a stdio bridge to the running server, or to one of its own when none runs',
    source: 'issue: ACP towards clients',
    tests: [
      ...of(
        CLI,
        'carries ACP and nothing else, and ends with its input',
        'answers what is open and ends with 7 when the server goes away',
        'runs one of its own when none runs',
        'keeps its own server for others that found it, until they leave',
      ),
      ...of(
        'apps/cli/src/acp-bridge.test.ts',
        'relays bytes as they are, both ways',
        'takes the server for gone when nothing comes any more, not even a pong, as after the sleep of a machine',
        'waits on a server that says nothing but is there, sends it no message of its own, and on a client that does not read',
      ),
    ],
  },
];
