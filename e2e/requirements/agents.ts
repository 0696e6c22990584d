import { of, type Requirement } from './requirement.ts';

const TRAPS = 'apps/server/src/sessions/traps.test.ts';
const TURNS = 'apps/server/src/sessions/turns.test.ts';
const POOL = 'apps/server/src/agents/agent-pool.test.ts';
const AGENT = 'apps/server/src/agents/agent-connection.test.ts';
const VERSIONS = 'apps/server/src/agents/agent-versions.test.ts';
const VERSIONS_E2E = 'e2e/agent-versions.test.ts';
const INSTALLER = 'apps/server/src/install/package-installer.test.ts';
const INTEROP = 'e2e/interop.test.ts';
const REAL = 'e2e/real-agents.reeve.test.ts';
const DIRECT = 'e2e/real-agents.direct.test.ts';
const PROCESSES = 'e2e/durability.processes.test.ts';

/** Agent processes, and the real agents that the tests run. */
export const agents: readonly Requirement[] = [
  {
    id: 'AGENT-1',
    promise: 'raw JSON-RPC over stdio: bytes kept, unknown things relayed',
    source: 'design: Rules that hold everywhere',
    tests: [
      ...of(
        AGENT,
        'changes nothing of a request but its id',
        'gives each response to who asked, under whatever id and in whatever order they come',
      ),
      ...of(TRAPS, 'usage and unknown fields at the root, unknown variants and methods: kept byte for byte'),
      ...of(
        'packages/protocol/src/json-bytes.test.ts',
        'means what setting the member on the parsed value means, and keeps the bytes around',
      ),
      ...of('packages/sandbox/src/line-splitter.test.ts', 'delivers the same lines however the bytes are cut'),
    ],
  },
  {
    id: 'AGENT-2',
    promise: 'the last 64 KB of stderr are kept, and shown when the agent fails',
    source: 'issue: Agents',
    tests: [
      ...of(
        'packages/sandbox/src/process-holder.test.ts',
        'keeps the last 64 KB of stderr, complete when the exit is told, and shows each chunk',
      ),
      ...of(INTEROP, 'is told why a turn failed when its agent crashes, and can go on'),
      ...of(TURNS, 'is answered at once with exit code, signal and stderr'),
    ],
  },
  {
    id: 'AGENT-3',
    promise: 'spawn errors, early exit and a deadline for initialize',
    source: 'issue: Agents',
    tests: of(POOL, 'says what is wrong with an agent %s, and leaves nothing running'),
  },
  {
    id: 'AGENT-4',
    promise: 'a banner on stdout is skipped and never answered',
    source: 'protocol 8',
    tests: [
      ...of(TRAPS, 'a banner on stdout: skipped, reported, never answered'),
      ...of(AGENT, 'skips what is no message and never answers it'),
    ],
  },
  {
    id: 'AGENT-5',
    promise: 'an agent that hangs at the end of its input, ignores SIGTERM or leaves orphans ends all the same',
    source: 'protocol 8',
    tests: [
      ...of(POOL, 'ends an agent that ignores the end of its input and SIGTERM, and its grandchildren'),
      ...of(TRAPS, '%s is gone when its session is closed'),
      ...of(PROCESSES, 'are gone with their session when it is closed'),
    ],
  },
  {
    id: 'AGENT-6',
    promise: 'a flooding agent waits for the disk, and for nobody else',
    source: 'events 2',
    tests: of(AGENT, 'stops reading an agent that says too much before somebody listens, and loses nothing of it'),
  },
  {
    id: 'REAL-1',
    promise:
      'codex, claude, opencode and claude-code through Reeve: text, edit with permission, refused command, cancel, load after restart',
    source: 'agents; issue: Tests on real agents',
    tests: [
      ...of(
        REAL,
        'streams a text turn',
        'edits a file when another client than the prompter allows it',
        'does not run a command that is refused',
        'stops a turn that is cancelled half-way',
        'goes on without its client, who comes back and has missed nothing',
        'goes on after the server was killed, and remembers what was said',
      ),
      ...of(
        DIRECT,
        'streams the text of the scripted model',
        'asks before it writes a file, and writes it when allowed',
        'asks before it runs a command, and does not run it when refused',
        'stops a turn that is cancelled half-way',
      ),
    ],
  },
  {
    id: 'REAL-2',
    promise: 'the fake agent does on demand what real ones will not',
    source: 'issue: Tests on real agents',
    tests: [
      ...of(
        'packages/testkit/src/fake-agent/steps.test.ts',
        'flood exactly, before the response',
        'send unknown fields and variants, raw lines, garbage and big lines',
        'can be a crash with an exit code and last words, or a signal',
      ),
      ...of(
        'packages/testkit/src/fake-agent/schema.test.ts',
        'sends only what the schema allows, but for what is meant to be unknown',
      ),
    ],
  },
  {
    id: 'AGENT-7',
    promise:
      'agentVersionRequested: a session runs the version that it asked for, and goes on with it; otherwise an error lists what there is',
    source: 'protocol 1; issue: The whole session surface',
    tests: [
      ...of(
        VERSIONS_E2E,
        'run in the session that asked, which goes on with the same after a restart of the server',
        'that are not to be had are an error that lists what is',
      ),
      ...of(
        VERSIONS,
        'is the configured one when nothing is asked for, or it is what is asked for',
        'is installed when the configured one is not what is asked for, and runs',
        'is the newest of the registry when the latest is asked for',
        'that cannot be had is refused with what there is',
        'of an agent without an npm package is the configured one or none',
        'can be had though the configured command does not start',
        'that a session began with is what it goes on with',
        'works without the registry when it is there, and the answer says so',
      ),
    ],
  },
  {
    id: 'AGENT-8',
    promise:
      'npm packages are installed once, with a lock, progress and their integrity recorded and checked; no script of theirs runs',
    source: 'issue: The whole session surface',
    tests: [
      ...of(
        INSTALLER,
        'are resolved by tag, version and range, or the answer is what there is',
        'are installed once, whole, with what is known of them written down',
        'tell of each phase of their installation',
        'are not used when they are not what the registry describes',
        'never run an install script, and say so when a program is missing for that',
        'that name no program have those of their folder "bin"',
        'that are installed work without the registry, and the answer says so',
        'that a killed server left half are thrown away, and its lock is taken over',
        'that are being installed when the server stops leave nothing behind',
      ),
      ...of(
        'apps/server/src/install/wanted-version.test.ts',
        'is never an address, a path, an option or an alias',
        'is an exact version in its normal form, and nothing else',
        'is the name of a package of the registry, and nothing else',
      ),
      ...of(
        'apps/server/src/install/npm-environment.test.ts',
        'has what npm needs to reach its registry, and no key of other services',
        'has no settings that would install elsewhere, otherwise or not at all',
        'keeps its secrets out of what npm said',
      ),
    ],
    byHand:
      'From the real registry: reeve agents install codex, with "npm": {"package": "@zed-industries/codex-acp"} for agent codex',
  },
  {
    id: 'AGENT-9',
    promise: 'versions of an agent are listed and installed by the command line, the SDK and HTTP',
    source: 'issue: The whole session surface',
    tests: of(
      VERSIONS_E2E,
      'are installed and listed by the command line and the SDK',
      'that do not exist are refused by the command line with what there is',
      'are all that there is of a known agent whose program is not on the PATH',
      'stand in for a configured command that is not there',
    ),
  },
];
