import assert from 'node:assert/strict';
import { faultsOf } from '../acp-schema.ts';
import { INTRODUCTION, type InitializeResult } from './cell.ts';
import type { Check } from './check.ts';
import { failureOf } from './json-rpc-checks.ts';

export const initializeChecks: readonly Check[] = [
  {
    id: 'INIT-001',
    level: 'M',
    holds: 'the result of initialize is valid by schema, with an integer protocolVersion',
    run: async ({ initialized }) => {
      assert.equal(faultsOf('InitializeResponse', initialized), undefined);
      assert.ok(Number.isInteger(initialized.protocolVersion));
    },
  },
  {
    id: 'INIT-002',
    level: 'M',
    holds: '1 is answered with 1',
    run: async ({ initialized }) => assert.equal(initialized.protocolVersion, 1),
  },
  {
    id: 'INIT-003',
    level: 'M',
    holds: '65535 is answered with our own version, not echoed',
    run: async ({ connect }) => {
      const peer = await connect({ initialize: false });
      const result = await peer.request<InitializeResult>('initialize', { ...INTRODUCTION, protocolVersion: 65_535 });
      assert.equal(result.protocolVersion, 1);
    },
  },
  {
    id: 'INIT-004',
    level: 'A',
    holds: 'agentInfo has name and version',
    run: async ({ initialized }) => assert.equal(faultsOf('Implementation', initialized.agentInfo), undefined),
  },
  {
    id: 'AUTH-001',
    level: 'M',
    holds: 'authMethods have unique ids',
    run: async ({ initialized: { authMethods } }) => {
      assert.equal(new Set(authMethods.map(({ id }) => id)).size, authMethods.length);
    },
  },
  {
    id: 'AUTH-002',
    level: 'M',
    holds: 'no terminal method unless the client has auth.terminal',
    run: async ({ initialized: { authMethods } }) => {
      assert.deepEqual(
        authMethods.filter(({ type }) => type === 'terminal'),
        [],
      );
    },
  },
  {
    id: 'AUTH-003',
    level: 'M',
    holds: 'authenticate works',
    applies: ({ subject }) => subject.login !== undefined,
    run: async ({ subject, connect }) => {
      const peer = await connect({ agent: subject.login?.agent ?? '' });
      const params = { cwd: subject.cwd, mcpServers: [] };
      assert.equal((await failureOf(peer.request('session/new', params))).code, -32000);
      assert.deepEqual(await peer.request('authenticate', { methodId: subject.login?.methodId }), {});
      assert.equal(faultsOf('NewSessionResponse', await peer.request('session/new', params)), undefined);
    },
  },
  {
    id: 'AUTH-004',
    level: 'M',
    holds: 'logout works',
    applies: ({ subject }) => subject.login !== undefined,
    run: async ({ subject, connect }) => {
      const peer = await connect({ agent: subject.login?.agent ?? '' });
      await peer.request('authenticate', { methodId: subject.login?.methodId });
      assert.deepEqual(await peer.request('logout', {}), {});
      const refused = await failureOf(peer.request('session/new', { cwd: subject.cwd, mcpServers: [] }));
      assert.equal(refused.code, -32000);
    },
  },
];
