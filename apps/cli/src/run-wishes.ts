import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '@reeve/protocol';
import { CliError } from './exit-codes.ts';
import { safeLine } from './safe-text.ts';

/** What `run` asks of the new session beside its prompt; the names of the options. */
export interface RunWishes {
  readonly title?: string;
  readonly model?: string;
  readonly variant?: string;
  readonly mode?: string;
  readonly permissionMode?: string;
  readonly agentVersion?: string;
  readonly alias?: string;
  readonly workspace?: string;
}

/** `_meta["sandboxagent.dev"]` of `session/new`; undefined where nothing is asked for. */
export function sessionWishes(wishes: RunWishes): Readonly<Record<string, string>> | undefined {
  const named = {
    title: wishes.title,
    model: wishes.model,
    variant: wishes.variant,
    agentMode: wishes.mode,
    permissionMode: wishes.permissionMode,
    agentVersionRequested: wishes.agentVersion,
    requestedSessionId: wishes.alias,
    workspace: wishes.workspace,
  };
  const given = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** A content block that points the agent to a file (ACP, `resource_link`). Rejects for a file that is not there. */
export async function linkTo(file: string): Promise<{ readonly type: 'resource_link'; uri: string; name: string }> {
  const path = resolve(file);
  const there = await stat(path).catch(() => undefined);
  if (!there?.isFile())
    throw new CliError('usage', `there is no file ${path}`, 'Name a file that exists with --attach.');
  return { type: 'resource_link', uri: pathToFileURL(path).href, name: basename(path) };
}

/** What the agent was not given yet, or took only as a hint since it offers no such choice: one line each. `applied`: what became of the choices. */
export function unmetChoices(applied: unknown): readonly string[] {
  if (!isObject(applied)) return [];
  return Object.entries(applied).flatMap(([choice, how]) => {
    if (!isObject(how)) return [];
    if (how.rung === 'pending')
      return [safeLine(`${choice} "${String(how.requested)}" is for the next agent process`, 500)];
    if (how.rung !== 'hint') return [];
    const offered = Array.isArray(how.available) && how.available.length > 0 ? how.available.join(', ') : 'none';
    return [safeLine(`the agent offers no ${choice} "${String(how.requested)}" (offered: ${offered})`, 500)];
  });
}
