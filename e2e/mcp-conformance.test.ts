import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runSuite, type ScenarioResult, scenariosOf, type Verdicts } from './mcp-conformance/conformance-suite.ts';
import { startSuiteServer } from './mcp-conformance/suite-process.ts';

const page = readFileSync(new URL('../docs/mcp-conformance.md', import.meta.url), 'utf8');
const driver = fileURLToPath(new URL('./mcp-conformance/drive-client.ts', import.meta.url));
/** The suite does not run these by itself yet. */
const PENDING: ReadonlySet<string> = new Set(['json-schema-2020-12', 'server-sse-polling']);

/** Where Reeve's HTTP endpoint is another server than the suite expects; the page says why. */
const OWN_TO_HTTP: Readonly<Record<string, Verdicts>> = {
  'server-sse-multiple-streams': { 'server-sse-multiple-streams-session': 'WARNING' },
  'dns-rebinding-protection': {
    'localhost-host-rebinding-rejected': 'SUCCESS',
    'localhost-host-valid-accepted': 'FAILURE',
  },
};

describe('the server scenarios of the MCP conformance suite', () => {
  it('pass through Reeve as they do direct, but for what is listed of its HTTP endpoint', {
    timeout: 240_000,
  }, async () => {
    const [direct, through] = [await serverVerdicts('http'), await serverVerdicts('reeve')];
    expect(through).toEqual(direct);
    expect(Object.values(direct).flatMap((verdicts) => Object.values(verdicts))).not.toContain('FAILURE');
    const listed = scenariosOf('server');
    expect(Object.keys(direct).toSorted()).toEqual(listed.filter((name) => !PENDING.has(name)).toSorted());

    const byHttp = await serverVerdicts('reeve-http');
    expect(byHttp).toEqual({ ...direct, ...OWN_TO_HTTP });
  });
});

describe('the client scenarios of the MCP conformance suite', () => {
  it('are all in the table of the page, those that differ marked', () => {
    const [, table = ''] = page.split('## Client scenarios');
    const rows = [...table.matchAll(/^\| `(\S+)` \| (\w+).* \| (.+) \|$/gm)].map(([, name, , through]) => ({
      name,
      through,
    }));
    expect(rows.map(({ name }) => name)).toEqual(scenariosOf('client'));
    const same = rows.filter(({ through }) => through === 'passes').map(({ name }) => name);
    expect(same).toEqual(['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry']);
  });

  it.each(['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'])(
    'give through Reeve what they give direct: %s',
    { timeout: 120_000 },
    async (scenario) => {
      const [direct, through] = [await runClient(scenario, 'direct'), await runClient(scenario, 'reeve')];
      expect(through).toEqual(direct);
      expect(Object.values(direct.verdicts)).toContain('SUCCESS');
      expect(Object.values(direct.verdicts)).not.toContain('FAILURE');
      expect(direct.stdout).toMatch(/^tools /m);
    },
  );

  it.each(['auth/metadata-default', 'auth/client-credentials-basic'])(
    'sign in only direct, and tell the agent so: %s',
    { timeout: 120_000 },
    async (scenario) => {
      const [direct, through] = [await runClient(scenario, 'direct'), await runClient(scenario, 'reeve')];
      expect(direct.verdicts).toMatchObject({ 'token-request': 'SUCCESS', 'valid-bearer-token': 'SUCCESS' });
      expect(direct.stdout).toContain('"text":"test"');
      expect(Object.values(through.verdicts)).not.toContain('SUCCESS');
      expect(through.stdout).toMatch(/result .*"isError":true/);
      expect(through.stdout).toMatch(/has failed/);
    },
  );
});

async function serverVerdicts(how: 'http' | 'reeve' | 'reeve-http'): Promise<Record<string, Verdicts>> {
  await using server = await startSuiteServer(how);
  const results = await runSuite(['server', '--url', server.url], 90_000);
  return Object.fromEntries(results.map(({ scenario, verdicts }) => [scenario, verdicts]));
}

/** Whether a stream is opened again in time is a warning where the machine is busy: then it was opened late, not early. */
const LATE = 'client-sse-retry-timing';

/** One scenario. */
async function runClient(scenario: string, way: 'direct' | 'reeve'): Promise<ScenarioResult> {
  const client = `${process.execPath} ${driver} ${way}`;
  const args = ['client', '--command', client, '--scenario', scenario, '--timeout', '30000'];
  const [result] = await runSuite(args, 40_000);
  if (result === undefined) throw new Error(`${scenario} gave no result`);
  const { verdicts } = result;
  return verdicts[LATE] === 'WARNING' ? { ...result, verdicts: { ...verdicts, [LATE]: 'SUCCESS' } } : result;
}
