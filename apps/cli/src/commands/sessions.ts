import { resolve } from 'node:path';
import type { SessionInfo } from '@reeve/client';
import type { WireEvent } from '@reeve/protocol';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { describeBoundary } from '../describe-boundary.ts';
import { describeClient } from '../describe-client.ts';
import { describeEvent } from '../describe-event.ts';
import { reportLines } from '../describe-server.ts';
import { describeTurns } from '../describe-turns.ts';
import { CliError } from '../exit-codes.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { orNoSession } from '../no-session.ts';
import { unmetChoices } from '../run-wishes.ts';
import { safeLine } from '../safe-text.ts';
import { wholeNumber, withServerOptions } from '../server-options.ts';
import { table, timeText } from '../terminal.ts';

interface ListOptions extends ServerOptions {
  readonly cwd?: string;
  readonly limit: number;
  readonly json?: boolean;
}

interface EventsOptions extends ServerOptions {
  readonly after: number;
  readonly limit: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

interface OneOptions extends ServerOptions {
  readonly json?: boolean;
}

interface ForkOptions extends OneOptions {
  readonly cwd?: string;
  readonly title?: string;
}

export function sessionsCommand({ terminal, takeInterrupt }: CommandContext): Command {
  const sessions = new Command('sessions').description('list, read, close and remove sessions');

  withServerOptions(sessions.command('ls'))
    .description('list sessions, newest first')
    .option('--cwd <dir>', 'only those of this directory')
    .option('--limit <n>', 'at most this many', wholeNumber(1), 100)
    .option('--json', 'one JSON object a line')
    .action(async (options: ListOptions) => {
      const reeve = await needServer(options);
      const found: SessionInfo[] = [];
      let cursor: string | undefined;
      do {
        const limit = Math.min(1000, options.limit - found.length);
        const query = { limit, ...(options.cwd ? { cwd: options.cwd } : {}), ...(cursor ? { cursor } : {}) };
        const page = await reeve.sessions.list(query);
        found.push(...page.sessions);
        cursor = page.nextCursor;
      } while (cursor !== undefined && found.length < options.limit);
      if (options.json) for (const session of found) terminal.json(session);
      else if (found.length === 0) terminal.note('no sessions');
      else terminal.line(table(['SESSION', 'AGENT', 'STATE', 'UPDATED', 'EVENTS', 'TITLE', 'CWD'], found.map(row)));
    });

  withServerOptions(sessions.command('show'))
    .description('show one session')
    .argument('<id>', 'its id or alias')
    .option('--json', 'as one JSON object')
    .action(async (id: string, options: OneOptions) => {
      const session = await orNoSession((await needServer(options)).sessions.show(id));
      if (options.json) return terminal.json(session);
      const { boundary, enforcement: _inBoundary, mcpServers = [], clients, ...rest } = session;
      const { failure: _inTurns, queuedPrompts: _inQueue, ...facts } = rest;
      const { attached: _inClients, ...told } = facts;
      for (const [name, value] of Object.entries(clients ? told : facts)) {
        const shown = name.endsWith('At')
          ? timeText(value as number)
          : typeof value === 'object'
            ? JSON.stringify(value)
            : String(value);
        terminal.line(`${name.padEnd(22)} ${safeLine(shown, 500)}`);
      }
      for (const line of describeTurns(session)) terminal.line(line);
      for (const client of clients ?? []) terminal.line(describeClient(client));
      for (const line of describeBoundary(boundary)) terminal.line(line);
      for (const server of mcpServers) for (const line of reportLines(server)) terminal.line(line);
    });

  withServerOptions(sessions.command('events'))
    .description('print the log of a session')
    .argument('<id>', 'its id or alias')
    .option('--after <seq>', 'begin after this event', wholeNumber(0), 0)
    .option('--limit <n>', 'at most this many', wholeNumber(1), 1000)
    .option('--follow', 'go on with those that come, until Ctrl-C')
    .option('--json', 'one JSON object a line')
    .action(async (id: string, options: EventsOptions) => {
      const reeve = await needServer(options);
      const print = (event: WireEvent): void =>
        options.json ? terminal.json(event) : terminal.line(describeEvent(event));
      if (options.follow) {
        await orNoSession(reeve.sessions.show(id));
        const interrupt = takeInterrupt();
        for await (const event of reeve.followEvents(id, { after: options.after, signal: interrupt })) print(event);
        throw interrupt.reason;
      }
      let { after } = options;
      for (let left = options.limit; left > 0; ) {
        const page = await orNoSession(reeve.sessions.events(id, { after, limit: Math.min(1000, left) }));
        for (const event of page.events) print(event);
        left -= page.events.length;
        after = page.nextAfter;
        if (!page.hasMore || page.events.length === 0) return;
      }
      terminal.note(`more follow: --after ${after}`);
    });

  withServerOptions(sessions.command('set'))
    .description('change what is kept of a session: its title, model, mode, and members of your own')
    .argument('<id>', 'its id or alias')
    .argument('<member=value...>', 'JSON or text; nothing after "=" removes the member')
    .option('--json', 'print all of it as JSON')
    .action(async (id: string, changes: readonly string[], options: OneOptions) => {
      const patch = Object.fromEntries(changes.map(readChange));
      const changed = await orNoSession((await needServer(options)).sessions.setMetadata(id, patch));
      for (const unmet of unmetChoices(changed.applied)) terminal.note(unmet);
      if (options.json) return terminal.json(changed);
      for (const [name, value] of Object.entries(changed.metadata)) {
        terminal.line(`${safeLine(name, 60).padEnd(22)} ${safeLine(JSON.stringify(value), 500)}`);
      }
    });

  withServerOptions(sessions.command('fork'))
    .description('make a session that goes on from the last finished turn of another')
    .argument('<id>', 'its id or alias')
    .option('--cwd <dir>', 'where it works; where the other does unless told')
    .option('--title <text>', 'its title; that of the other unless told')
    .option('--json', 'print the new session as JSON')
    .action(async (id: string, { cwd, title, json, ...options }: ForkOptions) => {
      const wanted = {
        ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
        ...(title === undefined ? {} : { metadata: { title } }),
      };
      const { session } = await orNoSession((await needServer(options)).sessions.fork(id, wanted));
      if (json) terminal.json(session);
      else terminal.line(session.sessionId);
    });

  withServerOptions(sessions.command('cancel'))
    .description('cancel the running turn of a session and those that wait')
    .argument('<id>', 'its id or alias')
    .option('--json', 'print the outcome as JSON')
    .action(async (id: string, options: OneOptions) => {
      await orNoSession((await needServer(options)).sessions.cancel(id));
      if (options.json) terminal.json({ sessionId: id, cancelled: true });
      else terminal.note(`cancelled what ran in ${id}`);
    });

  withServerOptions(sessions.command('terminate'))
    .description('end the turn and the agent process of a session at once; the session stays')
    .argument('<id>', 'its id or alias')
    .option('--json', 'print the outcome as JSON')
    .action(async (id: string, options: OneOptions) => {
      await orNoSession((await needServer(options)).sessions.terminate(id));
      if (options.json) terminal.json({ sessionId: id, terminated: true });
      else terminal.note(`terminated ${id}`);
    });

  withServerOptions(sessions.command('close'))
    .description('end the agent process of a session, keep its log')
    .argument('<id>', 'its id or alias')
    .option('--json', 'print the outcome as JSON')
    .action(async (id: string, options: OneOptions) => {
      await orNoSession((await needServer(options)).sessions.close(id));
      if (options.json) terminal.json({ sessionId: id, closed: true });
      else terminal.note(`closed ${id}`);
    });

  withServerOptions(sessions.command('rm'))
    .description('remove a session and its log')
    .argument('<id>', 'its id or alias')
    .option('--json', 'print the outcome as JSON')
    .action(async (id: string, options: OneOptions) => {
      await (await needServer(options)).sessions.remove(id);
      if (options.json) terminal.json({ sessionId: id, removed: true });
      else terminal.note(`removed ${id}`);
    });

  return sessions;
}

/** `title=A name` is text, `skills=["a"]` JSON, `title=` removes. */
function readChange(change: string): [string, unknown] {
  const at = change.indexOf('=');
  if (at < 1)
    throw new CliError('usage', `"${change}" changes nothing`, 'Write member=value, or member= to remove it.');
  const [name, text] = [change.slice(0, at), change.slice(at + 1)];
  if (text === '') return [name, null];
  if (!/^[[{"]|^(true|false|-?\d+(\.\d+)?)$/.test(text)) return [name, text];
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}

function row({ sessionId, agent, state, updatedAt, lastSeq, title, cwd }: SessionInfo): unknown[] {
  return [sessionId, agent, state, timeText(updatedAt), lastSeq, title, cwd];
}
