import { of, type Requirement, type TestReference } from './requirement.ts';

const GIT_LIMITS = 'e2e/git-limits.test.ts';
const E2E = 'e2e/limits.test.ts';
const TURNS = 'apps/server/src/sessions/turns.test.ts';
const ATTACHING = 'apps/server/src/sessions/attaching.test.ts';
const BACK_PRESSURE = 'apps/server/src/sessions/back-pressure.test.ts';
const SETUP = 'apps/server/src/sessions/session-setup.test.ts';
const METADATA = 'apps/server/src/sessions/metadata.test.ts';
const ASKED = 'apps/server/src/sessions/asked-requests.test.ts';
const QUESTIONS = 'apps/server/src/sessions/asked-questions.test.ts';
const BROKER = 'apps/server/src/requests/request-broker.test.ts';
const TRAPS = 'apps/server/src/sessions/traps.test.ts';
const HTTP = 'apps/server/src/acp/streamable-http.test.ts';
const REFUSALS = 'apps/server/src/acp/streamable-http.refusals.test.ts';
const WEBSOCKET = 'apps/server/src/acp/websocket.test.ts';
const READ = 'apps/server/src/fs/read-text-file.test.ts';
const WRITE = 'apps/server/src/fs/write-text-file.test.ts';
const TERMINALS = 'apps/server/src/terminal/session-terminals.test.ts';
const OUTPUT = 'apps/server/src/terminal/output-tail.test.ts';
const TERMINAL_RECORD = 'apps/server/src/terminal/terminal-record.test.ts';
const SPLITTER = 'packages/sandbox/src/line-splitter.test.ts';
const INSTALLER = 'apps/server/src/install/package-installer.test.ts';
const WORKSPACE_SERVERS = 'apps/server/src/boundary/workspace-servers.test.ts';
const KEPT_ROOTS = 'apps/server/src/boundary/kept-roots.test.ts';
const UNWATCHED = 'is not watched beyond limits.maxWatchedRoots, but looked at every timeouts.rootCheckMs';
const ALARMS = 'apps/server/src/boundary/alarms.test.ts';
const CALL_GATE = 'apps/server/src/mcp/gate/server-call-gate.test.ts';
const POOL = 'apps/server/src/agents/agent-pool.test.ts';

const LINES = 'maxLineBytes, stderrTailBytes: an agent’s longer line is dropped, its last words are cut to it';
const COUNTS = 'maxQueuedPrompts, maxPendingRequests: one more is refused';
const STOPS = 'agentStopGraceMs, agentStopKillMs: an agent that stays is told by SIGTERM then, and killed after both';
const TIMED_OUT = 'a permission is rejected and a question turned down when its time is up, also without a client';
const SILENCE =
  'sessionNewMs, heartbeatMs, vanishedMs, httpConnectionIdleMs: who is silent for longer is not waited for';

