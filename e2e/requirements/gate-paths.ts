import { of, type Requirement } from './requirement.ts';

const GUARDED_CALLS = 'apps/server/src/boundary/guarded-calls.test.ts';
const PATHS = 'packages/policy/src/call-paths.test.ts';
const GATE = 'apps/server/src/mcp/gate/server-call-gate.test.ts';
const GOVERNED = 'apps/server/src/mcp/governed-files.test.ts';
const META = 'apps/server/src/mcp/gate/call-meta.test.ts';
const SCREENING = 'apps/server/src/mcp/gate/screening.test.ts';
const SCREENED = 'apps/server/src/mcp/screened-messages.test.ts';

/** What is looked for in what an agent sends to an MCP server. */
export const gatePaths: readonly Requirement[] = [
  {
    id: 'GATE-1',
    promise: 'the paths of a call are found wherever they stand, and prose is not taken for paths',
    source: 'boundary 4, first paragraph',
    tests: of(
      PATHS,
      'stand in arguments that are for paths: %j',
      'are the whole text of any other argument: %j',
      'are none in prose: %j',
      'are none in what is written into a file',
      'are file URIs, also within a sentence',
      'are no URIs that can be read in two ways: %s',
      'hold no NUL',
      'are looked for in every member but what only names or is handed back',
      'are not looked for beyond a bound',
      'are not looked for among more values than can be looked at in time',
      'are found in texts that are too long for one until dots and slashes are taken away',
      'are looked for in time, however a text is encoded',
      'are found however deep a value is nested, and told with a short place',
      'are found or passed over without a throw for whatever comes',
    ),
  },
  {
    id: 'GATE-2',
    promise:
      'a call whose paths lead outside, links followed, is refused with the root that would be needed and an alarm',
    source: 'boundary 4, 6',
    tests: of(
      GATE,
      'is inside, and the call is passed on: %s',
      'is outside, and the call is refused with an alarm: %s',
      'is told with the root that would be needed, and of a link no more than the link says',
      'is no matter where the machine has no such place, or where it is prose',
      'is no matter for a server without roots that only names places of its own',
      'is the matter of another machine for a remote server, but for file URIs',
      'is asked of resources, prompts and completions too',
    ),
  },
  {
    id: 'GATE-6',
    promise:
      'a member of _meta that names a path outside does not reach the server while the call goes on, and a call ends that cannot do without it',
    source: 'boundary 4, first paragraph; design: a relay is honest',
    tests: [
      ...of(PATHS, 'are told from those in members of _meta that a call can do without'),
      ...of(
        META,
        'goes without a member that names a path outside, and with the others',
        'is no path that the call touches',
        'is no alarm where an agent tells of the directories of its own session, which it does with every call',
        'ends the call where that cannot do without it: %j',
        'ends no call of an agent that says what MCP has for it',
      ),
      ...of(
        SCREENED,
        'reaches the server without that member, and with every other byte',
        'reaches it without any of many, and with its own progress',
      ),
    ],
  },
  {
    id: 'GATE-8',
    promise:
      'no path outside reaches a server in a request of any method, a notification or an answer to what it asked',
    source: 'boundary 4, first paragraph (and the like)',
    tests: [
      ...of(
        PATHS,
        'are looked for in every member but what only names or is handed back',
        'are looked for in whatever goes with a method that nobody knows: %j',
      ),
      ...of(
        SCREENING,
        'is refused with a path outside, and recorded: %s %j',
        'is passed on at once without one, and recorded nowhere',
        'is passed on with a path inside, and without a member of _meta that names one outside',
        'is everything that makes a server neither act nor tell of anything new, and no method that nobody knows',
        'is refused with a path outside: %s %j',
      ),
      ...of(
        SCREENED,
        'does not reach the server with a path outside, whatever its method',
        'reaches it with a path inside, as it came',
        'may end a subscription to what is no longer inside',
        'is forgotten with the root, where it was to be told to the next process of the server',
        'is no answer to the server with a path outside: the agent has declined',
        'opens no server with a path outside: %j',
        'opens it without a member of _meta that names one, and with the roots of the session left out as ever',
        'is looked at in each request where it comes with each',
      ),
      ...of(GOVERNED, 'is sent no path outside by any other way than the arguments of a tool either'),
    ],
  },
  {
    id: 'GATE-9',
    promise: 'records and alarms name a tool, prompt or method only as the server listed it or MCP has it',
    source: 'issue: The boundary (no raw path or tool argument in audit)',
    tests: [
      ...of(
        SCREENING,
        'is no name that an agent may have made up: %s %j',
        'is the name where the server lists it while the call is under way',
        'is no such name in an alarm either',
        'leaves policies and people the name as it is',
        'is little where the name is none: the call is refused (%.10s)',
        'is passed on where it is as long as it may be',
      ),
      ...of(SCREENED, 'is recorded where the server listed it, and not where the agent made it up'),
      ...of(GUARDED_CALLS, 'are recorded with the name of the tool that is known when they end'),
      ...of(
        'apps/server/src/audit/bounded-facts.test.ts',
        'is kept: %s',
        'is not kept where it may be something else: %j',
      ),
    ],
  },
];
