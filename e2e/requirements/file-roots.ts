import { of, type Requirement } from './requirement.ts';

const E2E = 'e2e/file-roots.test.ts';
const RESOLVE = 'apps/server/src/boundary/resolve-boundary.test.ts';
const CONFINED = 'packages/sandbox/src/bubblewrap/file-roots.test.ts';
const FILES = 'apps/server/src/fs/file-root.test.ts';

/** Roots that are single files. */
export const fileRoots: readonly Requirement[] = [
  {
    id: 'BOUNDARY-FILE-1',
    promise:
      'a regular file may be a root wherever a directory may, by configuration, client, HTTP and command line; it is never a place to work in, and no pipe, socket or device is a root',
    source: 'boundary 2; docs/boundary.md',
    tests: [
      ...of(RESOLVE, 'may have single files as roots, and none of them to work in'),
      ...of(RESOLVE, 'are refused where somebody says that they are one, and the other is there'),
      ...of(
        E2E,
        'is given to a session that runs and taken from it again, at the command line',
        'may be one of a workspace, can be looked at before, and is no place to work in',
      ),
      ...of(
        'apps/server/src/http/path-advice.test.ts',
        'is to give the file alone where its directory is of high risk, and the file is not',
      ),
      ...of(
        'apps/server/src/boundary/server-reviews.test.ts',
        'may be a single file: it joins the session and the server alone, and a pipe or a directory in its place is not that',
      ),
    ],
  },
  {
    id: 'BOUNDARY-FILE-2',
    promise:
      'who has a file as a root has that file and nothing beside or below it: agent, terminals, files that Reeve serves, MCP servers and the check of their calls',
    source: 'boundary 2, 4; docs/sandbox.md',
    tests: [
      ...of(
        E2E,
        'is all that an agent sees of its directory, and has its own access: %s',
        'is told to an MCP server as the URI of the file, which sees it and nothing beside it until it is taken away',
      ),
      ...of(
        CONFINED,
        'are seen without what lies beside them, and are written only where they are read-write',
        'cannot be renamed, replaced or deleted inside: what writes by a rename is told so',
        'have their own access in a root around them, and the way to them stays where it is',
      ),
      ...of(FILES, 'reads and writes that file and nothing beside or below it'),
      ...of(
        'apps/server/src/mcp/gate/server-call-gate.test.ts',
        'is inside of a root that is a file for that file alone',
      ),
      ...of(
        'apps/server/src/mcp/launch/server-launcher.test.ts',
        'sees of a root that is a file that file alone, works elsewhere, and is found to have lost it',
      ),
      ...of(
        'packages/policy/src/projections.test.ts',
        'leave out what is a single file, which no session works in either',
      ),
    ],
  },
  {
    id: 'BOUNDARY-FILE-4',
    promise: 'a file has the risks of its place and says so where it has a second name; none of Reeve itself is a root',
    source: 'boundary 2',
    tests: [
      ...of(
        'apps/server/src/boundary/root-facts.test.ts',
        'are of a single file those of its place, and tell of its own second name',
      ),
      ...of(
        RESOLVE,
        'has no roots that are not there, neither directories nor files, named twice, of the system or of Reeve itself',
      ),
    ],
  },
  {
    id: 'BOUNDARY-FILE-SHOWN',
    promise:
      'wherever people are shown roots, at the command line and in the console, before they decide and after, one that is a single file is said to be one',
    source: 'docs/boundary.md, single files',
    tests: [
      ...of(
        E2E,
        'is all that an agent sees of its directory, and has its own access: %s',
        'is told to an MCP server as the URI of the file, which sees it and nothing beside it until it is taken away',
        'may be one of a workspace, can be looked at before, and is no place to work in',
      ),
      ...of(
        'apps/cli/src/describe-roots.test.ts',
        'says of a root that is a single file that it is one, beside its access and not its path',
      ),
      ...of('apps/cli/src/describe-review.test.ts', 'says of a root that is a single file that it is one'),
      ...of(
        'e2e/console/file-roots.test.ts',
        'is said to be one in the preview of a session, where its boundary stands, and in the list of all',
        'is said to be one in the review of an MCP server that would see it',
      ),
    ],
  },
  {
    id: 'BOUNDARY-FILE-3',
    promise:
      'what takes the place of such a file is not what was approved: it is noticed, no server keeps it and Reeve serves it to nobody; what a sandbox that runs cannot hold then is told as its gap',
    source: 'boundary 2; docs/boundary.md; docs/sandbox.md',
    tests: [
      ...of(E2E, 'is lost when another file takes its place, and is seen as it is once it is named again'),
      ...of(
        'apps/server/src/boundary/kept-roots.test.ts',
        'that is a file stays the same when it is written, and is told when another takes its place by a rename',
      ),
      ...of(
        'apps/server/src/boundary/boundary-changes.test.ts',
        'is what is left of a directory that is narrowed to it, and is what is there when it is named again',
      ),
      ...of(
        CONFINED,
        'stay what they were inside when they are replaced outside: nothing of the new file is seen',
        'that are read-only in a read-write root can be written once others take their place outside, as the gap says',
        'are not shown, and nothing is started, where one is %s by then',
        'are not taken for a directory that was approved',
      ),
      ...of(
        FILES,
        'writes the very file that was approved, not another in its place, also through a link',
        'serves nothing any more once another file, a directory or a link took its place',
        'opens no directory, pipe or device that is there instead',
      ),
    ],
  },
];
