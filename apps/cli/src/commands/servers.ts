import type { DecidedServers, GovernedServerDetails, Reeve, ReviewParams, ReviewScope } from '@reeve/client';
import { Command, Option } from 'commander';
import { chooseSession } from '../choose-session.ts';
import type { CommandContext } from '../command-context.ts';
import { describeReview } from '../describe-review.ts';
import { describeServer, serverLines } from '../describe-server.ts';
import { CliError } from '../exit-codes.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { readExpiry, readWholeRoot } from '../root-words.ts';
import { safeText } from '../safe-text.ts';
import { withServerOptions } from '../server-options.ts';
import { table, timeText, WHOLE } from '../terminal.ts';

interface OneOptions extends ServerOptions {
  readonly session?: string;
  readonly json?: boolean;
}

interface ApproveOptions extends OneOptions {
  readonly scope?: ReviewScope;
  readonly expires?: string;
  readonly trust?: boolean;
  readonly root?: readonly string[];
  readonly network?: readonly string[];
}

type Approval = { readonly [K in 'scope' | 'expires' | 'trust' | 'root' | 'network']?: ApproveOptions[K] | undefined };

/** MCP servers: what they are, what holds them, and what people decided about them. */
export function serversCommand({ terminal }: CommandContext): Command {
  const servers = new Command('servers').description('see, approve and forget the MCP servers of sessions');
  const about = (command: Command): Command =>
    withServerOptions(command)
      .option('--session <id>', 'the session that it is of')
      .option('--json', 'print the outcome as JSON');

  withServerOptions(servers.command('ls'))
    .description('list the MCP servers of live sessions, and what people decided about any')
    .option('--session <id>', 'only those of this session')
    .option('--json', 'as one JSON object')
    .action(async (options: OneOptions) => {
      const list = await (await needServer(options)).servers.list({ session: options.session });
      if (options.json) return terminal.json(list);
      if (list.servers.length + list.approvals.length === 0) return terminal.note('no servers');
      if (list.servers.length > 0) {
        for (const line of serverLines(list.servers)) terminal.line(line);
      }
      if (list.approvals.length > 0) {
        const rows = list.approvals.map((one) => [
          one.serverName,
          one.decision,
          one.scope,
          one.expiresAt === undefined ? '' : timeText(one.expiresAt),
          one.by,
          one.fingerprint,
        ]);
        terminal.line(table(['DECIDED', 'DECISION', 'SCOPE', 'EXPIRES', 'BY', 'FINGERPRINT'], rows, WHOLE));
      }
    });

  about(servers.command('show'))
    .description('show an MCP server: what holds it, what is asked about it, and the last it printed')
    .argument('<name>', 'of the server')
    .action(async (name: string, options: OneOptions) => {
      const reeve = await needServer(options);
      const details = await reeve.servers.show(await sessionOf(reeve, name, options.session), name);
      if (options.json) return terminal.json(details);
      for (const line of describeServer(details)) terminal.line(line);
      for (const { request, params } of details.reviews) {
        terminal.line(`waits for a person: request ${request}`);
        for (const line of describeReview(params as ReviewParams)) terminal.line(line);
      }
      terminalTail(details);
    });

  about(servers.command('approve'))
    .description('approve what waits about an MCP server, or change what was decided about one')
    .argument('<name or fingerprint>', 'of the server')
    .addOption(new Option('--scope <scope>', 'how far it reaches').choices(['session', 'project', 'always']))
    .option(
      '--expires <when>',
      'how long it counts: 30m, 2h, 7d, a time, or never, for as long as it is not taken back',
    )
    .option('--trust', 'believe what it says of its own tools')
    .option(
      '--root <root>',
      'only these of the roots that it asks for, PATH:ro or PATH:rw; may be given again',
      collect,
    )
    .option('--network <host>', 'let it reach this host[:port]; "full" for all; may be given again', collect)
    .action(async (what: string, options: ApproveOptions) => {
      const reeve = await needServer(options);
      const fingerprint = await fingerprintOf(reeve, what, options.session);
      const { session } = options;
      const approval = approvalOf(options);
      const decided = await reeve.servers.approve(fingerprint, { session, ...approval });
      if (options.json) return terminal.json({ fingerprint, ...decided });
      const kept = approval.expiresAt === undefined && decided.changed.length > 0;
      tellDecided('approved', what, decided, kept ? await endOf(reeve, fingerprint) : approval.expiresAt);
    });

  about(servers.command('deny'))
    .description(
      'deny an MCP server: what waits about it, or what runs; with a scope of project or always nobody is asked again',
    )
    .argument('<name or fingerprint>', 'of the server')
    .addOption(new Option('--scope <scope>', 'how far it reaches').choices(['session', 'project', 'always']))
    .option('--expires <when>', 'how long it counts: 30m, 2h, 7d, or a time')
    .action(async (what: string, options: ApproveOptions) => {
      const reeve = await needServer(options);
      const fingerprint = await fingerprintOf(reeve, what, options.session);
      const { session, scope, expires } = options;
      const denial = {
        ...(scope === undefined ? {} : { scope }),
        ...(expires === undefined ? {} : { expiresAt: readExpiry(expires) }),
      };
      const decided = await reeve.servers.deny(fingerprint, { session, ...denial });
      if (options.json) return terminal.json({ fingerprint, ...decided });
      tellDecided('denied', what, decided, denial.expiresAt);
    });

  about(servers.command('retry'))
    .description('start an MCP server again that failed, or ask again about one that was refused')
    .argument('<name>', 'of the server')
    .action(async (name: string, options: OneOptions) => {
      const reeve = await needServer(options);
      const session = await sessionOf(reeve, name, options.session);
      await reeve.servers.retry(session, name);
      if (options.json) terminal.json({ session, name, retried: true });
      else terminal.note(`trying ${name} again`);
    });

  about(servers.command('forget'))
    .description('forget what people decided about an MCP server: it stops, and is asked about anew')
    .argument('<name or fingerprint>', 'of the server')
    .action(async (what: string, options: OneOptions) => {
      const reeve = await needServer(options);
      const fingerprint = await fingerprintOf(reeve, what, options.session);
      const forgotten = await reeve.servers.forget(fingerprint);
      if (options.json) terminal.json({ fingerprint, forgotten });
      else terminal.note(`forgot ${forgotten} ${forgotten === 1 ? 'decision' : 'decisions'} about ${what}`);
    });

  function tellDecided(how: string, what: string, { requests, changed }: DecidedServers, until?: number | null): void {
    for (const { id, sessionId } of requests) terminal.note(`${how} ${what} in session ${sessionId}: request ${id}`);
    for (const session of changed) terminal.note(`${how} ${what} in session ${session}, where nobody was asked`);
    terminal.note(`it counts until ${typeof until === 'number' ? timeText(until) : 'it is taken back'}`);
  }

  /** The last lines of its stderr, as they came but harmless. */
  function terminalTail({ stderrTail }: GovernedServerDetails): void {
    if (stderrTail === undefined || stderrTail.trim() === '') return;
    terminal.line('it printed last');
    for (const line of safeText(stderrTail).trimEnd().split('\n').slice(-40)) terminal.line(`  ${line}`);
  }

  return servers;
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

function approvalOf({ scope, expires, trust, root, network }: Approval) {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(expires === undefined ? {} : { expiresAt: expires === 'never' ? null : readExpiry(expires) }),
    ...(trust ? { trusted: true } : {}),
    ...(root === undefined ? {} : { roots: root.map(readWholeRoot) }),
    ...(network === undefined ? {} : { network: network.includes('full') ? ('full' as const) : { allow: network } }),
  };
}

