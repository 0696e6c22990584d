import type { Reeve, SessionInfo } from '@reeve/client';

/** A new session that goes on from this one; its id. */
export async function forkSession(reeve: Reeve, session: SessionInfo): Promise<string> {
  const { sessionId, cwd, additionalDirectories, agent } = session;
  await using acp = await reeve.openAcp({ agent, clientInfo: { name: 'reeve-console', version: '0.1.0' } });
  const result = await acp.request('session/fork', { sessionId, cwd, additionalDirectories, mcpServers: [] });
  return (result as { readonly sessionId: string }).sessionId;
}
