import { of } from './requirement.ts';
import type { SurfaceRow } from './surface-row.ts';

const SETUP = 'apps/server/src/sessions/session-setup.test.ts';
const ATTACHING = 'apps/server/src/sessions/attaching.test.ts';
const CHOICES = 'apps/server/src/sessions/choices.test.ts';
const METADATA = 'apps/server/src/sessions/metadata.test.ts';
const ENDING = 'apps/server/src/sessions/ending.test.ts';
const QUESTIONS = 'apps/server/src/sessions/asked-questions.test.ts';
const EVENTS = 'apps/server/src/acp/poll-events.test.ts';
const BLOCKS = 'apps/server/src/http/prompt-blocks.test.ts';
const REAL_CHOICES = 'e2e/choices-real-agents.test.ts';
const REAL_QUESTIONS = 'e2e/questions-real-agents.test.ts';
const VERSIONS = 'e2e/agent-versions.test.ts';
const ALONE = 'e2e/http-alone.test.ts';
const AT_CREATION = 'at creation is taken by the rung that it has, and told';
const LATER = 'later is taken in the words of older and of newer clients, and told to the others';
const AS_HINT = 'is a hint, said aloud, for an agent that has nothing of the kind, and where the value is not offered';

/** What a client chooses for a session and says of it, and what Reeve has beyond ACP. */
export const choiceRows: readonly SurfaceRow[] = [
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
