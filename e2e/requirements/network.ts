import { of, type Requirement } from './requirement.ts';

const HOST = 'packages/sandbox/src/egress/host.test.ts';
const ALLOW_LIST = 'packages/sandbox/src/egress/allow-list.test.ts';
const ADMISSION = 'packages/sandbox/src/egress/admission.test.ts';
const TARGET = 'packages/sandbox/src/egress/request-target.test.ts';
const PROXY = 'packages/sandbox/src/egress/egress-proxy.test.ts';
const FORWARD = 'packages/sandbox/src/egress/forward-request.test.ts';
const GATE = 'packages/sandbox/src/egress/gate-program.test.ts';
const RECEIVED = 'packages/sandbox/src/egress/received-listeners.test.ts';
const BRIDGE = 'packages/sandbox/src/egress/loopback-bridge.test.ts';
const INSIDE = 'packages/sandbox/src/egress/egress-in-bubblewrap.test.ts';
const PLAN = 'packages/sandbox/src/egress/egress-plan.test.ts';

/** What a process with a list of allowed hosts can reach, and how. */
export const network: readonly Requirement[] = [
  {
    id: 'NET-1',
    promise: 'a process with a list of allowed hosts reaches these and no other, by no other way',
    source: 'sandbox.md 2; issue: The wall',
    tests: [
      ...of(
        INSIDE,
        'nothing reaches the host by TCP, UDP, raw or abstract sockets',
        'a host that is not declared is refused, and the refusal says why',
      ),
      ...of(PROXY, 'refuses a host that is not declared, with what to do about it, and connects nowhere'),
      ...of(ALLOW_LIST, 'declares what it was given and nothing else'),
    ],
  },
  {
    id: 'NET-2',
    promise: 'a declared name never leads to loopback, a private network, this machine or a metadata service',
    source: 'sandbox.md 2',
    tests: [
      ...of(ADMISSION, 'are refused if they are %s', 'are refused if they are this machine’s own'),
      ...of(
        PROXY,
        'that leads to loopback is refused, though the name is declared',
        'is looked up once for a connection, so that the address dialled is the one that was checked',
        'is never looked up if it is not declared',
      ),
    ],
  },
  {
    id: 'NET-3',
    promise: 'what two programs could read as two hosts is refused, and the request line alone decides',
    source: 'sandbox.md 2',
    tests: [
      ...of(HOST, '%j is none', 'names the machine that the WHATWG parser names, whatever is taken'),
      ...of(TARGET, 'names the machine, port and path that the WHATWG parser names, whatever is taken'),
      ...of(
        FORWARD,
        'goes where its request line says, with that Host, whatever its own says',
        'with two ways to measure its body is refused, and reaches nobody',
      ),
    ],
  },
  {
    id: 'NET-4',
    promise:
      'remote hosts are reached by the usual proxy variables, declared services on loopback at their own address',
    source: 'sandbox.md 6',
    tests: [
      ...of(PLAN, 'points every program at the proxy, but for loopback'),
      ...of(
        INSIDE,
        'fetch reaches a declared host through the proxy by environment alone, and a service on loopback directly',
        'is open from the first instruction of the command',
      ),
      ...of(BRIDGE, 'finds a service that was declared by localhost and listens on IPv6 only'),
    ],
  },
  {
    id: 'NET-5',
    promise: 'bytes arrive as they were sent and when they were sent, as fast as their reader',
    source: 'sandbox.md 6',
    tests: [
      ...of(
        INSIDE,
        'carries big bodies both ways bit for bit',
        'delivers each event of a stream as it is sent',
        'carries a websocket through CONNECT',
        'carries 200 connections at once, through the proxy and directly',
      ),
      ...of(PROXY, 'stops reading the server when the client reads no further'),
    ],
  },
  {
    id: 'NET-6',
    promise: 'the channel on which a sandbox hands over its listeners is closed before the command runs',
    source: 'sandbox.md 2',
    tests: [
      ...of(GATE, 'listens before it becomes the command, which gets its arguments and environment and no channel'),
      ...of(
        RECEIVED,
        'fails at %s, closing what came and the channel',
        'fails when the channel stays open, even if all has come',
      ),
      ...of(INSIDE, 'the command has no channel to the server, and does not know that there was one'),
    ],
  },
  {
    id: 'NET-7',
    promise: 'each connection is decided and told once, without path, header or body, and none outlives its child',
    source: 'sandbox.md 2',
    tests: [
      ...of(PROXY, 'never says which path was asked for, nor a header or body'),
      ...of(INSIDE, 'closes all there was when the child dies'),
    ],
  },
  {
    id: 'NET-8',
    promise:
      'what an MCP server is refused of the network stands in the audit log, by host and port, and never with more',
    source: 'sandbox.md 2; issue: The boundary (Audit)',
    tests: of(
      'e2e/server-egress.test.ts',
      'reaches what is in it, and what it is refused stands in the audit log by host and port',
    ),
  },
];
