import { of, type Requirement } from './requirement.ts';

const BOUNDARY = 'apps/server/src/boundary';
const BOUNDARIES = `${BOUNDARY}/boundaries.test.ts`;
const STAND = `${BOUNDARY}/stand-roots.test.ts`;
const FACTS = `${BOUNDARY}/root-facts.test.ts`;
const KEPT = `${BOUNDARY}/kept-roots.test.ts`;
const RESOLVE = `${BOUNDARY}/resolve-boundary.test.ts`;
const URI = 'packages/policy/src/file-uri.test.ts';
const CONTAINMENT = 'packages/policy/src/containment.test.ts';
const PROJECTIONS = 'packages/policy/src/projections.test.ts';
const MISREAD = 'apps/server/src/mcp/gate/misread-paths.test.ts';
const GATE = 'apps/server/src/mcp/gate/server-call-gate.test.ts';
const RELAY = 'apps/server/src/mcp/relay/server-relay.test.ts';
const REVOCATION = 'apps/server/src/mcp/launch/revocation.test.ts';
const SWAPPED = 'apps/server/src/fs/swapped-directory.test.ts';
const REFUSED_URI = '%j is refused: %s';
const REFUSED_CALL = 'is passed on nowhere, for a read and for a write, and the refusal says what to send: %s';
const NOT_THE_ROOT = 'is not the root by %s';
const BY_COMPONENT = '%s, %s: %s, by path component';
const LEADS_OUTSIDE = 'is outside, and the call is refused with an alarm: %s';
const LOST = 'that is %s is lost before the next answer, with an event and a record';

