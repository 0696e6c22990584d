import { of, type Requirement } from './requirement.ts';

const GATE = 'apps/server/src/mcp/gate/server-call-gate.test.ts';
const LAUNCH = 'apps/server/src/mcp/launch';
const REVOCATION = `${LAUNCH}/revocation.test.ts`;
const GOVERNED = 'apps/server/src/mcp/governed-files.test.ts';
const META = 'apps/server/src/mcp/gate/call-meta.test.ts';

/** When a call reaches its MCP server: what policies, people and changes of the boundary have to say. */
export const gateHolds: readonly Requirement[] = [
  {
    id: 'GATE-3',
    promise:
      'a call that a person must approve is held as long as its agent waits, runs once, and is asked for again under the same key',
    source: 'boundary 7, waiting for a human',
    tests: [
      ...of(
        GATE,
        'is refused by policy with its ids, and recorded',
        'records how a call that was passed on ended, once',
        'of a person is waited for, and the approved call runs once',
        'is asked for by what the call says, whatever the order of its members',
        'is declined by a person, or pending when the agent has no more patience',
        'is asked about one after the other when the same call comes twice',
        'is no longer waited for when the turn is cancelled or the call taken back',
        'is not asked of anybody for arguments that are no text',
      ),
      ...of('apps/server/src/mcp/gate/call-patience.test.ts', 'waits as long as was measured: %s %s'),
      ...of(
        'e2e/held-calls.test.ts',
        'runs once when it is approved after five seconds',
        'ends as a result of the tool when it is declined, and the turn goes on',
        'runs once when it is approved after ninety seconds (REEVE_E2E_SLOW=1)',
        'is told to be pending before the agent gives up, and runs once when it is approved and sent again (REEVE_E2E_SLOW=1)',
      ),
    ],
  },
  {
    id: 'GATE-7',
    promise:
      'an approved call comes back with nothing that nobody was asked about, and is found again with the ids of another try',
    source: 'boundary 7, waiting for a human',
    tests: [
      ...of(
        META,
        'is found again with other members of each try, and goes without what nobody was asked about',
        'is the same call or another one by %s',
        'is another call by everything in the parameters of a method that nobody knows',
      ),
      ...of(
        'apps/server/src/mcp/gate/shown-arguments.test.ts',
        'is its arguments, or what a resource or a completion is asked for by',
        'is what else goes to the server with them too, but not what each try has of its own',
        'is cut where it is longer than anybody reads, and says so',
      ),
    ],
  },
  {
    id: 'GATE-4',
    promise:
      'calls do not pass a change of the boundary: they are held, ended or judged anew, and a stale view is a matter of policy',
    source: 'boundary 4, stale caches, long-running work',
    tests: of(
      GATE,
      'holds calls until it is through, and then judges them by the new roots',
      'judges a call again that was being looked at when it came',
      'with "%s" ends calls in flight that depend on what it takes: %j %s',
      'that only gives something does with "%s" the same to every call in flight',
      'waits no longer for calls in flight than they have time',
      'asks a person whether a call may go on, where policy says so',
      'ends every call of a server that may not run any more',
      'holds calls of a server that keeps its roots until it has fetched them again',
      'holds calls of a server that was started again until it has asked for its roots, as it did before',
      'lets policy decide about calls of a server that does not fetch them in time',
    ),
  },
  {
    id: 'GATE-5',
    promise:
      'a revoked root is gone before the next call returns, a hundred times in a row with calls racing (five without REEVE_E2E_SLOW=1)',
    source: 'issue: The boundary; boundary 4, revocation',
    tests: [
      ...of(REVOCATION, 'reads nothing of a root once it is revoked, however often, with calls racing'),
      ...of(GOVERNED, 'answers nothing of a root that was taken, whatever was sent before, meanwhile and after'),
    ],
  },
  {
    id: 'GATE-10',
    promise:
      'a call about which nothing must be found out waits for nothing: no other is let past a change, policies or people so',
    source: 'issue: The boundary, added latency of a tool call',
    tests: of(
      GATE,
      'is passed on in the very tick in which it comes, and recorded, but for a change or a server that is behind',
      'is held where policies ask, and refused where they forbid',
    ),
  },
];
