import { of, type Requirement } from './requirement.ts';

const AGENT_SIDE = 'apps/server/src/sessions/agent-side.test.ts';
const CONFIG = 'apps/server/src/config.test.ts';
const GATE = 'apps/server/src/http/gatekeeper.test.ts';
const LISTENER = 'apps/server/src/http/listener.test.ts';
const CONTROL = 'apps/server/src/http/control-api.test.ts';
const CLI = 'apps/cli/src/cli.test.ts';
const PROCESSES = 'e2e/durability.processes.test.ts';

/** The server itself: who is let in, how it is configured, how it ends. */
export const server: readonly Requirement[] = [
  {
    id: 'SERVER-1',
    promise: 'serve says where it listens, by people and by --json, and what it found',
    source: 'issue: The server',
    tests: of(
      CLI,
      'says where it listens and what it found, and ends decently',
      'shows its log beside the banner when %s says so',
      'says what is wrong with the configuration, or with the port',
    ),
  },
  {
    id: 'SERVER-2',
    promise: 'a bearer token in a file of mode 0600, by default; without one only on loopback',
    source: 'issue: The server',
    tests: [
      ...of(
        'apps/server/src/http/token-file.test.ts',
        'is made once, for its owner only, and read ever after',
        'is refused with mode %o, which others may read',
      ),
      ...of(LISTENER, 'refuses strangers everywhere, and says how to be let in', 'hands no token on to what it serves'),
      ...of(CONFIG, 'names the flag or the variable when that said it'),
    ],
  },
  {
    id: 'SERVER-STRANGERS',
    promise: 'no way of writing a path opens the API to whoever has no token: not by dot segments, not by escapes',
    source: 'issue: The server; design, the house',
    tests: [
      ...of(GATE, 'opens no more to strangers than a path says that leads nowhere else: %j is %s'),
      ...of(LISTENER, 'opens nothing of the API to a stranger whose path begins with an open one and leads elsewhere'),
      ...of(
        'apps/server/src/http/control-api.test.ts',
        'refuses a stranger itself, whatever path the gate let through',
      ),
    ],
  },
  {
    id: 'SERVER-3',
    promise: 'Host and Origin are checked on every route and upgrade',
    source: 'issue: The server',
    tests: [
      ...of(GATE, 'judges Host %s: %s', 'judges Origin %s: %s'),
      ...of(
        LISTENER,
        'hands WebSocket handshakes on, and refuses those of strangers and of other paths',
        'lets pages of allowed origins read its answers, and no others',
      ),
    ],
  },
  {
    id: 'SERVER-4',
    promise: 'a graceful stop tells the turns, ends the agents and flushes the log; a second signal ends at once',
    source: 'issue: The server',
    tests: [
      ...of(
        PROCESSES,
        'answers the prompts that run, writes their end down and exits with 0',
        'ends at once at the second signal',
      ),
      ...of(
        'apps/cli/src/interrupts.test.ts',
        'ask for an end first, and end at once the second time',
        'count once when they come both directly and over the channel',
      ),
    ],
  },
  {
    id: 'SERVER-5',
    promise: 'no child process survives the server, however it dies',
    source: 'issue: The server; design: Rules that hold everywhere',
    tests: [
      ...of(
        PROCESSES,
        'are gone with it when it ends by %s, in the middle of turns',
        'are gone with their session when it is closed',
      ),
      ...of(
        'packages/sandbox/src/process-guard.test.ts',
        'lets nothing outlive a server that ends by %s, not even itself',
      ),
    ],
  },
  {
    id: 'SERVER-6',
    promise: 'one JSONC file, validated, every error with path and mend; agents as Zed writes them',
    source: 'issue: The server, configuration',
    tests: of(
      CONFIG,
      'names path, place, expectation, value and mend',
      "takes Zed's agent_servers as it is",
      'prefers flags to the environment, and that to the file, and says which',
    ),
  },
  {
    id: 'SERVER-7',
    promise: 'config show prints the effective configuration with origins, secrets hidden',
    source: 'issue: The server, configuration',
    tests: of(
      CONFIG,
      'shows the effective configuration with origins and without secrets',
      'never shows the text of an environment variable',
    ),
  },
  {
    id: 'SERVER-8',
    promise: 'bad input never crashes the server, and gets an error that says the next step',
    source: 'issue: What it must show',
    tests: [
      ...of(
        'apps/server/src/http/fuzz.test.ts',
        '%s: refused or cut off',
        'survives requests that were damaged at random',
      ),
      ...of('apps/server/src/acp/streamable-http.refusals.test.ts', 'refuses %s with %i and says the next step'),
      ...of(CONTROL, 'refuses %s with %i, and says the next step'),
      ...of(AGENT_SIDE, 'answers %s with an error, and the connection works on', 'meets no error that nobody foresaw'),
      ...of(
        'packages/protocol/src/errors.test.ts',
        'says for %s what happened, what to do next, and an HTTP status',
        'says a better next step than the table where whoever raised it knows one',
      ),
    ],
  },
  {
    id: 'SERVER-9',
    promise: 'sessions, events and requests over HTTP',
    source: 'protocol 1',
    tests: of(
      CONTROL,
      'shows sessions, by id and by alias',
      'shows events with their messages as they were sent',
      'streams events from a cursor on, follows, and ends with its reader',
      'lists requests and takes answers',
      'says why an answer does not count',
    ),
  },
  {
    id: 'SERVER-10',
    promise: 'a server that was killed leaves no sockets for good, and nothing that may be of somebody else is removed',
    source: 'design: Rules that hold everywhere',
    tests: of(
      'apps/server/src/mcp/socket-directory.test.ts',
      'is removed when it is done with, and by the next server where its own was killed',
      'leaves alone what may be somebody else: of a live process, another mode or name, without a mark, a link',
    ),
  },
];