/** Each case that has broken a real server (boundary, section 6), with the tests that show its verdict. */
export const boundaryCases: readonly Requirement[] = [
  at('prefix', 'a name that begins like a root is outside of it', [
    ...of(CONTAINMENT, BY_COMPONENT, 'as component by component comparison says, for any two paths'),
    ...of(RESOLVE, 'holds the directories that it is used with, by component and not by the beginning of a name'),
    ...of(GATE, LEADS_OUTSIDE),
  ]),
  at('dots', '`..` is refused in a URI, in every encoding, and followed in a call to where it leads', [
    ...of(URI, REFUSED_URI, 'denotes no other path for another reader, where it is accepted'),
    ...of(GATE, LEADS_OUTSIDE),
    ...of(MISREAD, REFUSED_CALL),
  ]),
  at('encodings', '%2e%2e, %252e, %2f and %00 are refused', [...of(URI, REFUSED_URI), ...of(MISREAD, REFUSED_CALL)]),
  at('no-path', '`file://` is no root, and `/` never is one', [
    ...of(URI, REFUSED_URI),
    ...of(MISREAD, REFUSED_CALL, 'is none that is read in one way only, and that is outside where it leads outside'),
    ...of(
      RESOLVE,
      'has no roots that are not there, neither directories nor files, named twice, of the system or of Reeve itself',
    ),
  ]),
  at('host', '`file://host/…` and `file://localhost/…` are refused', [
    ...of(URI, REFUSED_URI),
    ...of(MISREAD, REFUSED_CALL),
  ]),
  at('query', 'query and fragment are refused', [...of(URI, REFUSED_URI), ...of(MISREAD, REFUSED_CALL)]),
  at('trailing', 'a trailing space or dot is refused, which some systems drop', [
    ...of(URI, REFUSED_URI),
    ...of(MISREAD, REFUSED_CALL, NOT_THE_ROOT),
  ]),
  at('symlink', 'a link to outside, to /proc/self/root or to nowhere is outside, for a read and for a write', [
    ...of(GATE, LEADS_OUTSIDE, 'is told with the root that would be needed, and of a link no more than the link says'),
    ...of(MISREAD, 'is none that is read in one way only, and that is outside where it leads outside'),
    ...of(RESOLVE, 'names directories by where they are, whatever links lead there'),
    ...of(
      'apps/server/src/fs/read-text-file.test.ts',
      'gives the same answer for what exists outside and what does not, by whatever way',
    ),
    ...of('apps/server/src/fs/write-text-file.test.ts', 'never writes outside, nor through a link that leads nowhere'),
  ]),
  at('swap', 'a directory that is swapped for a link during a call leaks nothing', [
    ...of(REVOCATION, 'leaks nothing through a directory that is swapped for a symlink while it reads and writes'),
    ...of(SWAPPED, 'leaks nothing to a reader', 'lets no writer out'),
  ]),
  at('hard-links', 'files with a second name are a risk that people are told of', [
    ...of(
      FACTS,
      'tell of files with a second name, as far as limits.maxLinkScan reaches',
      'do not follow symbolic links when it looks for second names',
    ),
  ]),
  at('unicode', 'NFC and NFD are one name only where the file system surely takes both for one', [
    ...of(CONTAINMENT, 'in another Unicode form only where the file system surely takes both for one'),
    ...of(MISREAD, NOT_THE_ROOT),
  ]),
  at('letter-case', 'letters in another case are one name only where the file system surely ignores case', [
    ...of(
      CONTAINMENT,
      'in other letters only where the file system surely ignores case',
      'is none when another spelling of a nested root may be meant',
    ),
    ...of(MISREAD, NOT_THE_ROOT, 'is not the root around it either, where a nested root may be meant'),
  ]),
  at('root-changed', 'a root that is deleted, renamed or replaced after approval is lost before the next answer', [
    ...of(
      BOUNDARIES,
      LOST,
      'is noticed by itself when it goes, and is back when the same directory is',
      'that was swapped while the session slept is noticed when it is opened again, and approved by naming it anew',
    ),
    ...of(
      KEPT,
      'is told when it is gone, by the directory that holds it, and nothing is told of its neighbours',
      'is another one when a directory of its name takes its place, even with the inode of before',
      'is missing from the beginning where nothing was there',
    ),
    ...of(STAND, 'is not given for what has taken the place of what was approved'),
  ]),
  at('empty', 'an empty list is an answer like any other: the server is restarted without roots', [
    ...of(PROJECTIONS, 'are none without a grant, and none from the moment that it expires'),
    ...of(BOUNDARIES, 'takes a root from one server alone, and keeps it for the session'),
    ...of('apps/server/src/mcp/eras.test.ts', 'is told by an empty list that it has no roots'),
    ...of(RELAY, 'that leaves no roots is told as an empty list'),
    ...of(
      'apps/server/src/mcp/governed-files.test.ts',
      'has nothing from the moment that its last root is taken, though it keeps its directories on an empty list',
    ),
  ]),
  at('nested', 'of nested and overlapping roots the deepest decides, and a granted root brings what lies in it', [
    ...of(CONTAINMENT, 'decides, whatever its access and wherever it stands in the list'),
    ...of(
      STAND,
      'is what the deepest and newest decision of a person says, of nested and overlapping roots too',
      'is given with the root that it lies in, and then nobody is asked about it',
    ),
  ]),
  at('file', 'a root may be a file, and is that file alone', [
    ...of(CONTAINMENT, 'is a file only for that file itself'),
    ...of(STAND, 'may be a part of a root of the session, or a single file'),
  ]),
  at(
    'worktree',
    'a work tree whose git directory lies elsewhere is of its repository, and brings nothing of that directory',
    [
      ...of(FACTS, 'is the same for a linked work tree whose git directory lies elsewhere'),
      ...of(
        'packages/sandbox/src/bubblewrap/linked-work-trees.test.ts',
        'brings nothing of that directory with it: git finds no repository inside',
        'lets nobody write the hooks and the configuration in that directory where it is a root too',
        'is committed where that directory is a root too, and the main work tree is still not shown',
      ),
    ],
  ),
  at('ten-thousand', 'ten thousand roots hold nobody up', [
    ...of(FACTS, 'are found for ten thousand roots within seconds'),
    ...of(BOUNDARIES, 'is exposed, changed and changed again without holding anybody up'),
    ...of('packages/policy/src/boundary-change.test.ts', 'may have 10,000 roots: each operation is done in an instant'),
    ...of(
      `${BOUNDARY}/boundary-changes.test.ts`,
      'is seen whole at each moment, and others have their turn while a change is made',
    ),
    ...of('apps/server/src/pace/in-slices.test.ts', 'lets everybody else have their turn between slices'),
  ]),
  at('revoked-meanwhile', 'what is revoked while another change is prepared is not given again by it', [
    ...of(
      `${BOUNDARY}/boundary-changes.test.ts`,
      'stays revoked, and the other change is made without it',
      'is a conflict for who changes a certain revision',
    ),
  ]),
  at('storm', 'a storm of changes costs each server its own time, and everything else goes on', [
    ...of(BOUNDARIES, 'is exposed, changed and changed again without holding anybody up'),
    ...of(RELAY, 'costs what it costs itself: calls of another go on'),
    ...of(
      'apps/server/src/mcp/roots-storm.test.ts',
      'reaches the reference server of files as what they are in the end, and holds up no other server',
      'that each need another process is over with few of them, and the last has the roots of the end',
    ),
    ...of(
      'apps/server/src/mcp/hostile-server.test.ts',
      'storms with changes and questions without holding up another one',
    ),
  ]),
];

function at(name: string, promise: string, tests: Requirement['tests']): Requirement {
  return { id: `BOUNDARY-6-${name}`, promise, source: 'boundary 6', tests };
}
