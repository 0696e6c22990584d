import { describe, expect, it } from 'vitest';
import { planEgress } from './egress-plan.ts';

const plan = (...allow: string[]) => {
  const planned = planEgress({ allow, onDecision: () => {} });
  if (planned.kind === 'refused') throw new Error(planned.message);
  return planned.plan;
};
const supported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);

describe.runIf(supported)('a plan', () => {
  it('points every program at the proxy, but for loopback', () => {
    const { env } = plan('a.example');
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
      expect(env[name]).toBe('http://127.0.0.1:3128');
    }
    expect(env).toMatchObject({
      NO_PROXY: '127.0.0.1,localhost,::1',
      no_proxy: '127.0.0.1,localhost,::1',
      NODE_USE_ENV_PROXY: '1',
    });
  });

  it('runs the command through the gate, and takes away what Node sets for the channel', () => {
    const { wrap, file, unsetEnv } = plan('a.example');
    expect(wrap('/usr/bin/agent', ['--acp'])).toEqual({ command: file.path, args: ['/usr/bin/agent', '--acp'] });
    expect(unsetEnv).toEqual(['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']);
    expect(file.mode).toBe(0o555);
  });

  it('leaves the port of a declared service to that service', () => {
    expect(plan('127.0.0.1:3128', 'localhost:3129').env.HTTP_PROXY).toBe('http://127.0.0.1:3130');
  });

  it('says of a port that nothing may listen on inside, that only the proxy leads there', () => {
    expect(plan('localhost:80', 'localhost:8080').gaps).toEqual([
      'network: 127.0.0.1:80 is reached through the proxy only, not by a direct connection',
    ]);
  });

  it('is refused for an entry that cannot be read, and for too many services on loopback', () => {
    const onDecision = () => {};
    expect(planEgress({ allow: ['https://a.example'], onDecision })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('without scheme and path'),
    });
    const services = (count: number) => Array.from({ length: count }, (_, index) => `127.0.0.1:${10_000 + index}`);
    expect(planEgress({ allow: services(64), onDecision })).toMatchObject({ kind: 'planned' });
    expect(planEgress({ allow: services(65), onDecision })).toMatchObject({ kind: 'refused' });
  });
});
