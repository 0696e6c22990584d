import { stat } from 'node:fs/promises';
import {
  checkSessionSetup,
  isObject,
  type JsonObject,
  ReeveError,
  type SessionSetup,
  type SetupIssue,
  type SetupMethod,
  setupErrorData,
} from '@reeve/protocol';
import { readRole } from './attach-options.ts';

/**
 * Checks the params of `session/new`, `load`, `resume` and `fork` as ACP's schema does and beyond: directories exist, a server that
 * the client itself serves is one that the agent can reach. An observer starts no agent: it may read the history of a session whose
 * directories are gone. Throws `invalid_params` whose data names each path, what was expected, what came and how to mend it.
 */
export async function requireSetup(
  method: SetupMethod,
  params: unknown,
  agentCapabilities: JsonObject,
): Promise<SessionSetup> {
  const checked = checkSessionSetup(method, params);
  if (checked.kind === 'invalid') throw invalid(checked.issues);
  const { setup } = checked;
  const joins = method === 'session/load' || method === 'session/resume';
  const observes = joins && readRole(setup.meta) === 'observer';
  const issues = [...(observes ? [] : await directoryIssues(setup)), ...capabilityIssues(setup, agentCapabilities)];
  if (issues.length > 0) throw invalid(issues);
  return setup;
}

async function directoryIssues(setup: SessionSetup): Promise<SetupIssue[]> {
  const places = [
    { path: 'cwd', directory: setup.cwd },
    ...setup.additionalDirectories.map((directory, index) => ({ path: `additionalDirectories[${index}]`, directory })),
  ];
  const issues = await Promise.all(
    places.map(async ({ path, directory }): Promise<SetupIssue | undefined> => {
      const what = await kindOf(directory);
      if (what === 'directory') return undefined;
      return {
        path,
        expected: 'an existing directory',
        received: what,
        fix: `create ${JSON.stringify(directory)} or name a directory that exists on the server`,
      };
    }),
  );
  return issues.filter((issue) => issue !== undefined);
}

async function kindOf(path: string): Promise<string> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'something that is no directory';
  } catch (error) {
    return isObject(error) && error.code === 'ENOENT'
      ? 'nothing there'
      : `a path that cannot be read (${String((error as NodeJS.ErrnoException).code)})`;
  }
}

function capabilityIssues(setup: SessionSetup, agentCapabilities: JsonObject): SetupIssue[] {
  const issues: SetupIssue[] = [];
  const mcp = isObject(agentCapabilities.mcpCapabilities) ? agentCapabilities.mcpCapabilities : {};
  for (const [index, server] of setup.mcpServers.entries()) {
    // All others are reached by Reeve itself, whatever the agent knows.
    if (server.type !== 'acp' || mcp.acp === true) continue;
    issues.push({
      path: `mcpServers[${index}].type`,
      expected: 'a transport that the agent announces in mcpCapabilities',
      received: '"acp"',
      fix: 'use a stdio, http or sse server, or an agent that announces mcpCapabilities.acp',
    });
  }
  const session = isObject(agentCapabilities.sessionCapabilities) ? agentCapabilities.sessionCapabilities : {};
  if (setup.additionalDirectories.length > 0 && !isObject(session.additionalDirectories)) {
    issues.push({
      path: 'additionalDirectories',
      expected: 'none: the agent does not announce sessionCapabilities.additionalDirectories',
      received: `${setup.additionalDirectories.length} entries`,
      fix: 'leave it out, or use an agent that announces it',
    });
  }
  return issues;
}

function invalid(issues: readonly SetupIssue[]): ReeveError {
  const data = setupErrorData(issues);
  return new ReeveError('invalid_params', { message: `Invalid params: ${data.summary}`, data: { ...data } });
}
