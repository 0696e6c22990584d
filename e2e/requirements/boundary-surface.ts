import { of, type Requirement } from './requirement.ts';

const E2E = 'e2e/boundary-surface.test.ts';
const ROOTS_E2E = 'e2e/roots-surface.test.ts';
const REVIEWS_E2E = 'e2e/reviews-surface.test.ts';
const REVIEWS = 'apps/server/src/boundary/server-reviews.test.ts';
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
        'has every route of the API in docs/http-api.md, with what it does',
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
    id: 'BOUNDARY-SURFACE-11',
    promise:
      'a review shows all that its yes gives: roots that policies give unasked, what of a root the command line leaves, the network, the names of variables, and that the session and its agent get a new root too',
    source: 'issue: boundary, reviews; docs/boundary.md',
    tests: [
      ...of(
        REVIEWS_E2E,
        'shows what it gets without asking, what it may reach and which variables it has; all of it can be left out',
        'are said to become the agent’s where they are none of the session, and counted as was asked',
      ),
      ...of(
        REVIEWS,
        'lists what policies would give it beside what they ask about, and a plain yes gives just that',
        '%s what policies would give, where the answer lists roots',
        'says what of a root the command line leaves, and does not speak of one that it leaves out',
        'does not tell apart what can only be decided together',
        'is asked anew where policies would give it more meanwhile',
        'is said to become the session’s, and its agent’s, where it is none of its roots yet',
      ),
      ...of(REVIEW, 'tells what a yes gives to the session too, and the most that was asked for'),
      ...of(
        'apps/server/src/sessions/review-permission.test.ts',
        'says all that a yes gives: of the network, of what is given without asking, of what the command line leaves',
        'says that the agent gets a root too, and what it was asked for',
      ),
      ...of(
        'packages/protocol/src/review-words.test.ts',
        'says of a root what comes with a yes to it, and what comes without one',
        'says how far a wish reaches and until when',
        'says what a server may reach',
      ),
      ...of(
        'e2e/console/reviews.test.ts',
        'lists in a review what policies give without asking, which can be left out there',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-12',
    promise:
      'no server of a client or a file runs other code than its review shows: variables that load code are refused, and said how to be written into the command',
    source: 'issue: boundary, reviews; docs/boundary.md',
    tests: [
      ...of(REVIEWS_E2E, 'is none for a server whose variables have other code run than it shows'),
      ...of(
        REVIEWS,
        'is not asked for with %s, by which other code may run than people are shown; in its command people see it',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-13',
    promise:
      'an answer decides what its request showed and no more: one root at a time, a server never by a word about a root, no further and no longer than was asked for, nothing that was swapped meanwhile',
    source: 'issue: boundary, reviews; docs/boundary.md',
    tests: [
      ...of(
        REVIEWS_E2E,
        'is not answered by a word about one of its roots',
        'are answered one by one: what else is asked goes on waiting, and is told',
        'are directories: a file is refused before anybody is asked',
      ),
      ...of(
        REVIEWS,
        'approves that part, and the rest is asked about as before',
        'denies that part, and the rest is asked about as before',
        'starts a server with a part of its roots, and asks about the rest by itself',
        'is given for as long and as far as was asked, by a plain yes; for no more by any',
        'is refused at once where it is a file: nothing could show a server that alone',
        'is not approved where the session cannot have it, or something else is there by now: the answer says so',
      ),
      ...of(
        'apps/cli/src/root-reviews.test.ts',
        'is each review of roots that has it, with what else that asks',
        'is never whether a server may start: that is answered for itself, as the error says',
        'is nothing for a root that the server has anyway, and for one that nobody asks about',
      ),
      ...of(
        'apps/server/src/requests/check-review.test.ts',
        'of what was wanted is filled in from it, and never more',
        'is about a part of the roots only where that can be',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-14',
    promise:
      'a server starts with the roots of the very answer that let it, is told to have none that its command line leaves out, and is asked about as a server whatever waits about its roots',
    source: 'issue: boundary, reviews; docs/boundary.md',
    tests: [
      ...of(
        REVIEWS_E2E,
        'starts it with the roots of the very answer, before an agent has opened it',
        'speaks of no root that the command line of the server leaves out; it is said to have none of it',
        'comes back after it was forgotten while it asks for a root',
      ),
      ...of(
        REVIEWS,
        'puts the yes and its roots in force together: no server starts with a part of them',
        'is refused, and not asked about, where the command line of the server names other directories alone',
        'takes the place of a question about roots that is open when the server was forgotten',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-15',
    promise:
      'what is said of a root is what is so: not with a server whose command line leaves it out, lost where it was moved, the same by a link to it, and never proposed where it would be of high risk',
    source: 'issue: boundary, command line; docs/cli.md, roots',
    tests: [
      ...of(
        ROOTS_E2E,
        'are not said to be with a server whose command line leaves them out, nor asked for',
        'are not proposed where they would be of high risk, or none at all',
        'are shown and taken away by a link to them too',
        'are lost where they were moved, and are there again once they are named anew',
      ),
      ...of(
        'apps/server/src/boundary/check-path.test.ts',
        'is for a server no more than its command line names, whatever it was given',
        'is nothing in a root that is not what was approved any more',
      ),
      ...of(
        'apps/server/src/http/path-advice.test.ts',
        'is no command where that directory is of high risk: it says which, and that an administrator is needed',
        'is to copy where %s can be no root at all, and says why',
        'is to name a lost root anew',
        'names the server that can be asked for, and none whose command line leaves it out',
      ),
      ...of(
        'apps/server/src/mcp/gate/server-call-gate.test.ts',
        'is not asked for where the root would hold far more than the call is about: %s',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-16',
    promise: 'commands about roots and servers speak of what was typed: one problem, a next step for its cause, no API',
    source: 'issue: boundary, command line; docs/cli.md',
    tests: [
      ...of(
        ROOTS_E2E,
        'are refused in words about them, with a next step for each cause',
        'are of the only session that is open, also after a change ended its process',
        'is denied while it waits, and unknown ones are told of in commands',
      ),
      ...of('apps/server/src/boundary/boundary-changes.test.ts', 'is told of once, with a next step for %s'),
      ...of(
        'apps/cli/src/root-words.test.ts',
        '%s is no path but an access that there is not',
        'that cannot be one is told with what it is, once',
      ),
      ...of(
        'apps/cli/src/choose-session.test.ts',
        'is the only one that has a process, whatever else is open',
        'is the only one that is open where none has a process: a change of its boundary ended that',
      ),
      ...of(
        'apps/cli/src/error-words.test.ts',
        'names commands, not addresses of the API',
        'is of an answer to a review how to see what it asks, without the answers as JSON',
      ),
      ...of('apps/server/src/requests/check-review.test.ts', 'counts once: no time is taken for it, and that is said'),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-17',
    promise:
      'what was decided about a server can be changed, and servers and roots be denied for good, at the command line and while nobody asks',
    source: 'issue: boundary, command line; docs/boundary.md, changing and taking away',
    tests: [
      ...of(
        ROOTS_E2E,
        'is denied and approved while nobody asks: it stops, runs again, and what was not named stays',
        'are denied for good: nobody is asked again',
      ),
      ...of(
        'apps/server/src/boundary/decide-server.test.ts',
        'changes what was decided, and leaves what it does not name',
        'counts as long as it says itself: the time of an earlier one is replaced, or gone',
        'narrows what policies give it, and gives nothing that it does not have',
        'ends it where it is a no, also for this session alone; a yes lets it run again, though nobody asks',
        'is none where nobody was shown what the server is, and none for a time that is over',
        'lets nothing run that policies forbid by now',
      ),
      ...of(
        'apps/server/src/mcp/upstream/availability.test.ts',
        'is forgotten of a refusal as soon as it is over, and kept of an end',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-18',
    promise:
      'of a root that the command line of a server names only in part, it is said which part the server has: in reviews, over HTTP, at the command line and in the console',
    source: 'issue: boundary, command line; docs/boundary.md, deciding',
    tests: [
      ...of(
        'apps/server/src/boundary/server-fingerprint.test.ts',
        'leave of what they lie in the outermost of them, of what lies in them all, and nothing else',
      ),
      ...of(
        'apps/server/src/boundary/boundaries.test.ts',
        'has no more than the directories on its own command line, and these give it nothing',
      ),
      ...of(REVIEWS, 'says what of a root the command line leaves, and does not speak of one that it leaves out'),
      ...of('apps/cli/src/describe-roots.test.ts', 'says of a root that a server has in part which part that is'),
      ...of(
        'apps/console/src/boundary/standing-text.test.ts',
        'says which part of a root a server really has, where its command line names no more',
      ),
    ],
  },
  {
    id: 'BOUNDARY-SURFACE-19',
    promise:
      'servers that an agent brings itself are listed with the file that names them, also beside a governed one of the same name',
    source: 'issue: boundary (servers of the agent are masked or shown as ungoverned); docs/cli.md, servers',
    tests: of(
      SERVER,
      'is listed with the file that names it where the agent brings it, and with those that name another',
    ),
  },
];
