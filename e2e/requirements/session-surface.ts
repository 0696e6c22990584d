import { of, type Requirement, type TestReference } from './requirement.ts';

const SETUP = 'apps/server/src/sessions/session-setup.test.ts';
const TURNS = 'apps/server/src/sessions/turns.test.ts';
const ATTACHING = 'apps/server/src/sessions/attaching.test.ts';
const CHOICES = 'apps/server/src/sessions/choices.test.ts';
const METADATA = 'apps/server/src/sessions/metadata.test.ts';
const ENDING = 'apps/server/src/sessions/ending.test.ts';
const AGENT_SESSIONS = 'apps/server/src/sessions/agent-sessions.test.ts';
const FORK = 'apps/server/src/sessions/session-fork.test.ts';
const ASKED = 'apps/server/src/sessions/asked-requests.test.ts';
const QUESTIONS = 'apps/server/src/sessions/asked-questions.test.ts';
const EVENTS = 'apps/server/src/acp/poll-events.test.ts';
const BLOCKS = 'apps/server/src/http/prompt-blocks.test.ts';
const INTEROP = 'e2e/interop.test.ts';
const RESTORE = 'e2e/restore.test.ts';
const REAL = 'e2e/real-agents.reeve.test.ts';
const REAL_LIFECYCLE = 'e2e/lifecycle-real-agents.test.ts';
const REAL_CHOICES = 'e2e/choices-real-agents.test.ts';
const REAL_QUESTIONS = 'e2e/questions-real-agents.test.ts';
const VERSIONS = 'e2e/agent-versions.test.ts';
const ALONE = 'e2e/http-alone.test.ts';

const AT_CREATION = 'at creation is taken by the rung that it has, and told';
const LATER = 'later is taken in the words of older and of newer clients, and told to the others';
const AS_HINT = 'is a hint, said aloud, for an agent that has nothing of the kind, and where the value is not offered';

interface Promised {
  readonly promise: string;
  readonly tests: readonly TestReference[];
}

/** One capability of a session: what a client gets of it from an agent that has it, and from one that lacks it. */
export interface SurfaceRow {
  /** The row of protocol section 1, and of the extension strategy before it. */
  readonly capability: string;
  /** Absent where no agent has it: it is Reeve's own. */
  readonly has?: Promised;
  /** Absent where ACP asks it of every agent. */
  readonly lacks?: Promised;
  /** Where a client reads that it is there. */
  readonly announced: string;
}

