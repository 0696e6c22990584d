/**
 * `node drive-client.ts direct|reeve URL`: the client that the conformance suite starts for a scenario (`MCP_CONFORMANCE_SCENARIO`). It acts
 * on the server at URL itself, or through Reeve. What it saw goes to stdout.
 */
import { actAsClient } from './act-as-client.ts';
import { directLink } from './direct-link.ts';
import { reeveLink } from './reeve-link.ts';
import type { ScenarioContext } from './sign-in-alone.ts';

const [how, url] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
if ((how !== 'direct' && how !== 'reeve') || url === undefined || scenario === undefined)
  throw new Error('usage: MCP_CONFORMANCE_SCENARIO=… node drive-client.ts direct|reeve URL');

if (how === 'direct') {
  const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as ScenarioContext;
  tell(await actAsClient(scenario, directLink(scenario, url, context)));
} else {
  await using link = await reeveLink(url);
  tell(await actAsClient(scenario, link));
}

function tell(seen: readonly string[]): void {
  for (const line of seen) console.log(line);
}
