import type { Config, McpServerEntry } from './frozen-config.ts';
import type { Origin } from './problem.ts';

/** Settings by path, each with where it came from; safe to print and to send to somebody. */
export type ShownConfig = Readonly<Record<string, { readonly value: unknown; readonly origin: Origin }>>;

const HIDDEN = '(hidden)';

/**
 * The effective configuration, flat, with every value of an `env` and of `headers` hidden, and of the address of a server what may
 * identify who calls. Of the webhook only its host is shown: such an address is itself the secret.
 */
export function showConfig(config: Config, origins: Readonly<Record<string, Origin>>): ShownConfig {
  const shown: Record<string, { value: unknown; origin: Origin }> = {};
  for (const [path, origin] of Object.entries(origins)) {
    const [top = '', ...rest] = path.split('.');
    const group = (config as Readonly<Record<string, unknown>>)[top];
    const value = rest.length === 0 ? group : (group as Readonly<Record<string, unknown>>)[rest.join('.')];
    shown[path] = { value: withoutSecrets(top, value), origin };
  }
  return shown;
}

function withoutSecrets(group: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  switch (group) {
    case 'agents': {
      const { env, ...rest } = value as Config['agents'][string];
      return { ...rest, env: hidden(env) };
    }
    case 'mcpServers':
      return shownServer(value as McpServerEntry);
    case 'workspaces': {
      const { mcpServers, ...rest } = value as Config['workspaces'][string];
      const servers = Object.entries(mcpServers).map(([name, server]) => [name, shownServer(server)]);
      return { ...rest, mcpServers: Object.fromEntries(servers) };
    }
    case 'alarms': {
      const { url, headers } = value as NonNullable<Config['alarms']['webhook']>;
      return { url: `${new URL(url).origin}/${HIDDEN}`, headers: hidden(headers) };
    }
    default:
      return value;
  }
}

function shownServer({ env, headers, url, ...rest }: McpServerEntry): unknown {
  return {
    ...rest,
    ...(env === undefined ? {} : { env: hidden(env) }),
    ...(url === undefined ? {} : { url: shownUrl(url) }),
    ...(headers === undefined ? {} : { headers: hidden(headers) }),
  };
}

function shownUrl(text: string): string {
  const url = new URL(text);
  const user = url.username === '' && url.password === '' ? '' : `${HIDDEN}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${url.search === '' ? '' : `?${HIDDEN}`}`;
}

function hidden(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN]));
}
