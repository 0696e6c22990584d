import { of, type Requirement } from './requirement.ts';

const GUARDED_SERVER = 'apps/server/src/boundary/guarded-server.test.ts';
const ROOTS_E2E = 'e2e/roots-surface.test.ts';
const REVIEWS_E2E = 'e2e/reviews-surface.test.ts';
const REVIEWS = 'apps/server/src/boundary/server-reviews.test.ts';
const REVIEW = 'apps/cli/src/describe-review.test.ts';
const SERVER = 'apps/cli/src/describe-server.test.ts';

/** What people are told of servers and roots, and what their answers decide. */
export const reviewsSurface: readonly Requirement[] = [
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
      ),
      ...of(
        REVIEWS,
        'approves that part, and the rest is asked about as before',
        'denies that part, and the rest is asked about as before',
        'starts a server with a part of its roots, and asks about the rest by itself',
        'is given for as long and as far as was asked, by a plain yes; for no more by any',
        'may be a single file: it joins the session and the server alone, and a pipe or a directory in its place is not that',
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
        'is its next step once, wherever it came, and all else of the data',
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
        'counts as long as the one before unless it says how long itself, or that it has no end',
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
      ...of(GUARDED_SERVER, 'has no more than the directories on its own command line, and these give it nothing'),
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
