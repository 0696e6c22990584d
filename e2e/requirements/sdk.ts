import { of, type Requirement } from './requirement.ts';

const LIVE = 'packages/client/src/live/live.test.ts';
const TIMELINE = 'packages/client/src/timeline/timeline.test.ts';
const README = 'packages/client/src/readme.test.ts';
const CALLS = 'packages/client/src/connect-reeve.test.ts';
const RECONNECT = 'packages/client/src/reconnect.test.ts';

/** The SDK, packages/client. */
export const sdk: readonly Requirement[] = [
  {
    id: 'SDK-CARRIER',
    promise:
      'in a browser streams come over WebSocket, which holds none of its few connections; the same events, read no faster than they are taken, refused with the same reasons, and over HTTP where no WebSocket gets through',
    source: 'issue 6, packages/client: fetch + WebSocket/SSE',
    tests: [
      ...of(
        'packages/client/src/event-streams.test.ts',
        'come over WebSocket where that is wanted, the same as over HTTP',
        'come over HTTP where no WebSocket gets through, though that is wanted',
        'come over WebSocket again where the server was only away for a moment',
        'are refused with what the server says, which browsers tell of no WebSocket',
        'end at once for whoever leaves, and the server knows',
        'come over HTTP outside of browsers, unless told',
      ),
      ...of(
        'packages/client/src/socket-stream.test.ts',
        'tells the server what was read, and only that, before the window is used up',
      ),
      ...of(
        'apps/server/src/http/stream-sockets.test.ts',
        'give what the stream over HTTP gives, after a cursor, and how often something comes',
        'know who reads, and never show the token to whoever serves them',
        'take the token as a subprotocol, and never choose that one',
        'are refused as they would be over HTTP, with why and what to do',
        'send no more than the window before it is told that something was read',
        'end for whoever sends anything but a receipt: %s',
        'take a receipt of 256 bytes, and end at a longer message',
        'let go of the source when the reader leaves, also one that says nothing',
        'let go of the source where the handshake is none, or nobody is there any more',
        'end when the server stops, so that the reader comes back',
      ),
      ...of(
        'packages/protocol/src/socket-protocols.test.ts',
        'comes back whatever it is, and is offered in signs that a header takes',
      ),
    ],
  },
  {
    id: 'SDK-STREAMS',
    promise:
      'streams and sockets go on after they broke, with the next event, none lost and none doubled, and prompts never run twice',
    source: 'issue 6, packages/client',
    tests: [
      ...of(
        RECONNECT,
        'gives every update of a flood once and in order, and the end of the turn',
        'loads a whole history, begun again where it broke',
        'follows events over HTTP without a gap',
      ),
      ...of(
        CALLS,
        'follows a session over broken streams, each event once',
        'resumes after the last update seen, and asks for the running prompt by its key',
        'never repeats session/new',
        'is opened again when nobody answers any more, as after the sleep of a machine, and goes on',
      ),
      ...of(
        'packages/client/src/follow-stream.test.ts',
        'is opened again when nothing comes any more, not even a heartbeat, as after the sleep of a machine',
        'stays open as long as heartbeats come',
        'is waited on for three heartbeats of its server, however seldom it has one, and a while at least',
        'is lost after three heartbeats as the server itself says how often it has one',
        'is opened once more where nobody answered, as over a line from before the sleep of a machine',
        'has connections that lead nowhere found at once after a silence, and says only then that it is there again',
        'is tried again for as long as it may be, counted from when it was lost and not from its last event',
      ),
      ...of(
        'packages/client/src/live/synced-reading.test.ts',
        'is asked for anew when the stream is there again: what was asked before is asked over a dead line',
        'waits no longer for its next attempt then',
      ),
      ...of(
        'packages/client/src/sweep-connections.test.ts',
        'asks over as many connections as a browser keeps, at once, and gives up those that lead nowhere',
      ),
      ...of(
        'apps/server/src/acp/client-connection.test.ts',
        'is told at once that somebody is there, whatever its sessions do',
      ),
      ...of('packages/protocol/src/heartbeat.test.ts', 'is a whole number of milliseconds', 'is not %j'),
      ...of(
        'packages/client/src/answered-in-time.test.ts',
        'is given up when no answer comes, as over a line from before the sleep of a machine',
        'ends with the signal of whoever reads',
      ),
    ],
  },
  {
    id: 'SDK-PATIENCE',
    promise:
      'no call waits for ever on a server that does not answer, but those whose work takes as long as it takes: it says that it may have been done, and can be made again, by the button of a page too',
    source: 'packages/client/README.md',
    tests: [
      ...of(
        'packages/client/src/patience.test.ts',
        'is given up after answerMs: %s',
        'is given up after workMs where it waits for processes: %s',
        'is never cut where nobody knows how long its work takes: %s',
        'says that what was to be changed may be changed, and is answered when it is made again',
        'is given up too where the answer begins and does not go on',
        'is given up where the stream of changes shows that the line is dead, if it has waited for 10 s',
        'waits for ever where it is to, and ends with its own signal',
      ),
      ...of(
        'e2e/console/sleep.test.ts',
        'says of an answer that nobody took what happened, and lets it be given again',
      ),
    ],
  },
  {
    id: 'SDK-ERRORS',
    promise: 'what fails says its code and the next step',
    source: 'issue 6, packages/client',
    tests: [
      ...of(
        CALLS,
        'sends the token and turns a problem document into an error with its next step',
        'says when nobody answers',
        'says when the token is refused, for a WebSocket too',
      ),
      ...of(LIVE, 'say why a server refuses, and try again when told to'),
    ],
  },
  {
    id: 'SDK-LIVE',
    promise:
      'what a page shows of a server stays true: over cut wires, killed servers and answers given elsewhere, without a line lost or doubled',
    source: 'issue 6, session and inbox',
    tests: of(
      LIVE,
      'show what waits for a person, everywhere and in its session, and who answered elsewhere',
      'show sessions as they come, change and go',
      'read a session from its tail, older pages when asked, and the raw events of an item',
      'go on over a wire that is cut in the middle of a flood, without a line lost or doubled',
      'show the boundary of a session as it is changed',
      'survive a server that is killed in the middle of a turn and started again',
      'are shared by all who look, and read nothing when nobody does',
    ),
  },
  {
    id: 'SDK-TIMELINE',
    promise:
      'the events of a session become the items that people look at, the same from either end, in constant time per event, whatever agents send',
    source: 'issue 6, session timeline',
    tests: of(
      TIMELINE,
      'merges the chunks of a message, shows a prompt once, and ends a turn with its duration',
      'keeps a tool call one item from its beginning to its end, whatever comes between',
      'tells how a request ended: answered, refused, or void when the process is gone',
      'has one plan and one usage of a turn, the mode, options and commands as they are',
      'reads ACP v2: messages by id, content chunks, terminals, and the state of the work',
      'never fails on what it does not know, whatever is in an event',
      'is the same read from anywhere, older pages of any size between newer events',
      'goes on after older pages have come, passes over what it has, and keeps items that did not change',
      'takes 100,000 events in time that grows with their number alone',
    ),
  },
  {
    id: 'SDK-README',
    promise:
      'the SDK works in browser and Node without a dependency outside the workspace, and its examples run as they are printed',
    source: 'issue 6, packages/client',
    tests: of(
      README,
      'shows its examples as they are in the sources',
      'has examples that run',
      'has a page in React that renders',
      'has nothing of Node, so that browsers can load it',
    ),
  },
];
