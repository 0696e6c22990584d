import { type BoundaryNetwork, boundaryPath, ReeveError, setupErrorData } from '@reeve/protocol';
import type { NetworkRule } from '@reeve/sandbox';
import type { AgentSandboxRules } from './agent-sandbox-rules.ts';

export interface NetworkRequest {
  readonly agent: string;
  readonly rules: AgentSandboxRules;
  readonly env: Readonly<Record<string, string>>;
  /** What the client asked for; without it the agent's own rule counts. */
  readonly wish: BoundaryNetwork | undefined;
  /** Where Reeve serves it the MCP servers of its session, beside what any rule says. */
  readonly endpoints: readonly string[];
}

export interface AgentNetwork {
  readonly rule: NetworkRule;
  /** Where the rule is weaker than one would think. */
  readonly gaps: readonly string[];
}

/** Variables that name where a model is. */
const ENDPOINT_VARIABLE = /(?:BASE_URL|API_BASE|API_URL|ENDPOINT)$/;
const PROXY_VARIABLE = /^(?:https?|all)_proxy$/i;

/**
 * What an agent process may reach: what the operator says, else the hosts that the agent is known to need and those that its environment
 * names, else everything. A client narrows that, never below what the agent needs, and widens it only where the operator said nothing.
 * Throws `invalid_params` for more than that. Reeve's own endpoints are added.
 */
export function agentNetwork(request: NetworkRequest): AgentNetwork {
  const { rule, gaps } =
    request.wish === undefined ? ownRule(request) : { rule: wishedRule(request, request.wish), gaps: [] };
  if (rule === 'full' || request.endpoints.length === 0) return { rule, gaps };
  return { rule: listOf([...hostsOf(rule), ...request.endpoints]), gaps };
}

function ownRule({ agent, rules, env }: NetworkRequest): AgentNetwork {
  const proxy = Object.keys(env).find((name) => PROXY_VARIABLE.test(name) && env[name] !== '');
  const setting = `"agents.${agent}.sandbox.network"`;
  if (rules.network !== undefined) {
    const replaced = proxy !== undefined && typeof rules.network === 'object';
    const gap = `network: ${proxy} of the agent does not count: Reeve's own proxy stands in its place, and dials by itself`;
    return { rule: rules.network, gaps: replaced ? [gap] : [] };
  }
  if (rules.endpoints === undefined) {
    const gap = `network: which hosts this agent needs is not known, so all are allowed: name them in ${setting}`;
    return { rule: 'full', gaps: [gap] };
  }
  if (proxy !== undefined) {
    const gap = `network: the agent goes through the proxy of ${proxy}, where no list of hosts can be held: name the hosts in ${setting} if they are reached without it`;
    return { rule: 'full', gaps: [gap] };
  }
  return { rule: listOf([...rules.endpoints, ...hostsOfEnvironment(env)]), gaps: [] };
}

function wishedRule({ agent, rules, env }: NetworkRequest, wish: BoundaryNetwork): NetworkRule {
  const ceiling = rules.network === undefined || rules.network === 'full' ? undefined : hostsOf(rules.network);
  if (wish === 'full') {
    if (ceiling !== undefined) throw beyond(agent, '"full"');
    return 'full';
  }
  const wanted = hostsOf(wish);
  const more = ceiling && wanted.find((host) => !ceiling.includes(host));
  if (more !== undefined) throw beyond(agent, JSON.stringify(more));
  return listOf([...(ceiling ?? [...(rules.endpoints ?? []), ...hostsOfEnvironment(env)]), ...wanted]);
}

/** Hosts with their ports, of variables such as ANTHROPIC_BASE_URL. */
function hostsOfEnvironment(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (ENDPOINT_VARIABLE.test(name) ? hostOf(value) : []));
}

function hostOf(text: string): readonly string[] {
  if (!URL.canParse(text)) return [];
  const { protocol, hostname, port } = new URL(text);
  if (hostname === '' || (protocol !== 'http:' && protocol !== 'https:')) return [];
  return [`${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`];
}

function hostsOf(rule: Exclude<NetworkRule, 'full'>): readonly string[] {
  return rule === 'none' ? [] : rule.allow;
}

function listOf(hosts: readonly string[]): NetworkRule {
  return hosts.length === 0 ? 'none' : { allow: [...new Set(hosts)] };
}

function beyond(agent: string, received: string): ReeveError {
  const expected = `what the configuration allows to agent "${agent}"`;
  const fix = `ask for less, or have the operator add it to "agents.${agent}.sandbox.network"`;
  const data = setupErrorData([{ path: boundaryPath('network'), expected, received, fix }]);
  return new ReeveError('invalid_params', { message: `Invalid params: ${String(data.summary)}`, data });
}