/** Until when the newest yes to a server counts. */
async function endOf(reeve: Reeve, fingerprint: string): Promise<number | undefined> {
  const { approvals } = await reeve.servers.list();
  const own = approvals.filter((one) => one.fingerprint === fingerprint && one.decision === 'allow');
  return own.toSorted((a, b) => b.at - a.at)[0]?.expiresAt;
}

/** The session that a server of this name is of: the one that was named, or the only one that has such a server. */
async function sessionOf(reeve: Reeve, name: string, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const { servers } = await reeve.servers.list();
  const sessions = new Set(servers.filter((server) => server.name === name).map(({ sessionId }) => sessionId));
  const [only, ...more] = sessions;
  return only !== undefined && more.length === 0 ? only : chooseSession(reeve, undefined);
}

async function fingerprintOf(reeve: Reeve, what: string, session: string | undefined): Promise<string> {
  if (what.startsWith('sha256:')) return what;
  const { servers, approvals } = await reeve.servers.list({ session });
  const found = new Set([
    ...servers.filter(({ name }) => name === what).flatMap(({ fingerprint }) => fingerprint ?? []),
    ...(session === undefined ? approvals.filter(({ serverName }) => serverName === what) : []).map(
      ({ fingerprint }) => fingerprint,
    ),
  ]);
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  const how =
    only === undefined ? `there is no server "${what}"` : `${more.length + 1} servers have the name "${what}"`;
  throw new CliError('error', how, 'Name one by its fingerprint or with --session: "reeve servers ls" lists them.');
}
