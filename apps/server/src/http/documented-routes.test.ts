import { readFileSync } from 'node:fs';
import type { JsonObject } from '@reeve/protocol';
import { expect, it } from 'vitest';
import { startAuditRig } from '../audit/audit-log.rig.ts';
import { ChangeFeed } from '../events/change-feed.ts';
import { createControlApi } from './control-api.ts';
import { FakeControlPort } from './fake-control-port.ts';
import { FakeGovernancePort } from './fake-governance-port.ts';

/** What every route can answer, or every one with a body. */
const COMMON: ReadonlySet<string> = new Set([
  ...['authentication_required', 'invalid_params', 'forbidden', 'internal_error', 'shutting_down'],
  ...['parse_error', 'message_too_large'],
]);
const page = readFileSync(new URL('../../../../docs/http-api.md', import.meta.url), 'utf8');

it('has every route of the API in docs/http-api.md, with what it does and its own errors', async () => {
  await using audit = await startAuditRig();
  const api = createControlApi({
    port: new FakeControlPort(),
    governance: new FakeGovernancePort(),
    audit: audit.log,
    changes: new ChangeFeed(),
    installs: { find: () => undefined, versions: {} as never, onInstalled: async () => {} },
    version: '1',
    maxBodyBytes: 1024,
    heartbeatMs: 1000,
  });
  const response = await api.request('/v1/openapi.json', {}, { authenticated: true });
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, JsonObject>> };
  const rows = Object.entries(paths)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { summary, responses }]) =>
          `| \`${method.toUpperCase()} ${path}\` | ${String(summary).replaceAll('|', '\\|')} | ${errorsOf(responses)} |`,
      ),
    );
  const table = ['| route | | errors |', '|---|---|---|', ...rows].join('\n');
  const [, documented = ''] = page.split('<!-- routes:begin -->');
  expect(documented.split('<!-- routes:end -->')[0]?.trim()).toBe(table);
});

function errorsOf(responses: unknown): string {
  return Object.values(responses as Record<string, { readonly description: string }>)
    .flatMap(({ description }) => [...description.matchAll(/`(\w+)`: /g)].flatMap(([, name]) => name ?? []))
    .filter((name) => !COMMON.has(name))
    .map((name) => `\`${name}\``)
    .join(', ');
}
