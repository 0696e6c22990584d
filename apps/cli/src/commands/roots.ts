import type { Reeve, ReviewScope } from '@reeve/client';
import { partText } from '@reeve/protocol';
import { Command, Option } from 'commander';
import { chooseSession } from '../choose-session.ts';
import type { CommandContext } from '../command-context.ts';
import { accessOf, boundaryLines, checkLines, grantTable } from '../describe-roots.ts';
import { CliError } from '../exit-codes.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { orNoSession } from '../no-session.ts';
import { rootReviews } from '../root-reviews.ts';
import { describeChange, orNoRoot, readExpiry, readRoot } from '../root-words.ts';
import { safeLine } from '../safe-text.ts';
import { withServerOptions } from '../server-options.ts';
import { addPreview } from './preview-roots.ts';

interface SessionOptions extends ServerOptions {
  readonly session?: string;
  readonly server?: string;
  readonly json?: boolean;
}

interface GiveOptions extends SessionOptions {
  readonly scope?: ReviewScope;
  readonly expires?: string;
}

const SCOPES = ['session', 'project', 'always'];

/** What sessions and their MCP servers may reach. */
export function rootsCommand(context: CommandContext): Command {
  const { terminal } = context;
  const roots = new Command('roots').description(
    'see, give and take the directories and files that a session may reach',
  );
  const about = (command: Command): Command =>
    withServerOptions(command)
      .option('--session <id>', 'the session; the only one that has a process, or is open, unless told')
      .option('--json', 'print the outcome as JSON');
  const given = (command: Command): Command =>
    about(command)
      .option('--server <name>', 'for this MCP server of the session alone')
      .addOption(new Option('--scope <scope>', 'how far it reaches').choices(SCOPES))
      .option('--expires <when>', 'how long it counts: 30m, 2h, 7d, or a time');

  withServerOptions(roots.command('ls'))
    .description('list the roots of a session and how they stand with its MCP servers, or all grants')
    .option('--session <id>', 'of this session; without it, what people granted anywhere')
    .option('--json', 'one JSON object a line')
    .action(async (options: SessionOptions) => {
      const reeve = await needServer(options);
      if (options.session === undefined) {
        const grants = await reeve.grants.list();
        if (options.json) for (const grant of grants) terminal.json(grant);
        else if (grants.length === 0) terminal.note('nothing was granted; --session shows what a session may reach');
        else terminal.line(grantTable(grants));
        return;
      }
      const boundary = await orNoSession(reeve.boundaries.show(options.session));
      if (options.json) terminal.json(boundary);
      else for (const line of boundaryLines(boundary)) terminal.line(line);
    });

  about(roots.command('show'))
    .description('show one root: how it stands with each MCP server, its risks, and what it rests on')
    .argument('<path>', 'of the root')
    .action(async (text: string, options: SessionOptions) => {
      const reeve = await needServer(options);
      const session = await chooseSession(reeve, options.session);
      const typed = readRoot(text).path;
      const boundary = await orNoSession(reeve.boundaries.show(session));
      const path = boundary.roots.some((one) => one.path === typed) ? typed : await leadsTo(reeve, session, typed);
      const root = boundary.roots.find((one) => one.path === path);
      if (!root) {
        const next = `See which there are with "reeve roots ls --session ${session}".`;
        throw new CliError('error', `${path} is no root of the session`, next);
      }
      const servers = boundary.servers.flatMap(({ name, roots: standing }) =>
        standing.filter((one) => one.root.path === path).map((one) => ({ server: name, ...one })),
      );
      if (options.json) return terminal.json({ ...root, servers });
      const lost = boundary.lost?.includes(path) ? ', LOST: moved, replaced or deleted since it was approved' : '';
      terminal.line(safeLine(`${root.path} (${accessOf(root)}${lost})`, 5000));
      for (const { server, state, access, risks, highRisk, inProject, policies, grant, only, why } of servers) {
        const told = risks.filter((risk) => risk !== 'outside_project').map((risk) => risk.replaceAll('_', ' '));
        const words = [
          `${state}${state === 'granted' ? ` (${access})` : ''}`,
          ...(only === undefined ? [] : [partText(only)]),
          ...(told.length === 0 ? [] : [`${highRisk ? 'HIGH RISK: ' : ''}${told.join(', ')}`]),
          inProject ? 'in the project' : 'outside the project',
          ...(policies.length === 0 ? [] : [`by ${policies.join(', ')}`]),
          ...(grant === undefined ? [] : [`grant ${grant}`]),
          ...(why === undefined ? [] : [why]),
        ];
        terminal.line(`  ${safeLine(server, 64).padEnd(20)} ${safeLine(words.join('; '), 2000)}`);
      }
    });

  given(roots.command('request'))
    .description('ask for a root for the MCP servers of a session: policies decide, then a person')
    .argument('<path>', 'PATH, PATH:ro or PATH:rw; read only unless told')
    .action(async (text: string, options: GiveOptions) => {
      const reeve = await needServer(options);
      const session = await chooseSession(reeve, options.session);
      const { path, access = 'ro' } = readRoot(text);
      const asked = await orNoRoot(path, reeve.boundaries.request(session, { path, access, ...wishOf(options) }));
      if (options.json) return terminal.json(asked);
      for (const server of asked.granted) terminal.line(`${safeLine(server, 64)} has it`);
      for (const { server, request } of asked.requests) {
        terminal.line(`asked for "${safeLine(server, 64)}": request ${request}`);
      }
      if (asked.requests.length > 0) {
        terminal.note(`answer with "reeve roots approve ${path} --session ${session}", or "reeve roots deny …"`);
      }
    });

  given(roots.command('approve'))
    .description('approve what is asked about a root, or give it when nothing is asked')
    .argument('<path>', 'PATH, PATH:ro or PATH:rw; as it was asked for unless told, read only when nothing was')
    .action(async (text: string, options: GiveOptions) => {
      const reeve = await needServer(options);
      const session = await chooseSession(reeve, options.session);
      const { path: typed, access } = readRoot(text);
      const wish = wishOf(options);
      const { path, waiting } = await asksAbout(reeve, session, typed, options.server);
      if (waiting.length === 0) {
        const wanted = { session, path: typed, access: access ?? ('ro' as const), ...wish };
        const changed = await orNoRoot(typed, reeve.grants.create(wanted));
        if (options.json) return terminal.json(changed);
        for (const line of describeChange(changed)) terminal.line(line);
        return;
      }
      for (const { id, name, root, others } of waiting) {
        const roots = [{ path, access: access ?? root.access }];
        const { server: _, ...scope } = wish;
        const request = await reeve.requests.answer(id, { decision: 'approve', roots, others: 'ask', ...scope });
        if (options.json) {
          terminal.json(request);
          continue;
        }
        const joins = root.joinsSession ? ', and for the session and its agent' : '';
        terminal.note(`approved ${path} (${access ?? root.access}) for ${name}${joins}: request ${id}`);
        if (others.length > 0) terminal.note(`${name} still asks for ${others.join(', ')}`);
      }
    });

  given(roots.command('deny'))
    .description('deny what is asked about a root: with a scope of project or always nobody is asked again')
    .argument('<path>', 'that was asked for')
    .action(async (text: string, options: GiveOptions) => {
      const reeve = await needServer(options);
      const session = await chooseSession(reeve, options.session);
      const { path, waiting } = await asksAbout(reeve, session, readRoot(text).path, options.server);
      const { server: _, ...scope } = wishOf(options);
      if (waiting.length === 0) {
        const next = `To take a root away that was given: reeve roots revoke ${path} --session ${session}.`;
        throw new CliError('error', `nothing waits about ${path}`, next);
      }
      for (const { id, name, root, others } of waiting) {
        const roots = [{ path, access: root.access }];
        const request = await reeve.requests.answer(id, { decision: 'deny', roots, others: 'ask', ...scope });
        if (options.json) {
          terminal.json(request);
          continue;
        }
        terminal.note(`denied ${path} for ${name}: request ${id}`);
        if (others.length > 0) terminal.note(`${name} still asks for ${others.join(', ')}`);
      }
    });

  about(roots.command('revoke'))
    .description(
      'take a root from a session or from one of its MCP servers, or take a grant back; tells when it is gone',
    )
    .argument('<path or grant>', 'the path of a root, or the id of a grant')
    .option('--server <name>', 'from this MCP server alone')
    .action(async (what: string, options: SessionOptions) => {
      const reeve = await needServer(options);
      if ((await reeve.grants.list()).some(({ id }) => id === what)) {
        await reeve.grants.revoke(what);
        if (options.json) return terminal.json({ grant: what, revoked: true });
        return terminal.note(`took back grant ${what}`);
      }
      if (GRANT_ID.test(what)) {
        const next = 'See those that there are with "reeve roots ls"; a path that looks so is written ./PATH.';
        throw new CliError('error', `there is no grant ${what}`, next);
      }
      const session = await chooseSession(reeve, options.session);
      const changed = await reeve.boundaries.revoke(session, readRoot(what).path, options.server);
      if (options.json) return terminal.json(changed);
      for (const line of describeChange(changed)) terminal.line(line);
    });

  about(roots.command('check'))
    .description('tell what a path may be used for; ends with 5 when the agent may not use it')
    .argument('<path>', 'to look up')
    .action(async (text: string, options: SessionOptions) => {
      const reeve = await needServer(options);
      const session = await chooseSession(reeve, options.session);
      const check = await reeve.boundaries.check(session, readRoot(text).path);
      if (options.json) terminal.json(check);
      else for (const line of checkLines(check)) terminal.line(line);
      if (check.agent === 'none') throw new CliError('permissionDenied', check.reason ?? 'it is outside', check.next);
    });

  addPreview(roots, context);
  return roots;
}

const GRANT_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** What a path is, links followed where the server runs; as it was typed where that cannot be told. */
async function leadsTo(reeve: Reeve, session: string, path: string): Promise<string> {
  return (await orNoSession(reeve.boundaries.check(session, path))).canonical ?? path;
}

/** What waits about a root, which may be named by a link to it. */
async function asksAbout(reeve: Reeve, session: string, typed: string, server: string | undefined) {
  const requests = await reeve.requests.list({ session });
  const waiting = rootReviews(requests, { path: typed, server });
  if (waiting.length > 0) return { path: typed, waiting };
  const path = await leadsTo(reeve, session, typed);
  return { path, waiting: rootReviews(requests, { path, server }) };
}

function wishOf({ server, scope, expires }: GiveOptions) {
  return {
    ...(server === undefined ? {} : { server }),
    ...(scope === undefined ? {} : { scope }),
    ...(expires === undefined ? {} : { expiresAt: readExpiry(expires) }),
  };
}