/** What happens at and above each limit and time-out of docs/configuration.md; `id` is the setting. */
export const limits: readonly Requirement[] = [
  at('limits.maxLineBytes', 'a longer line of an agent is dropped and noted', [
    ...of(E2E, LINES),
    ...of(SPLITTER, 'drops a line over the limit, reports it once, and goes on behind it'),
    ...of(TRAPS, 'a line of 32 MiB: delivered whole; a longer one is dropped and reported'),
  ]),
  at('limits.maxBodyBytes', 'a longer body is refused with 413', [
    ...of(E2E, 'maxBodyBytes: a body of it is taken, a longer one refused with 413'),
    ...of(REFUSALS, 'takes a body of exactly the limit, and names the setting that refuses a longer one'),
  ]),
  at('limits.maxFrameBytes', 'a longer message closes the connection with 1009', [
    ...of(E2E, 'maxFrameBytes: a frame of it is taken, a longer one closes with 1009'),
    ...of(WEBSOCKET, 'closes a connection for %s, and no other'),
  ]),
  at('limits.connectionQueueBytes', 'a client that reads slowly is served from the log, and loses nothing', [
    ...of(ATTACHING, 'loses nothing for a client that stops reading, holds no other, and keeps no more than its bound'),
    ...of(
      'apps/server/src/sessions/paused-client.test.ts',
      'is its byte bound and no more, while the session floods and others read on',
    ),
    ...of(HTTP, 'closes a connection whose answers nobody fetches', 'takes one message however long'),
  ]),
  at('limits.agentBacklogBytes', 'an agent that is faster than the disk waits, and loses nothing', [
    ...of(BACK_PRESSURE, 'reads its agent up to the limit and no further, and loses nothing'),
  ]),
  at('limits.agentInputBytes', 'a session whose agent does not read takes no more prompts', [
    ...of(BACK_PRESSURE, 'takes no prompt while more than the limit waits for it, and says which setting that is'),
    ...of(
      'apps/server/src/sessions/client-requests.test.ts',
      'is served nothing that would fill the memory, and told which setting says so',
    ),
  ]),
  at('limits.maxUnreadBytes', 'a WebSocket client that leaves more unread is not listened to until it has read', [
    ...of(WEBSOCKET, 'does not listen to a client that asks and never reads, and serves it when it does'),
  ]),
  at('limits.maxAttachmentBytes', 'a prompt with more inline content in one block is refused, and told of links', [
    ...of(E2E, 'maxAttachmentBytes: content of it is taken, more is refused with its place'),
    ...of(
      'apps/server/src/sessions/inline-content.test.ts',
      'is taken up to the limit and refused above, with the place: %s',
      'lets pass what it does not know',
    ),
  ]),
  at('limits.maxEarlyMessages', 'one more before initialize is answered ends the connection', [
    ...of(E2E, 'maxEarlyMessages: one more before initialize is answered ends the connection'),
  ]),
  at('limits.maxSessionStreams', 'one more session stream of an HTTP client is refused with 429', [
    ...of(REFUSALS, 'opens as many session streams as a client may have, and names the setting that refuses one more'),
  ]),
  at('limits.serverFileBytes', 'no servers are read from a longer file', [
    ...of(WORKSPACE_SERVERS, 'are read from a file of serverFileBytes, and from none that is longer'),
  ]),
  at('limits.maxWorkspaceServers', 'what files of a workspace propose beyond is left out, and said', [
    ...of(WORKSPACE_SERVERS, 'are maxWorkspaceServers at most, of both files together'),
  ]),
  at('limits.maxQueuedAlarms', 'the oldest alarms are dropped when more wait, and their number is told', [
    ...of(ALARMS, 'pushes the oldest out when too many wait'),
  ]),
  at('timeouts.alarmMs', 'a webhook that does not answer in time is tried again later', [
    ...of(ALARMS, 'is given up when nobody answers in time'),
  ]),
  at('limits.maxLinkScan', 'what is beyond is not looked at for hard links', [
    ...of(
      'apps/server/src/boundary/root-facts.test.ts',
      'tell of files with a second name, as far as limits.maxLinkScan reaches',
    ),
  ]),
  at('limits.maxGitDirectories', 'repositories beyond are not looked for, and not protected', [
    ...of(GIT_LIMITS, 'limits.maxGitDirectories: as many directories are looked at, in none more'),
  ]),
  at('limits.maxGitNames', 'repositories beyond are not looked for, and not protected', [
    ...of(GIT_LIMITS, 'limits.maxGitNames: as many names are read, and none more'),
  ]),
  at('limits.maxGitPlaces', 'what is beyond is a gap of the boundary', [
    ...of(GIT_LIMITS, 'limits.maxGitPlaces: as many are protected, and of one more is said that it is not'),
  ]),
  at('limits.maxWatchedRoots', 'a root beyond is noticed when it is looked at, not before', [
    ...of(KEPT_ROOTS, UNWATCHED),
  ]),
  at('timeouts.rootCheckMs', 'a root that went is noticed then', [...of(KEPT_ROOTS, UNWATCHED)]),
  at('timeouts.reviewMs', 'a review that nobody answered in time is denied', [
    ...of(BROKER, 'denies a review that nobody answered in time'),
  ]),
  at('timeouts.mcpStaleRootsMs', 'then policies decide about calls of a server that still keeps its old roots', [
    ...of(CALL_GATE, 'lets policy decide about calls of a server that does not fetch them in time'),
  ]),
  at('timeouts.mcpDrainMs', 'then calls in flight are waited for no longer', [
    ...of(CALL_GATE, 'waits no longer for calls in flight than they have time'),
  ]),
  at('timeouts.bodyMs', 'a body that takes longer is refused with 408', [
    ...of(REFUSALS, 'waits for a body as long as the time-out says, and names it'),
  ]),
  at('limits.maxConnections', 'one more is refused, until another has left', [
    ...of(E2E, 'maxConnections: one more is refused, over WebSocket and over HTTP'),
    ...of(WEBSOCKET, 'says that it is full to a connection over the limit, and takes one again when another left'),
    ...of(REFUSALS, 'refuses a connection that the server has no room for'),
  ]),
  at('limits.maxSessionsLive', 'one more is refused, those that are starting count', [
    ...of(E2E, 'maxSessionsLive: one more is refused, until one is closed'),
    ...of(SETUP, 'counts sessions that are being started against the limit'),
  ]),
  at('limits.maxQueuedPrompts', 'one more is refused', [
    ...of(E2E, COUNTS),
    ...of(TURNS, 'is refused at once when the client does not want to wait, or too many wait'),
  ]),
  at('limits.stderrTailBytes', 'what is older is forgotten', [
    ...of(E2E, LINES),
    ...of(
      'packages/sandbox/src/stderr-tail.test.ts',
      'keeps everything up to exactly its limit',
      'keeps the last bytes beyond its limit, however they were cut into chunks',
    ),
  ]),
  at('limits.maxSubscribersPerSession', 'one more is refused, not who is there already', [
    ...of(E2E, 'maxSubscribersPerSession: one more is refused'),
    ...of(ATTACHING, 'is refused beyond the limit, but not to who is there already'),
  ]),
  at('limits.maxMetadataBytes', 'larger metadata is refused, at creation and later, and what was there stays', [
    ...of(METADATA, 'is taken up to limits.maxMetadataBytes and refused beyond, at creation and later'),
    ...of(
      'packages/protocol/src/session-metadata.test.ts',
      'takes just the limit of bytes, counted in UTF-8, and not one more',
    ),
    ...of(
      'packages/protocol/src/session-metadata.test.ts',
      'says beyond the limit which setting it is and what it would have to be, and of many roots that they could be fewer',
    ),
  ]),
  at('limits.maxListedDirectories', 'no more directories are listed, and it is said that there are more', [
    ...of(
      'e2e/boundary-preview.test.ts',
      'are those below its roots, no links, and no more than limits.maxListedDirectories',
    ),
  ]),
  at('limits.maxRoots', 'one more directory in a boundary is refused, and the setting is named', [
    ...of(E2E, 'maxRoots: as many directories are taken, one more is refused'),
  ]),
  at('limits.maxPendingRequests', 'one more is answered with an error, those that wait go on waiting', [
    ...of(E2E, COUNTS),
    ...of(ASKED, 'is refused when too much waits already, and the agent is told which setting says so'),
    ...of(
      'apps/server/src/sessions/local-services.test.ts',
      'does no more at once than the limit of requests that wait',
    ),
  ]),
  at('limits.maxReoffers', 'a client whose answer was refused is asked no more, others still are', [
    ...of(ASKED, 'does not ask a client for ever that answers nonsense: the request waits for others'),
  ]),
  at('limits.maxFileBytes', 'a larger file is neither read nor written, whole or in part', [
    ...of(READ, 'takes a file of exactly the limit, and names the setting that refuses a larger one'),
    ...of(WRITE, 'takes a text of exactly the limit, and names the setting that refuses a longer one'),
  ]),
  at('limits.maxTerminals', 'one more is refused, until one is released', [
    ...of(TERMINALS, 'refuses one more than the limit, until one is released'),
  ]),
  at('limits.terminalOutputBytes', 'what is older is forgotten, and the agent is told so', [
    ...of(TERMINALS, 'keeps the last bytes that the agent asks for, at most what the setting says'),
    ...of(
      OUTPUT,
      'is whole up to exactly its limit',
      'is cut between two characters, though less is left than the limit',
    ),
  ]),
  at('limits.terminalLogBytes', 'the middle is left out, and the log says how much', [
    ...of(
      TERMINAL_RECORD,
      'is all of it up to the limit, and beyond it the beginning, the end, and how much is missing between',
      'is nothing but the end and the count where nothing is to be kept',
    ),
  ]),
  at('timeouts.initializeMs', 'an agent that does not answer is ended', [
    ...of(E2E, 'initializeMs: an agent that does not answer is ended, and the error names the setting'),
    ...of(POOL, 'says what is wrong with an agent %s, and leaves nothing running'),
  ]),
  at('timeouts.sessionNewMs', 'an agent that opens no session, or does not take one back, is ended', [
    ...of(E2E, SILENCE),
    ...of(TURNS, 'is not waited for without end when the agent does not take its session back'),
  ]),
  at('timeouts.restoreMs', 'an agent that is silent while it takes a session back is asked in the next way', [
    ...of(
      'apps/server/src/sessions/agent-restore.test.ts',
      'goes the next way in another process when the agent %s at the first',
      'asks no agent to resume what nobody has begun',
    ),
  ]),
  at('timeouts.agentListMs', 'an agent that does not list its sessions in time is left out, and the list says so', [
    ...of('apps/server/src/sessions/agent-sessions.test.ts', 'says when the agent %s, and gives the rest all the same'),
  ]),
  at('timeouts.cancelMs', 'a cancelled turn is answered then, whatever its agent does; 0 waits for ever', [
    ...of(
      'apps/server/src/sessions/ending.test.ts',
      'is answered after timeouts.cancelMs though the agent goes on; what that still says is relayed',
      'waits for the agent as long as it takes when timeouts.cancelMs is 0',
    ),
  ]),
  at('timeouts.heartbeatMs', 'a heartbeat goes out', [
    ...of(E2E, SILENCE),
    ...of(HTTP, 'sends heartbeats while it has nothing else to send'),
  ]),
  at('timeouts.vanishedMs', 'a client that answers no heartbeat is gone, one that does stays', [
    ...of(E2E, SILENCE),
    ...of(WEBSOCKET, 'reaps a client that answers no heartbeat'),
  ]),
  at('timeouts.agentStopGraceMs', 'an agent that stays is told by SIGTERM', [
    ...of(E2E, STOPS),
    ...of(POOL, 'ends an agent that ignores the end of its input and SIGTERM, and its grandchildren'),
  ]),
  at('timeouts.agentStopKillMs', 'an agent that stays is killed', [
    ...of(E2E, STOPS),
    ...of(POOL, 'ends an agent that ignores the end of its input and SIGTERM, and its grandchildren'),
  ]),
  at('timeouts.shutdownMs', 'the server ends, and says that not all was done', [
    ...of(E2E, 'shutdownMs: the server ends then, whatever still runs, and says so'),
  ]),
  at('timeouts.httpConnectionIdleMs', 'an HTTP client without a stream and without messages is gone', [
    ...of(E2E, SILENCE),
    ...of(HTTP, 'takes a client for gone that has no stream and sends nothing'),
  ]),
  at('timeouts.idleAgentMs', 'an agent that nobody uses is given back, one that somebody watches is not', [
    ...of(E2E, 'idleAgentMs: the agent of a session without clients is given back then, not while somebody is there'),
    ...of(SETUP, 'leaves nothing attached for a client that vanished before its session was there'),
  ]),
  at('timeouts.permissionMs', 'a permission that nobody answered is rejected, and the log says by what', [
    ...of(QUESTIONS, TIMED_OUT, 'and without clients at all it is the same'),
    ...of(BROKER, 'rejects what nobody answered in time: a kind that rejects, else cancelled'),
  ]),
  at('timeouts.questionMs', 'a question that nobody answered is turned down, and the log says by what', [
    ...of(QUESTIONS, TIMED_OUT),
    ...of(BROKER, 'waits for ever at 0, and for an answer that came before'),
  ]),
  at('timeouts.registryMs', 'a registry that does not answer counts as not reachable', [
    ...of(INSTALLER, 'are waited for no longer than the time-outs'),
  ]),
  at('timeouts.installMs', 'an installation is ended, and leaves nothing behind', [
    ...of(INSTALLER, 'are waited for no longer than the time-outs'),
  ]),
];

function at(setting: string, promise: string, tests: readonly TestReference[]): Requirement {
  return { id: setting, promise, source: 'design: Rules that hold everywhere; docs/configuration.md', tests };
}
