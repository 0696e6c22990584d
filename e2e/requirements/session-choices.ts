import { of, type Requirement } from './requirement.ts';

const METADATA = 'apps/server/src/sessions/metadata.test.ts';
const CHOICES = 'apps/server/src/sessions/choices.test.ts';
const RESTORED = 'apps/server/src/sessions/choices-restored.test.ts';
const TRANSLATE = 'apps/server/src/sessions/translate-choice.test.ts';
const LADDER = 'apps/server/src/sessions/choice-ladder.test.ts';
const TELL = 'apps/server/src/sessions/tell-choices.test.ts';
const SETUP_STATE = 'apps/server/src/sessions/follow-setup.test.ts';
const PATCH = 'packages/protocol/src/session-metadata.test.ts';
const REAL_CHOICES = 'e2e/choices-real-agents.test.ts';
const LATER = 'later is taken in the words of older and of newer clients, and told to the others';
const AT_CREATION = 'at creation is taken by the rung that it has, and told';
const AS_HINT = 'is a hint, said aloud, for an agent that has nothing of the kind, and where the value is not offered';

/** What is chosen for a session and said of it: metadata, model, variant, modes and options. */
export const sessionChoices: readonly Requirement[] = [
  {
    id: 'SESSION-METADATA-NEW',
    promise: 'create-time metadata is checked, stored, forwarded, and given back in results, lists and session info',
    source: 'protocol.md section 1: create-time metadata',
    tests: [
      ...of(
        METADATA,
        'given at creation is stored, forwarded as it came, and told in results and lists',
        'is refused before an agent is started when a member is amiss',
      ),
      ...of(
        PATCH,
        'keeps what it knows and what it does not know, and leaves out what is no metadata',
        'refuses %s, and says where, what came and how to mend it',
        'refuses what is nested deeper than anybody needs, however deep',
      ),
    ],
  },
  {
    id: 'SESSION-METADATA-LATER',
    promise: 'set_metadata merges, is on disk before it is answered, and is told to everybody, who comes later too',
    source: 'protocol.md section 1: metadata later',
    tests: [
      ...of(
        METADATA,
        'is changed by a merge patch, on disk before it is answered, and told to everybody who is attached',
        'is changed by controllers only, and reserved members by nobody',
        'of a session without a process is changed without starting one, and a closed session stays closed',
        'follows what the agent says of it: title and members under our key, and nothing amiss',
      ),
      ...of(
        PATCH,
        'merges members and removes those that are null (RFC 7396, appendix A)',
        'treats __proto__ as any other name',
        'changes nothing of what the server says itself, and nothing that is settled at creation',
        'is an object, and what it makes is checked as a whole',
        'makes the same of what was made before',
      ),
      ...of(
        RESTORED,
        'reach a live agent at once, and everybody who looks on',
        'wait for the next agent process while there is none; what was chosen outlives %s',
        'are set again before a prompt reaches the agent, whenever it comes',
      ),
    ],
  },
  {
    id: 'SESSION-MODEL-HAS',
    promise: 'a model is set by the config option of its category, else by set_model',
    source: 'protocol.md section 1: set model',
    tests: [
      ...of(
        CHOICES,
        'reaches an agent by its config options, and the answer shows what is chosen after',
        'reaches an older agent by set_model and set_mode',
        'takes the next rung when the agent refuses one, and tells what failed',
        'by set_model and set_mode reaches an agent that has config options instead',
        'by set_config_option reaches an agent that has models and modes only, and is answered with all options',
      ),
      ...of(LADDER, 'prefers an option of the category to the older method'),
      ...of(
        TRANSLATE,
        'goes as it came to an agent that knows the request',
        'goes as it came where the agent has nothing in its place, so that the agent itself refuses it',
        'is said in the words that the agent has; _meta and unknown members stay',
        'by a made-up option never meets an option of the agent’s own that has its id',
      ),
      ...of(REAL_CHOICES, AT_CREATION, LATER, 'outlives the server and the agent process'),
    ],
  },
  {
    id: 'SESSION-MODEL-LACKS',
    promise: 'a model that the agent cannot be told is a hint, and the result says so',
    source: 'protocol.md section 1: set model',
    tests: of(CHOICES, AS_HINT),
  },
  {
    id: 'SESSION-VARIANT-HAS',
    promise: 'a variant is set by the option of category thought_level, or a custom one that means it',
    source: 'protocol.md section 1: variant',
    tests: [
      ...of(CHOICES, 'reaches an agent by its config options, and the answer shows what is chosen after'),
      ...of(
        LADDER,
        'knows a custom option by its id or name, if it has the value, and none of another standard category',
        'see the setup after the choice before: a variant that only the new model has',
      ),
      ...of(REAL_CHOICES, AT_CREATION),
    ],
  },
  {
    id: 'SESSION-VARIANT-LACKS',
    promise: 'a variant that the agent cannot be told is a hint, and the result says so',
    source: 'protocol.md section 1: variant',
    tests: [...of(CHOICES, AS_HINT), ...of(REAL_CHOICES, AT_CREATION)],
  },
  {
    id: 'SESSION-AGENT-MODE-HAS',
    promise: 'an agent mode is set by set_mode, else by the option of category mode',
    source: 'protocol.md section 1: agentMode',
    tests: [
      ...of(
        CHOICES,
        'reaches an older agent by set_model and set_mode',
        'reaches an agent without modes by its option of that category',
        'in a mode is told to the others where the agent says nothing',
      ),
      ...of(LADDER, 'prefers the mode method to an option for an agent mode, and the option for a permission mode'),
      ...of(REAL_CHOICES, AT_CREATION, LATER),
    ],
  },
  {
    id: 'SESSION-AGENT-MODE-LACKS',
    promise: 'an agent mode that the agent cannot be told is a hint, and the result says so',
    source: 'protocol.md section 1: agentMode',
    tests: [...of(CHOICES, AS_HINT), ...of(REAL_CHOICES, AT_CREATION)],
  },
  {
    id: 'SESSION-PERMISSION-MODE-HAS',
    promise: 'a permission mode is set by the option of category mode or a custom one, else by set_mode',
    source: 'protocol.md section 1: permissionMode',
    tests: [
      ...of(
        CHOICES,
        'reaches an agent by its config options, and the answer shows what is chosen after',
        'does not move one switch twice: the second choice is a hint that says why',
      ),
      ...of(LADDER, 'prefers the mode method to an option for an agent mode, and the option for a permission mode'),
      ...of(REAL_CHOICES, AT_CREATION),
    ],
  },
  {
    id: 'SESSION-PERMISSION-MODE-LACKS',
    promise: 'a permission mode that the agent cannot be told is a hint, and the result says so',
    source: 'protocol.md section 1: permissionMode',
    tests: of(CHOICES, AS_HINT),
  },
  {
    id: 'SESSION-OPTIONS',
    promise:
      'config options: complete lists, no boolean for clients without them, and what one chooses the others learn',
    source: 'acp-conformance: MODES-002, CONFIG-002, CONFIG-003',
    tests: [
      ...of(
        CHOICES,
        'is answered with the complete list, also by an agent that answers nothing',
        'never shows a boolean option to a client that does not know them',
        'is told once to the other clients, and not to the one who chose',
        'shows options that stand for models and modes to clients that know options, and to no other',
        'does not show a client older updates than the answer',
      ),
      ...of(
        TELL,
        'is the agent’s bytes for every client that may see all of it',
        'loses its boolean options, and nothing else, for a client that does not know them',
        'that Reeve wrote for clients that know options is for no other; an agent cannot hide its own by it',
        'is looked at on its own, and splits no other updates: those stay one run for all clients',
      ),
      ...of(
        SETUP_STATE,
        'is set again, the model first, where a fresh agent says nothing of it',
        'moves modes and an option of just the same values together, and no option of other values',
        'knows the value that an agent took without a list',
      ),
    ],
  },
];
