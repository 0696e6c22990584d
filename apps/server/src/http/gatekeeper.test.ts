import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutToken } from './access-token.ts';
import { type GateFacts, type GateRules, judgeRequest } from './gatekeeper.ts';

const TOKEN = 'q3Zk0h2VbYc9mWnT4sXe8uRj';

const RULES: GateRules = {
  token: TOKEN,
  boundHost: '127.0.0.1',
  allowedHosts: ['reeve.example.org', 'proxy.example.org:8443'],
  allowedOrigins: ['https://console.example.org', 'vscode-webview://abc'],
  openPaths: ['/v1/health'],
};

const FACTS: GateFacts = {
  method: 'GET',
  url: '/v1/sessions',
  host: '127.0.0.1:7433',
  origin: undefined,
  authorization: `Bearer ${TOKEN}`,
  requestMethod: undefined,
};

function verdict(facts: Partial<GateFacts>, rules: Partial<GateRules> = {}): string {
  const judged = judgeRequest({ ...RULES, ...rules }, { ...FACTS, ...facts });
  if (judged.kind === 'refuse') return String(judged.status);
  return judged.kind === 'pass' && !judged.authenticated ? 'pass, unknown' : judged.kind;
}

describe('the gatekeeper', () => {
  it.each<[string | undefined, string]>([
    ['127.0.0.1:7433', 'pass'],
    ['127.0.0.1', 'pass'],
    ['127.8.8.8:1', 'pass'],
    ['localhost:7433', 'pass'],
    ['LOCALHOST', 'pass'],
    ['localhost.', 'pass'],
    ['reeve.localhost:80', 'pass'],
    ['[::1]:7433', 'pass'],
    ['[0:0:0:0:0:0:0:1]', 'pass'],
    ['[::ffff:127.0.0.1]', 'pass'],
    ['reeve.example.org', 'pass'],
    ['Reeve.Example.ORG:9', 'pass'],
    ['proxy.example.org:8443', 'pass'],
    ['proxy.example.org', '403'],
    ['proxy.example.org:8444', '403'],
    ['evil.example', '403'],
    ['127.0.0.1.evil.example', '403'],
    ['localhost.evil.example:7433', '403'],
    ['evillocalhost', '403'],
    ['192.168.1.5:7433', '403'],
    ['0.0.0.0:7433', '403'],
    ['', '400'],
    [undefined, '400'],
    ['127.0.0.1:', '400'],
    ['127.0.0.1:99999', '400'],
    ['127.0.0.1:7433:1', '400'],
    ['user@127.0.0.1', '400'],
    ['127.0.0.1/x', '400'],
    ['127.0.0.1 evil', '400'],
    ['[::1', '400'],
    ['::1', '400'],
    ['%6cocalhost', '400'],
  ])('judges Host %s: %s', (host, expected) => {
    expect(verdict({ host })).toBe(expected);
  });

  it('answers to any address, and to no other name, where it listens on all', () => {
    expect(verdict({ host: '192.168.1.5:7433' }, { boundHost: '0.0.0.0' })).toBe('pass');
    expect(verdict({ host: '[fe80::1]:7433' }, { boundHost: '::' })).toBe('pass');
    expect(verdict({ host: 'evil.example' }, { boundHost: '0.0.0.0' })).toBe('403');
  });

  it('answers to the name or address it listens on', () => {
    expect(verdict({ host: '192.168.1.5:7433' }, { boundHost: '192.168.1.5' })).toBe('pass');
    expect(verdict({ host: '192.168.1.6:7433' }, { boundHost: '192.168.1.5' })).toBe('403');
    expect(verdict({ host: '[fd00::1]:7433' }, { boundHost: 'fd00:0::1' })).toBe('pass');
    expect(verdict({ host: 'box.lan' }, { boundHost: 'Box.lan' })).toBe('pass');
  });

  it.each<[string | undefined, string]>([
    [undefined, 'pass'],
    ['http://127.0.0.1:7433', 'pass'],
    ['https://127.0.0.1:7433', 'pass'],
    ['https://console.example.org', 'pass'],
    ['https://console.example.org:443', 'pass'],
    ['vscode-webview://abc', 'pass'],
    ['vscode-webview://abd', '403'],
    ['http://console.example.org', '403'],
    ['https://console.example.org:8443', '403'],
    ['https://console.example.org.evil.example', '403'],
    ['http://127.0.0.1:3000', '403'],
    ['http://127.0.0.1', '403'],
    ['http://localhost:7433', '403'],
    ['https://evil.example', '403'],
    ['file://', '403'],
    ['null', '403'],
    ['', '403'],
    ['127.0.0.1:7433', '403'],
  ])('judges Origin %s: %s', (origin, expected) => {
    expect(verdict({ origin })).toBe(expected);
  });

  it('takes a page of the same name behind a proxy that ends TLS for its own', () => {
    expect(verdict({ host: 'reeve.example.org', origin: 'https://reeve.example.org' })).toBe('pass');
    expect(verdict({ host: 'reeve.example.org:443', origin: 'https://reeve.example.org' })).toBe('pass');
    expect(verdict({ host: 'reeve.example.org', origin: 'https://reeve.example.org:444' })).toBe('403');
  });

  it.each<[Partial<GateFacts>, string]>([
    [{}, 'pass'],
    [{ authorization: `bearer ${TOKEN}` }, 'pass'],
    [{ authorization: undefined }, '401'],
    [{ authorization: 'Bearer wrong' }, '401'],
    [{ authorization: `Bearer ${TOKEN}x` }, '401'],
    [{ authorization: `Bearer ${TOKEN.slice(0, -1)}` }, '401'],
    [{ authorization: 'Bearer ' }, '401'],
    [{ authorization: `Basic ${TOKEN}` }, '401'],
    [{ authorization: '' }, '401'],
    [{ authorization: undefined, url: `/acp?agent=a&access_token=${TOKEN}` }, 'pass'],
    [{ authorization: undefined, url: `/acp?access%5Ftoken=${TOKEN}` }, 'pass'],
    [{ authorization: undefined, url: '/acp?access_token=' }, '401'],
    [{ authorization: undefined, url: `/acp?access_token=wrong&access_token=${TOKEN}` }, '401'],
    [{ authorization: 'Bearer wrong', url: `/acp?access_token=${TOKEN}` }, '401'],
    [{ authorization: undefined, url: '/v1/health' }, 'pass, unknown'],
    [{ authorization: undefined, url: '/v1/health?x=1' }, 'pass, unknown'],
    [{ authorization: 'Bearer wrong', url: '/v1/health' }, '401'],
    [{ authorization: undefined, url: '/v1/health', method: 'POST' }, '401'],
    [{ authorization: undefined, url: '/v1/health/' }, '401'],
    [{ authorization: undefined, url: '/v1/sessions?/v1/health' }, '401'],
    [{ url: 'http://127.0.0.1:7433/v1/sessions' }, '400'],
    [{ url: '//evil.example/v1/health' }, '400'],
    [{ url: '*' }, '400'],
    [{ url: '' }, '400'],
  ])('judges %o: %s', (facts, expected) => {
    expect(verdict(facts)).toBe(expected);
  });

  it.each([
    ['/sessions/a', 'pass, unknown'],
    ['/sessions/%2F%20a?x=../y', 'pass, unknown'],
    ['/sessions/..a', 'pass, unknown'],
    ['/sessions/../v1/sessions', '401'],
    ['/sessions/%2e%2e/v1/sessions', '401'],
    ['/sessions/.%2E/v1/sessions', '401'],
    ['/sessions/a/./../../v1/sessions', '401'],
    ['/sessions/\\..\\v1/sessions', '401'],
    ['/sessions/\t../../v1/sessions', '401'],
  ])('opens no more to strangers than a path says that leads nowhere else: %j is %s', (url, expected) => {
    expect(verdict({ authorization: undefined, url }, { openPaths: ['/sessions/*'] })).toBe(expected);
  });

  it.each<[Partial<GateFacts>, string]>([
    [{ url: '/nosuch', accept: 'text/html,*/*;q=0.8' }, 'pass, unknown'],
    [{ url: '/nosuch', accept: '*/*' }, '401'],
    [{ url: '/nosuch' }, '401'],
    [{ url: '/nosuch', accept: 'text/html', method: 'POST' }, '401'],
    [{ url: '/nosuch/../v1/sessions', accept: 'text/html' }, '401'],
    [{ url: '/v1/sessions', accept: 'text/html' }, '401'],
  ])('lets a browser have the page without a token, and nothing of the API: %o is %s', (facts, expected) => {
    const isPage = (path: string) => !path.startsWith('/v1/');
    expect(verdict({ authorization: undefined, ...facts }, { isPage })).toBe(expected);
  });

  it('lets everybody in who may reach it when there is no token, and still checks host and origin', () => {
    expect(verdict({ authorization: undefined }, { token: undefined })).toBe('pass');
    expect(verdict({ authorization: undefined, host: 'evil.example' }, { token: undefined })).toBe('403');
    expect(verdict({ authorization: undefined, origin: 'https://evil.example' }, { token: undefined })).toBe('403');
  });

  it('answers a preflight of an allowed origin only, and needs no token for it', () => {
    const preflight = { method: 'OPTIONS', requestMethod: 'POST', authorization: undefined };
    expect(verdict({ ...preflight, origin: 'https://console.example.org' })).toBe('preflight');
    expect(verdict({ ...preflight, origin: 'https://evil.example' })).toBe('403');
    expect(verdict({ ...preflight })).toBe('401');
  });

  it('never says what the token is', () => {
    const said = JSON.stringify(judgeRequest(RULES, { ...FACTS, authorization: 'Bearer secret-guess' }));
    expect(said).not.toContain(TOKEN);
    expect(said).not.toContain('secret-guess');
  });
});

describe('a URL without its token', () => {
  it.each([
    ['/acp', '/acp'],
    ['/acp?agent=a', '/acp?agent=a'],
    ['/acp?access_token=s', '/acp'],
    ['/acp?agent=a&access_token=s&b=%20+', '/acp?agent=a&b=%20+'],
    ['/acp?access%5Ftoken=s&a=1', '/acp?a=1'],
    ['/acp?x=1?access_token=s', '/acp?x=1?access_token=s'],
    ['/acp?access_token', '/acp'],
  ])('%s is %s', (url, clean) => {
    expect(withoutToken(url)).toBe(clean);
  });

  it('has no token left, whatever the query', () => {
    const pair = fc.tuple(
      fc.constantFrom('access_token', 'access%5ftoken', 'a', '', '%', '+'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const url = `/p?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
        expect(new URLSearchParams(withoutToken(url).split('?')[1] ?? '').has('access_token')).toBe(false);
      }),
    );
  });
});
