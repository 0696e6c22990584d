import { describe, expect, it } from 'vitest';
import { npmEnvironment, withoutSecrets } from './npm-environment.ts';

describe('the environment of npm', () => {
  it('has what npm needs to reach its registry, and no key of other services', () => {
    const given = npmEnvironment({
      PATH: '/bin',
      HOME: '/home/me',
      https_proxy: 'http://proxy',
      npm_config_registry: 'https://registry.example',
      'npm_config_//registry.example/:_authToken': 'hidden',
      ANTHROPIC_API_KEY: 'sk',
      REEVE_TOKEN: 'reeve',
    });
    expect(Object.keys(given).sort()).toEqual([
      'HOME',
      'PATH',
      'https_proxy',
      'npm_config_//registry.example/:_authToken',
      'npm_config_registry',
    ]);
  });

  it('has no settings that would install elsewhere, otherwise or not at all', () => {
    const redirecting = ['global', 'prefix', 'dry_run', 'OMIT', 'workspace', 'ignore-scripts', 'package_lock', 'git'];
    const given = npmEnvironment(Object.fromEntries(redirecting.map((name) => [`npm_config_${name}`, 'true'])));
    expect(given).toEqual({});
  });

  it('keeps its secrets out of what npm said', () => {
    const env = { npm_config__authToken: 'npm_abcdef', npm_config_registry: 'https://me:pw@host/' };
    const said = 'GET https://me:pw@host/x failed with npm_abcdef';
    expect(withoutSecrets(said, env)).toBe('GET https://***@host/x failed with ***');
  });
});
