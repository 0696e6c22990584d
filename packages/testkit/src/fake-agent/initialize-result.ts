import type { FakeAgentFlags } from './flags.ts';

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
