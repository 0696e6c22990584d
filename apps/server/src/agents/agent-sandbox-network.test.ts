import { describe, expect, it } from 'vitest';
import { agentNetwork, type NetworkRequest } from './agent-sandbox-network.ts';
import { PLAIN_RULES } from './agent-sandbox-rules.ts';

const known = { ...PLAIN_RULES, endpoints: ['api.example.org'] };
const listed = { ...known, network: { allow: ['only.example.org'] } };

function network(request: Partial<NetworkRequest>) {
  return agentNetwork({ agent: 'x', rules: known, env: {}, wish: undefined, endpoints: [], ...request });
}

describe('the network of an agent', () => {
  it('is what the operator says, before all else', () => {
    expect(network({ rules: listed }).rule).toEqual({ allow: ['only.example.org'] });
    expect(network({ rules: { ...known, network: 'none' } }).rule).toBe('none');
    expect(network({ rules: { ...known, network: 'full' } })).toEqual({ rule: 'full', gaps: [] });
  });

  it('is what the agent needs, with the hosts that its environment names', () => {
    const env = {
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080/v1',
      X_API_BASE: 'https://b.example',
      OTHER: 'http://no.example',
    };
    expect(network({ env }).rule).toEqual({ allow: ['api.example.org', '127.0.0.1:8080', 'b.example:443'] });
    expect(network({ rules: { ...known, endpoints: [] } }).rule).toBe('none');
  });

  it('is everything, and says so, where nobody knows what it needs or a proxy stands between', () => {
    expect(network({ rules: PLAIN_RULES })).toEqual({
      rule: 'full',
      gaps: [expect.stringContaining('agents.x.sandbox.network')],
    });
    expect(network({ env: { https_proxy: 'http://proxy:3128' } })).toMatchObject({
      rule: 'full',
      gaps: [expect.stringContaining('https_proxy')],
    });
  });

  it('is narrowed by a client to what the agent needs, and widened where the operator said nothing', () => {
    expect(network({ wish: 'none' }).rule).toEqual({ allow: ['api.example.org'] });
    expect(network({ rules: PLAIN_RULES, wish: 'none' }).rule).toBe('none');
    expect(network({ wish: { allow: ['more.example.org'] } }).rule).toEqual({
      allow: ['api.example.org', 'more.example.org'],
    });
    expect(network({ wish: 'full' }).rule).toBe('full');
  });

  it('is never more than the operator says, whatever a client asks for', () => {
    for (const wish of ['full', { allow: ['more.example.org'] }] as const) {
      expect(() => network({ rules: listed, wish })).toThrow(/agents\.x\.sandbox\.network/);
    }
    expect(network({ rules: listed, wish: { allow: ['only.example.org'] } }).rule).toEqual(listed.network);
  });

  it('reaches the endpoints by which Reeve serves it MCP servers, whatever its rule is', () => {
    const endpoints = ['127.0.0.1:4711'];
    expect(network({ rules: { ...known, network: 'none' }, endpoints }).rule).toEqual({ allow: endpoints });
    expect(network({ rules: listed, endpoints }).rule).toEqual({ allow: ['only.example.org', ...endpoints] });
    expect(network({ rules: { ...known, network: 'full' }, endpoints }).rule).toBe('full');
  });
});