export const surfaceRows: readonly SurfaceRow[] = [
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
  {
    capability: 'model',
    announced: '`applied.model` in `_meta` of the result',
    has: {
      promise:
        'config option of category `model`, else `session/set_model`; either request works with either kind of agent',
      tests: [
        ...of(
          CHOICES,
          'reaches an agent by its config options, and the answer shows what is chosen after',
          'reaches an older agent by set_model and set_mode',
          'by set_model and set_mode reaches an agent that has config options instead',
          'by set_config_option reaches an agent that has models and modes only, and is answered with all options',
        ),
        ...of(REAL_CHOICES, AT_CREATION, LATER),
      ],
    },
    lacks: { promise: 'a hint in `_meta`, and the result says so', tests: of(CHOICES, AS_HINT) },
  },
  {
    capability: 'variant',
    announced: '`applied.variant`',
    has: {
      promise: 'config option of category `thought_level`, or a custom one that means it',
      tests: [
        ...of(CHOICES, 'reaches an agent by its config options, and the answer shows what is chosen after'),
        ...of(REAL_CHOICES, AT_CREATION),
      ],
    },
    lacks: { promise: 'a hint in `_meta`, and the result says so', tests: of(CHOICES, AS_HINT) },
  },
  {
    capability: 'agent mode',
    announced: '`applied.agentMode`',
    has: {
      promise: '`session/set_mode`, else config option of category `mode`',
      tests: [
        ...of(
          CHOICES,
          'reaches an older agent by set_model and set_mode',
          'reaches an agent without modes by its option of that category',
        ),
        ...of(REAL_CHOICES, AT_CREATION),
      ],
    },
    lacks: { promise: 'a hint in `_meta`, and the result says so', tests: of(CHOICES, AS_HINT) },
  },
  {
    capability: 'permission mode',
    announced: '`applied.permissionMode`',
    has: {
      promise: 'config option of category `mode` or a custom one, else `session/set_mode`',
      tests: of(CHOICES, 'reaches an agent by its config options, and the answer shows what is chosen after'),
    },
    lacks: { promise: 'a hint in `_meta`, and the result says so', tests: of(CHOICES, AS_HINT) },
  },
  {
    capability: 'terminate: `_sandboxagent/session/terminate`, `ended`',
    announced: '`extensions.sessionTerminate`',
    lacks: {
      promise: 'Reeve ends turn and process at once and tells everybody',
      tests: of(
        ENDING,
        'can be now: terminate cancels the turn, kills the tree without grace, and tells everybody; again is no error',
      ),
    },
  },
  {
    capability: 'poll events: `_sandboxagent/session/events`',
    announced: '`extensions.sessionEventsPoll`',
    lacks: {
      promise: 'a view of Reeve’s log; the stream stays canonical',
      tests: of(EVENTS, 'gives the log in order, page by page, to whoever asks, attached or not, live or closed'),
    },
  },
  {
    capability: 'question to a human',
    announced: '`extensions.requestQuestion`',
    has: {
      promise: '`elicitation/create` or `request_question`, whichever the agent speaks',
      tests: [
        ...of(
          QUESTIONS,
          'reaches a client that knows the method as the agent asked it, with its id, options and status beside',
        ),
        ...of(REAL_QUESTIONS, 'reaches a client that only knows questions, and Claude gets the answer'),
      ],
    },
    lacks: {
      promise: 'to clients that know the other method it is translated; where none knows any, it waits in the inbox',
      tests: of(
        QUESTIONS,
        'is a form to a client that only knows elicitation: its %s is the answer',
        'is a question to a client that only knows those',
        'waits in the inbox when the client knows neither; null and an empty object mean no',
      ),
    },
  },
  {
    capability: '`skills`, `title`',
    announced: '`extensions.sessionMetadata`',
    has: {
      promise: 'the agent’s own title merges into ours',
      tests: of(METADATA, 'follows what the agent says of it: title and members under our key, and nothing amiss'),
    },
    lacks: {
      promise: 'stored, forwarded, given back in results, lists and session info',
      tests: of(METADATA, 'given at creation is stored, forwarded as it came, and told in results and lists'),
    },
  },
  {
    capability: '`agentVersionRequested`',
    announced: '`agentVersion` in `_meta` of the result',
    has: {
      promise: 'the configured version, an installed one, or one from npm; the one that runs is told',
      tests: of(VERSIONS, 'run in the session that asked, which goes on with the same after a restart of the server'),
    },
    lacks: {
      promise: 'an error that lists what there is',
      tests: of(VERSIONS, 'that are not to be had are an error that lists what is'),
    },
  },
  {
    capability: '`requestedSessionId`',
    announced: '`extensions.sessionMetadata`',
    lacks: {
      promise: 'an alias, unique on the server, accepted wherever a session id is',
      tests: of(
        SETUP,
        'gives a session its alias, and refuses one that is taken, also when both come at once',
        'accepts the alias wherever a session id goes, and speaks of the session by its id',
      ),
    },
  },
  {
    capability: 'metadata later: `set_metadata`, `metadata_update`',
    announced: '`extensions.sessionMetadata`',
    lacks: {
      promise: 'a merge patch, on disk before it is answered, told to everybody attached',
      tests: of(
        METADATA,
        'is changed by a merge patch, on disk before it is answered, and told to everybody who is attached',
      ),
    },
  },
  {
    capability: 'attachments',
    announced: '`promptCapabilities`',
    has: {
      promise: 'content blocks as they came; over HTTP inline as the agent takes them, the file name in `_meta`',
      tests: [
        ...of(BLOCKS, 'sends pictures and sound as such, other bytes and text as embedded resources'),
        ...of(ALONE, 'carries attachments by link and inline, with their names'),
      ],
    },
    lacks: {
      promise: 'by link, text in words; bytes are refused with the next step',
      tests: of(
        BLOCKS,
        'links files and addresses, whatever the agent can',
        'tells an agent without embedded resources the text in words, and refuses bytes with the next step',
      ),
    },
  },
  {
    capability: 'attach and detach',
    announced: '`extensions.sessionAttach`, `.sessionDetach`',
    lacks: {
      promise: 'any number of clients on one session, and each may leave',
      tests: [
        ...of(ATTACHING, 'shows the same to everybody, whenever they came'),
        ...of(ENDING, 'is left twice without error, and not left where there is none'),
      ],
    },
  },
];

/** The same rows as promises. */
export const sessionSurface: readonly Requirement[] = surfaceRows.flatMap(({ capability, has, lacks }, index) => {
  const source = `protocol 1: ${capability}`;
  const id = `SURFACE-${index + 1}`;
  return [
    ...(has ? [{ id: `${id}-HAS`, source, ...has }] : []),
    ...(lacks ? [{ id: `${id}-LACKS`, source, ...lacks }] : []),
  ];
});
