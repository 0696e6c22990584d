import { of, type Requirement } from './requirement.ts';

const E2E = 'e2e/boundary-surface.test.ts';
const CONFIG = 'apps/server/src/config.test.ts';
const FILES = 'apps/server/src/boundary/workspace-servers.test.ts';
const CONFIGURED = 'apps/server/src/boundary/configured-servers.test.ts';
const CHECK_PATH = 'apps/server/src/boundary/check-path.test.ts';
const ROUTES = 'apps/server/src/http/governance-routes.test.ts';
const REVIEW = 'apps/cli/src/describe-review.test.ts';
const SERVER = 'apps/cli/src/describe-server.test.ts';
const ROOT_WORDS = 'apps/cli/src/root-words.test.ts';

/** What governs sessions, as people meet it: in the configuration, over HTTP and at the command line. */
export const boundarySurface: readonly Requirement[] = [
  {
    id: 'BOUNDARY-SURFACE-1',
    promise:
      'the configuration names workspaces, MCP servers, policies and a webhook; wrong ones are told with the mend, no secret of them is shown',
    source: 'issue: boundary; docs/configuration.md',
    tests: of(
      CONFIG,
      'reads workspaces and servers, with paths relative to the file and ~ as the home directory',
      'never shows what may be a secret, neither in force nor wrong',
    ),
  },
  {
    id: 'BOUNDARY-SURFACE-2',
    promise:
      'a session in a workspace has its roots and its servers, which nobody has to approve, and only the variables that they are passed',
    source: 'issue: boundary, workspaces',
    tests: [
      ...of(
        E2E,
        'is that of its workspace, with the servers that the configuration gives it, which nobody has to approve',
      ),
      ...of(
        CONFIGURED,
        'are those of every session, then what the files of its directories propose',
        'are those of its workspace where that has one of the name, with the variables it is passed and no other',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-3',
    promise:
      'servers of .mcp.json and .vscode/mcp.json are proposed: nothing starts before its very entry was approved, a changed one is proposed anew, no variable of ours is filled in',
    source: 'issue: boundary, read-only import',
    tests: [
      ...of(E2E, 'proposes the servers of a file in the workspace, and one that was changed anew'),
      ...of(CONFIGURED, 'are of no file where files are not to be looked at'),
      ...of(
        FILES,
        'are those of .mcp.json and of .vscode/mcp.json, in that order, comments and all',
        'are pinned by all that their entry says, whatever the order of its members',
        'are given no variable of the environment of Reeve',
        'are none with %s, and it is said why',
        'are none with %s, which would have other code run than the command that a person is shown',
        'are none in a file with %s',
        'are taken from no link, no directory, no pipe, and nothing outside of the directory',
        'are told apart where two files have different ones of a name',
        'are none where there are no files',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-4',
    promise:
      'a person sees the whole command of a server before it runs, and approves, denies, retries and forgets it at the command line and over HTTP',
    source: 'docs/cli.md; docs/http-api.md',
    tests: [
      ...of(
        E2E,
        'waits for a person, who sees its whole command, and is approved at the command line',
        'is forgotten: it stops, and is asked about anew',
      ),
      ...of(
        REVIEW,
        'tells the whole command, where it runs, each root with its risks, and what its tools claim',
        'has a line of its own in a list',
      ),
      ...of(
        SERVER,
        'is told with what holds it, what it may reach, its gaps and who approved it',
        'is told as ungoverned where Reeve has nothing to do with it',
        'is told as declared where nothing confines it, and as elsewhere where it has no process here',
      ),
      ...of(ROUTES, 'are listed with what was decided, shown with what they printed, approved and forgotten'),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-5',
    promise:
      'roots are asked for, given narrowed and for a time, denied and taken back in one action, which ends when they are gone from inside',
    source: 'docs/cli.md; docs/http-api.md',
    tests: [
      ...of(
        E2E,
        'is given a root that was asked for, narrowed, and loses it again: gone, as was looked up from inside',
        'is denied a root, and that is not asked about as long as it counts',
      ),
      ...of(ROUTES, 'are given, listed and taken back', 'take the answer to a review, narrowed'),
      ...of(
        ROOT_WORDS,
        'is a path, absolute or from here, with its access behind it',
        '%s is so many milliseconds from now',
        '%j is no time to come, and it is said what is',
        'tells a change by its roots and what became of it at each server',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-6',
    promise:
      'what a server may not touch is refused with the way to ask for it, is an alarm without a path in the clear, and can be looked up',
    source: 'docs/cli.md; docs/http-api.md',
    tests: [
      ...of(E2E, 'is refused what it was not given, with the way to ask for it, and raises an alarm'),
      ...of(ROUTES, 'lists alarms from the audit log, newest first, without a path in the clear'),
      ...of(
        CHECK_PATH,
        'is what the deepest root around it says, for the agent and for each server',
        'is nothing beside a root with a name that begins the same',
        'is judged by where links lead',
        'is reading where what lies there decides which programs run',
        'cannot be told of %j, so it is nothing',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-7',
    promise:
      'a boundary is read, changed, narrowed and revoked over HTTP; whoever was slower is told, and every refusal says the next step',
    source: 'docs/http-api.md',
    tests: [
      ...of(E2E, 'is changed over HTTP, refused where another was faster, and each refusal says the next step'),
      ...of(
        ROUTES,
        'are shown, with the workspaces of the configuration',
        'are changed, narrowed and lose roots, and the answer says what became of it at each server',
        'are not changed where that is refused, and every refusal says the next step',
        '%s %s with %j is refused before anything is done',
        'answers any JSON with what it is for, or with what is expected, and never fails',
        'tell what a path may be used for, and are asked for roots',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-8',
    promise:
      'policies are shown, checked, explained and read again; wrong ones change nothing, and no server starts with them; tighter ones stop what runs',
    source: 'docs/policy.md; docs/http-api.md',
    tests: [
      ...of(E2E, 'shows, checks, explains and loads policies, and a tighter one counts for what runs'),
      ...of(ROUTES, 'are shown, checked, explained and read again'),
      ...of(
        'apps/server/src/boundary/read-policy-files.test.ts',
        'are read in their order',
        'are all told that cannot be read, with what to do',
      ),
      ...of(
        'apps/cli/src/check-policy-files.test.ts',
        'are no problem where they hold, or where there are none',
        'are told with file, place and mend where they do not hold together',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-9',
    promise:
      'every command stands in docs/cli.md, every route in docs/http-api.md, and who is not known is told the next step',
    source: 'docs/cli.md; docs/http-api.md',
    tests: [
      ...of('apps/cli/src/documented-commands.test.ts', 'has every command in docs/cli.md'),
      ...of(
        'apps/server/src/http/documented-routes.test.ts',
        'has every route of the API in docs/http-api.md, with what it does and its own errors',
      ),
      ...of(E2E, 'has only documented errors for whom it does not know'),
      ...of('apps/cli/src/mcp-server-option.test.ts', '%j is refused with the form to write'),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-10',
    promise:
      'no value of env or headers of a server or of the webhook is told over HTTP, on disk, in the log or at the command line',
    source: 'issue: boundary, audit',
    tests: of(E2E, 'tells nobody a secret of a server: over HTTP, on disk, in the log or at the command line'),
  },
  {
    id: 'BOUNDARY-SURFACE-20',
    promise:
      'whatever is sent to the routes of boundaries, grants, servers, policies and the audit log is answered, or refused with what was wrong and what to do: never a failure of the server',
    source: 'issue: boundary, HTTP; docs/http-api.md, errors',
    tests: [
      ...of(
        'e2e/http-garbage.test.ts',
        'is refused by every route that governs sessions with what to do instead, and never a failure of the server',
      ),
      ...of('packages/protocol/src/iso-time.test.ts', '%j is none, though a program may take it for one'),
    ],
  },
];
