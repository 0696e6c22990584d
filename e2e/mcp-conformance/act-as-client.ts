import { setTimeout as wait } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';

/** A way to the server of a scenario. */
export interface ScenarioLink {
  connect(client: Client): Promise<void>;
  /** Signs in again and says true where that may help against the error. */
  recover(error: unknown): Promise<boolean>;
}

/** The tool that a scenario's server has, and what it is to be called with. */
const CALLS: Readonly<Record<string, { readonly name: string; readonly arguments: Record<string, unknown> }>> = {
  tools_call: { name: 'add_numbers', arguments: { a: 5, b: 3 } },
  'elicitation-sep1034-client-defaults': { name: 'test_client_elicitation_defaults', arguments: {} },
  'sse-retry': { name: 'test_reconnection', arguments: {} },
};
/** Every scenario of authorization has this one; calling it shows that the token works. */
const AUTHORIZED_CALL = { name: 'test-tool', arguments: {} };

/** The suite's servers lose what they ask a client before its stream for that is open; no message tells when it is. */
const STREAM_OPENS_MS = 250;

/**
 * Does as an MCP client what a client scenario of the conformance suite waits for, by the SDK. What it sees on the way, one line each: it
 * must be the same whatever lies between.
 */
export async function actAsClient(scenario: string, link: ScenarioLink): Promise<readonly string[]> {
  const client = new Client(
    { name: 'reeve-conformance', version: '1.0.0' },
    { capabilities: { elicitation: { form: { applyDefaults: true } } } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  await link.connect(client);
  try {
    const { tools } = await recovering(link, () => client.listTools());
    const seen = [`tools ${tools.map(({ name }) => name).join(' ')}`];
    const call = scenario.startsWith('auth/') ? AUTHORIZED_CALL : CALLS[scenario];
    if (call !== undefined) {
      await wait(STREAM_OPENS_MS);
      seen.push(`result ${JSON.stringify(await recovering(link, () => client.callTool(call)))}`);
    }
    return seen;
  } finally {
    await client.close();
  }
}

async function recovering<T>(link: ScenarioLink, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (await link.recover(error)) return work();
    throw error;
  }
}
