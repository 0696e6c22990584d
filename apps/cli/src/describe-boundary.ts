import { safeLine } from './safe-text.ts';

type Members = { readonly [member: string]: unknown };

/** What a session may reach and what holds it there, in plain lines; none of a server that does not say. */
export function describeBoundary(boundary: unknown): readonly string[] {
  if (!isMembers(boundary)) return [];
  const { roots, revision, network, enforcement } = boundary;
  const agent = isMembers(enforcement) ? enforcement.agent : undefined;
  return [
    `boundary, revision ${String(revision)}`,
    ...list(roots).map(describeRoot),
    ...(network === undefined ? [] : [line('network', describeNetwork(network))]),
    ...(isMembers(agent) ? describeEnforcement(agent) : [line('held by', 'nothing: there is no agent process')]),
  ];
}

function describeRoot(root: unknown): string {
  const { path, access, kind, name } = isMembers(root) ? root : {};
  const rights = access === 'rw' ? 'read and write' : 'read only';
  return line(
    'root',
    `${String(path)} (${rights}${kind === 'file' ? ', file' : ''}${typeof name === 'string' ? `, "${name}"` : ''})`,
  );
}

function describeNetwork(network: unknown): string {
  if (network === 'none') return 'none';
  if (network === 'full') return 'all that the server reaches';
  const hosts = isMembers(network) ? list(network.allow) : [];
  return `only ${hosts.map(String).join(', ')}`;
}

function describeEnforcement(agent: Members): readonly string[] {
  const { backend, fs, network, limits, gaps, shown } = agent;
  const held = backend === 'none' ? 'nothing: it is declared, not enforced' : String(backend);
  const { home, state } = isMembers(shown) ? shown : {};
  return [
    line('held by', held),
    line('files', String(fs)),
    line('network', String(network)),
    line('limits', String(limits)),
    ...(typeof home === 'string' ? [line('home', home)] : []),
    ...list(state).map((path) => line('state', String(path))),
    ...list(gaps).map((gap) => line('gap', String(gap))),
  ];
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(20)} ${safeLine(text, 500)}`;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
