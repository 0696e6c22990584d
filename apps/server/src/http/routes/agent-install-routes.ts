import { type AgentVersions, type InstallLine, isReeveError } from '@reeve/protocol';
import { z } from 'zod';
import type { AgentEntry } from '../../agents/agent-registry.ts';
import type { AgentVersionChooser } from '../../agents/agent-versions.ts';
import { noAgent } from '../api-problems.ts';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { problemOf } from '../problem.ts';
import { AGENT_NAME } from './agent-routes.ts';

/** What the routes need of the agents. */
export interface AgentInstallPort {
  readonly find: (name: string) => AgentEntry | undefined;
  readonly versions: Pick<AgentVersionChooser, 'list' | 'resolve' | 'install'>;
  /** Called after each installation, before its caller is told. */
  readonly onInstalled: () => Promise<void>;
}

export interface AgentInstallOptions {
  readonly port: AgentInstallPort;
  /** The id under which an error that no one foresaw is in the log. */
  readonly logIdOf: (error: unknown) => string;
}

const parameters = { name: AGENT_NAME };
const tag = 'Agents';
const JSON_LINES = 'application/x-ndjson';

const versionsSchema = z.looseObject({
  agent: z.string(),
  package: z.string().optional().describe('The npm package that other versions come from'),
  configured: z.string().optional().describe('What the configured command says of itself'),
  installed: z.array(z.looseObject({ version: z.string(), integrity: z.string(), installedAt: z.number() })),
  available: z.array(z.string()).describe('The newest 20 of the registry, newest first'),
  tags: z.record(z.string(), z.string()),
  problem: z.string().optional().describe('Why the registry could not be asked, and what to do'),
});

const VERSION = 'a version, a range or a tag of the npm registry';
const installBody = z.strictObject(
  { version: z.string({ error: VERSION }).min(1, { error: VERSION }).max(256, { error: VERSION }).default('latest') },
  { error: 'an object {"version"?: …}' },
);

/** Versions of an agent that npm provides. */
export function agentInstallRoutes({ port, logIdOf }: AgentInstallOptions): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/agents/{name}/versions',
      operationId: 'listAgentVersions',
      tag,
      summary: 'List the versions of an agent: the configured one, those installed, those of the npm registry',
      parameters,
      answers: [{ status: 200, description: 'What there is', schema: versionsSchema }],
      errors: ['not_found'],
      async handle(call) {
        const name = call.req.param('name') ?? '';
        const entry = port.find(name);
        if (!entry) return noAgent(name);
        const versions: AgentVersions = await port.versions.list(entry);
        return call.json(versions);
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/agents/{name}/install',
      operationId: 'installAgent',
      tag,
      summary: 'Install a version of an agent from npm, for sessions that ask for it',
      description:
        'Each line is a JSON object with a `kind`: any number of `progress`, then `installed` or `failed` with a problem. Who leaves does not end the installation.',
      parameters,
      body: { schema: installBody, expected: 'a JSON object with "version"', optional: true },
      answers: [
        {
          status: 200,
          description: 'The installation, line by line',
          streams: { [JSON_LINES]: 'One JSON object a line' },
        },
      ],
      errors: ['not_found', 'invalid_params', 'install_failed'],
      async handle(call, { body }) {
        const name = call.req.param('name') ?? '';
        const entry = port.find(name);
        if (!entry) return noAgent(name);
        const resolved = await port.versions.resolve(entry, body.version);
        const stream = lines((write) => install(entry, resolved, write));
        return call.body(stream, 200, { 'content-type': JSON_LINES, 'x-accel-buffering': 'no' });
      },
    }),
  ];

  async function install(
    entry: AgentEntry,
    { version, note }: { readonly version: string; readonly note?: string },
    write: (line: InstallLine) => void,
  ): Promise<void> {
    try {
      const installed = await port.versions.install(entry, version, ({ phase, detail }) =>
        write({ kind: 'progress', phase, detail }),
      );
      await port.onInstalled();
      const { name, integrity, bins } = installed;
      write({
        kind: 'installed',
        agent: entry.name,
        package: name,
        version,
        integrity,
        bins,
        ...(note === undefined ? {} : { note }),
      });
    } catch (error) {
      write({ kind: 'failed', problem: problemOf(error, isReeveError(error) ? '' : logIdOf(error)) });
    }
  }
}

/** A body of what `run` writes, ended with it. There is little of it: nothing waits for a slow reader. */
function lines(run: (write: (line: InstallLine) => void) => Promise<void>): ReadableStream<Uint8Array> {
  let gone = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      void run((line) => {
        if (!gone) controller.enqueue(Buffer.from(`${JSON.stringify(line)}\n`));
      }).finally(() => {
        if (!gone) controller.close();
      });
    },
    cancel() {
      gone = true;
    },
  });
}
