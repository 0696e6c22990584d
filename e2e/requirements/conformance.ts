import type { Check } from '../conformance/check.ts';
import { CHECKS } from '../conformance/checks.ts';
import { of, type Requirement, type TestReference } from './requirement.ts';

const SUITE = 'e2e/conformance.test.ts';
const AGENT_SIDE = 'apps/server/src/sessions/agent-side.test.ts';

/** Tests that go further than the line of the suite, by the line's id. */
const FURTHER: Readonly<Record<string, readonly TestReference[]>> = {
  'INIT-003': of(AGENT_SIDE, 'answers version %d with its own'),
  'PROMPTCAP-001': of(AGENT_SIDE, 'brings images and embedded resources to the agent as they are'),
  'ADDDIRS-001': of(AGENT_SIDE, 'brings additional directories to the agent'),
  'MODES-002': of(AGENT_SIDE, 'keeps the mode that was set for those who load'),
  'CONFIG-002': of(AGENT_SIDE, 'keeps the option that was set for those who load'),
  'LOAD-002': of(AGENT_SIDE, 'replays each update once, in order, and refuses what it does not know'),
  'LIST-001': of(
    AGENT_SIDE,
    'lists by directory; null is no filter',
    'lists the same whatever limit a client makes up',
  ),
  'CLOSE-002': [
    ...of(AGENT_SIDE, 'cancels the prompts that wait when a session is closed, which can be loaded again'),
    ...of('e2e/interop.test.ts', 'answers the running prompt `cancelled` when its session is closed'),
  ],
  'DELETE-001': of(AGENT_SIDE, 'knows a deleted session no more'),
  'AUTH-003': of(AGENT_SIDE, 'brings authenticate and logout to every process of the agent'),
  'SCHEMA-001': of(
    'e2e/schema.test.ts',
    'everything that Reeve sends to a client is valid by the schema of ACP v1',
    'what Reeve writes of models, modes and options in the place of the agent is valid too',
  ),
};

/** What Reeve owes its clients as an ACP v1 agent, on every transport and with every kind of agent behind it. */
export const conformance: readonly Requirement[] = [
  ...CHECKS.map(({ id, level, holds }: Check) => ({
    id: `ACP ${id}`,
    promise: holds,
    source: `ACP v1 conformance kit (${level})`,
    tests: [...of(SUITE, '$id: $holds'), ...(FURTHER[id] ?? [])],
  })),
  {
    id: 'RELAY-1',
    promise:
      'what an agent sends reaches the client bit for bit, but for ids and our _meta: a recorded session of each real agent',
    source: 'issue: What it must show',
    tests: of(
      'e2e/recorded-agents.test.ts',
      'a session of %s reaches the client byte for byte but for ids and our _meta',
      'what JSON readers would change on the way is not changed',
    ),
  },
  {
    id: 'COMPAT-1',
    promise: "acpx, the SDK's clients and use-acp's binary frames work against it",
    source: 'issue: What it must show',
    tests: [
      ...of('e2e/interop.test.ts', 'opens a session, prompts and gets every update before the answer'),
      ...of('apps/server/src/acp/websocket.test.ts', 'takes binary frames and messages in fragments as well as text'),
    ],
    byHand: 'docs/compatibility.md says how acpx and other clients were tried, and what was seen',
  },
];
