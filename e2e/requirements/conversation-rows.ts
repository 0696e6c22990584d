import { of } from './requirement.ts';
import type { SurfaceRow } from './surface-row.ts';

const TURNS = 'apps/server/src/sessions/turns.test.ts';
const AGENT_SESSIONS = 'apps/server/src/sessions/agent-sessions.test.ts';
const FORK = 'apps/server/src/sessions/session-fork.test.ts';
const ASKED = 'apps/server/src/sessions/asked-requests.test.ts';
const INTEROP = 'e2e/interop.test.ts';
const RESTORE = 'e2e/restore.test.ts';
const REAL = 'e2e/real-agents.reeve.test.ts';
const REAL_LIFECYCLE = 'e2e/lifecycle-real-agents.test.ts';

/** A conversation from its beginning to its end. */
export const conversationRows: readonly SurfaceRow[] = [
  {
    capability: 'create: `session/new`',
    announced: 'ACP',
    has: {
      promise: 'forwarded; answered when the session is on disk',
      tests: of(INTEROP, 'opens a session, prompts and gets every update before the answer'),
    },
  },
  {
    capability: 'load and replay: `session/load`',
    announced: '`loadSession: true`',
    has: {
      promise: 'replayed from Reeve’s log; a process is restored by the agent’s own load or resume',
      tests: [
        ...of(INTEROP, 'loads a session: all of it again, then the response'),
        ...of(RESTORE, 'is restored by %s, with its replay told once'),
        ...of(REAL, 'is restored by load after the server was killed, and remembers what was said'),
      ],
    },
    lacks: {
      promise: 'offered all the same: replayed from the log; a new agent session is told the transcript',
      tests: of(RESTORE, 'is restored by telling what was said, when the agent can neither resume nor load'),
    },
  },
  {
    capability: 'prompt, update, cancel',
    announced: 'ACP',
    has: {
      promise: 'forwarded and relayed bit for bit; prompts during a turn are queued',
      tests: [
        ...of(INTEROP, 'gets a flood whole, in order, once', 'cancels a turn, also one that waits for a permission'),
        ...of(TURNS, 'waits for those before it, and says behind how many'),
      ],
    },
  },
  {
    capability: 'permission: `session/request_permission`',
    announced: 'ACP',
    has: {
      promise: 'a durable request; `once`, `always`, `reject` map to the nearest kind, and the mapping is recorded',
      tests: [
        ...of('packages/protocol/src/permission.test.ts', 'answers %s to %j with %s (nearest: %s)'),
        ...of(ASKED, 'is asked again of a client that comes back, and of one that comes first'),
      ],
    },
  },
  {
    capability: 'list: `session/list`',
    announced: '`sessionCapabilities.list`, `extensions.sessionList`',
    has: {
      promise: 'Reeve’s own sessions, then those that only the agent knows; loading one takes it over',
      tests: [
        ...of(AGENT_SESSIONS, 'goes on with the sessions that only the agent knows, page by page, each once'),
        ...of(REAL_LIFECYCLE, 'that another program has are listed, taken over with their history, and go on'),
      ],
    },
    lacks: {
      promise: 'Reeve’s own sessions, also as `_sandboxagent/session/list`',
      tests: of(AGENT_SESSIONS, 'is this server’s own list with an agent that has none'),
    },
  },
  {
    capability: 'fork: `session/fork`',
    announced: '`sessionCapabilities.fork`, `extensions.sessionFork`',
    has: {
      promise: 'the agent’s own fork in a process of its own; the parent’s history in its log',
      tests: [
        ...of(FORK, 'goes on from the parent in a session of its own, with its history, metadata and choices'),
        ...of(REAL_LIFECYCLE, 'are forked while the parent lives, and both go on'),
      ],
    },
    lacks: {
      promise: 'a new agent session that is told the transcript; also as `_sandboxagent/session/fork`',
      tests: [
        ...of(FORK, 'by transcript is still told what was said when its process ended before the first prompt'),
        ...of(REAL_LIFECYCLE, 'are forked while the parent lives, and both go on'),
      ],
    },
  },
  {
    capability: 'resume: `session/resume`',
    announced: '`sessionCapabilities.resume`',
    has: {
      promise: 'no history; a process is restored by the agent’s own resume',
      tests: [
        ...of(INTEROP, 'resumes a session without its history'),
        ...of(REAL, 'goes on after the server was killed, and remembers what was said'),
      ],
    },
    lacks: {
      promise: 'from Reeve’s own state, by load or by the transcript',
      tests: of(RESTORE, 'is restored by telling what was said, when the agent can neither resume nor load'),
    },
  },
  {
    capability: 'close and delete',
    announced: '`sessionCapabilities.close`, `.delete`',
    has: {
      promise: 'close frees the process and keeps the log; delete removes it, at the agent too',
      tests: [
        ...of(INTEROP, 'lists, closes and deletes sessions'),
        ...of(AGENT_SESSIONS, 'reaches an agent that can delete when the session is %s'),
      ],
    },
    lacks: {
      promise: 'Reeve does its part, and what was deleted is not listed again',
      tests: of(AGENT_SESSIONS, 'does not show what was deleted here again, though the agent cannot delete'),
    },
  },
];
