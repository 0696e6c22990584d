import type { Said } from './explain-issue.ts';
import { nearestName } from './nearest-name.ts';
import type { ConfigProblem } from './problem.ts';
import type { ParsedConfig } from './schema.ts';

/** What no single setting shows: settings that contradict each other. */
export function checkTogether(
  config: Omit<ParsedConfig, '$schema'>,
  said: (path: readonly PropertyKey[]) => Said,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const { auth, host, defaultAgent, agents, timeouts, allowedOrigins } = config;
  if (auth === 'none' && !isLoopback(host)) {
    problems.push({
      path: 'auth',
      ...said(['auth']),
      expected: `"token", because ${host} can be reached from other machines`,
      came: '"none"',
      mend: 'Set "auth" to "token", or "host" to "127.0.0.1".',
    });
  }
  if (defaultAgent !== undefined && !Object.hasOwn(agents, defaultAgent)) {
    const names = Object.keys(agents);
    const near = nearestName(defaultAgent, names);
    const known = names.length === 0 ? 'No agent is configured or found on the PATH.' : `Known: ${names.join(', ')}.`;
    problems.push({
      path: 'defaultAgent',
      ...said(['defaultAgent']),
      expected: 'the name of an agent',
      came: JSON.stringify(defaultAgent),
      mend: near ? `Did you mean "${near}"?` : known,
    });
  }
  if (timeouts.vanishedMs <= timeouts.heartbeatMs) {
    problems.push({
      path: 'timeouts.vanishedMs',
      ...said(['timeouts', 'vanishedMs']),
      expected: `more than timeouts.heartbeatMs (${timeouts.heartbeatMs})`,
      came: String(timeouts.vanishedMs),
      mend: `Write ${timeouts.heartbeatMs * 3}, so that two heartbeats may be lost.`,
    });
  }
  for (const [index, origin] of allowedOrigins.entries()) {
    if (isOrigin(origin)) continue;
    problems.push({
      path: `allowedOrigins[${index}]`,
      ...said(['allowedOrigins', index]),
      expected: 'scheme, host and port without a path',
      came: JSON.stringify(origin),
      mend: 'Write it like "https://console.example.org".',
    });
  }
  return problems;
}

/** True for names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
