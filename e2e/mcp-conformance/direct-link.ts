import { StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import type { ScenarioLink } from './act-as-client.ts';
import { LoneSignIn, type ScenarioContext, signInOf } from './sign-in-alone.ts';

/** To the server of a scenario itself, signing in where it wants that. */
export function directLink(scenario: string, url: string, context: ScenarioContext): ScenarioLink {
  const signIn = signInOf(scenario, context);
  const open = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(new URL(url), signIn ? { authProvider: signIn } : {});
  let transport = open();
  const recover = async (error: unknown): Promise<boolean> => {
    const code = error instanceof UnauthorizedError && signIn instanceof LoneSignIn ? signIn.takeCode() : undefined;
    if (code === undefined) return false;
    await transport.finishAuth(code);
    return true;
  };
  return {
    recover,
    async connect(client) {
      try {
        await client.connect(transport);
      } catch (error) {
        if (!(await recover(error))) throw error;
        transport = open();
        await client.connect(transport);
      }
    },
  };
}
