import type { FakeAgentFlags } from './flags.ts';

/** The same agent as it introduces itself in ACP v2. */
export function initializeResultV2(flags: FakeAgentFlags): object {
  return {
    protocolVersion: 2,
    info: { name: 'fake-agent', title: 'Fake agent', version: flags.agentVersion },
    capabilities: {
      session: {
        prompt: { image: {}, embeddedContext: {} },
        mcp: { stdio: {}, http: {} },
        ...(flags.delete ? { delete: {} } : {}),
        ...(flags.addDirs ? { additionalDirectories: {} } : {}),
      },
    },
    ...(flags.requireAuth ? { authMethods: [{ type: 'agent', methodId: 'fake-login', name: 'Log in' }] } : {}),
  };
}

export function initializeResult(flags: FakeAgentFlags): object {
  const offered = {
    list: flags.list,
    resume: flags.resume,
    close: flags.close,
    delete: flags.delete,
    fork: flags.fork,
  };
  const sessionCapabilities: Record<string, object> = {};
  for (const [name, on] of Object.entries(offered)) if (on) sessionCapabilities[name] = {};
  if (flags.addDirs) sessionCapabilities.additionalDirectories = {};
  return {
    protocolVersion: 1,
    agentInfo: { name: 'fake-agent', title: 'Fake agent', version: flags.agentVersion },
    agentCapabilities: {
      loadSession: flags.load,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities,
      ...(flags.requireAuth ? { auth: { logout: {} } } : {}),
    },
    authMethods: flags.requireAuth ? [{ id: 'fake-login', name: 'Log in', description: 'Always succeeds' }] : [],
  };
}
