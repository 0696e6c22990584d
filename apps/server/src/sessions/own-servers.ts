import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isObject, type McpServerReport } from '@reeve/protocol';
import { fewAtATime } from '../pace/in-slices.ts';
import { isTracked } from './tracked-file.ts';

/** MCP servers that an agent would start by itself, past Reeve. */
export interface OwnServers {
  /** Files that its sandbox shows empty. */
  readonly masked: readonly string[];
  /** What is left, none of it governed. */
  readonly servers: readonly McpServerReport[];
}

interface OwnFile {
  /** Relative to a root, or absolute. */
  readonly path: string;
  /** Holds servers and nothing else, so that nobody misses it. */
  readonly onlyServers: boolean;
}

/** Where agents and editors look in a project (boundary, section 7). */
const PROJECT_FILES: readonly OwnFile[] = [
  { path: '.mcp.json', onlyServers: true },
  { path: '.cursor/mcp.json', onlyServers: true },
  { path: '.vscode/mcp.json', onlyServers: true },
  { path: '.codex/config.toml', onlyServers: false },
  { path: '.gemini/settings.json', onlyServers: false },
  { path: '.qwen/settings.json', onlyServers: false },
  { path: 'opencode.json', onlyServers: false },
  { path: 'opencode.jsonc', onlyServers: false },
];

const MAX_BYTES = 1024 * 1024;
/** Roots that are looked into together, with each file that there may be: there may be thousands. */
const ROOTS_AT_ONCE = 8;
/** Members that hold servers by their names: of most programs, of VS Code, of opencode. */
const MEMBERS = ['mcpServers', 'servers', 'mcp'];
const TOML_TABLE = /^[ \t]*\[mcp_servers\.(?:"([^"\n]+)"|'([^'\n]+)'|([\w-]+))[\].]/gm;

/**
 * Looks for servers in the roots of a session and in the agent's own settings. A file that only names servers is masked where something
 * confines the agent, unless git tracks it: shown empty it would stand in the next commit as emptied. What is not masked is told.
 * @param settings absolute paths, of the agent's user
 */
export async function ownServers(
  roots: readonly { readonly path: string }[],
  settings: readonly string[],
  confined: boolean,
): Promise<OwnServers> {
  const lookAt = async (files: readonly OwnFile[]): Promise<readonly Found[]> => {
    const looked = await Promise.all(files.map((file) => look(file, confined)));
    return looked.filter(({ names }) => names.length > 0);
  };
  const inRoots = await fewAtATime(roots, ROOTS_AT_ONCE, (root) =>
    lookAt(PROJECT_FILES.map(({ path, onlyServers }) => ({ path: join(root.path, path), onlyServers }))),
  );
  const found = [...inRoots.flat(), ...(await lookAt(settings.map((path) => ({ path, onlyServers: false }))))];
  return {
    masked: found.flatMap(({ path, masked }) => (masked ? [path] : [])),
    servers: found.flatMap(({ path, names, masked }) => (masked ? [] : names.map((name) => reportOf(name, path)))),
  };
}

interface Found {
  readonly path: string;
  readonly names: readonly string[];
  readonly masked: boolean;
}

async function look({ path, onlyServers }: OwnFile, confined: boolean): Promise<Found> {
  const names = await serverNames(path);
  const masked = names.length > 0 && confined && onlyServers && (await isOwnPlace(path)) && !(await isTracked(path));
  return { path, names, masked };
}

function reportOf(name: string, from: string): McpServerReport {
  return { name, origin: 'agent', governed: false, state: 'unknown', from };
}

/** A symlink cannot be covered. */
async function isOwnPlace(path: string): Promise<boolean> {
  return (await realpath(path).catch(() => undefined)) === path;
}

/** The servers that a file names; the file itself where it cannot be understood, none where there is no such file. */
async function serverNames(path: string): Promise<readonly string[]> {
  const text = await readSmall(path);
  if (text === undefined || text.trim() === '') return [];
  if (path.endsWith('.toml')) {
    return [...new Set([...text.matchAll(TOML_TABLE)].map(([, one, two, three]) => one ?? two ?? three ?? ''))];
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(withoutComments(text));
  } catch {
    return MEMBERS.some((member) => text.includes(`"${member}"`)) ? [basename(path)] : [];
  }
  const tables = isObject(parsed) ? MEMBERS.map((member) => (parsed as Record<string, unknown>)[member]) : [];
  return tables.flatMap((table) => (isObject(table) ? Object.keys(table) : []));
}

/** Undefined where there is no regular file of reasonable size. */
async function readSmall(path: string): Promise<string | undefined> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const found = await handle.stat();
    return found.isFile() && found.size <= MAX_BYTES ? await handle.readFile('utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** JSON with comments and commas at the end, as editors write it. What stands in strings stays. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_all, string: string | undefined) => string ?? ' ')
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_all, string: string | undefined) => string ?? '');
}
