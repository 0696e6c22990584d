import { type PathFault, refused } from './absolute-path.ts';
import { type Place, visitPlaces, whereText } from './call-places.ts';
import { parseFileUri } from './file-uri.ts';
import { MAX_PATH_TEXT, pathSpellings, shorterPath } from './path-spellings.ts';

/**
 * How sure it is that a text is meant as a path.
 * - `named`: its argument is one for paths by its name, or it is a `file:` URI.
 * - `shape`: the whole text has the form of a path. It counts where the directory that it begins with exists.
 * - `spaced`: like `shape`, with white space: it may be a sentence. It counts where the file exists.
 */
export type PathEvidence = 'named' | 'shape' | 'spaced';

/** One way to read a path in a call. A text that can be read in several ways is there once for each. */
export interface CallPath {
  /** As it is to be looked up: absolute, or relative to where the server works; `~` is not replaced. */
  readonly path: string;
  readonly evidence: PathEvidence;
  /** `uri`: it came as a `file:` URI, which means this machine. */
  readonly form: 'uri' | 'text';
  /** The argument that it stands in, for people: `edits[0].path`. Names that came are cut, control characters left out. */
  readonly at: string;
  /** The member of `_meta` that it stands in, where the call can do without that. */
  readonly meta?: string;
}

export type CallPaths =
  /** `unreadable`: members of `_meta` with a path that must not be read; none of `paths` is of them. */
  | { readonly kind: 'paths'; readonly paths: readonly CallPath[]; readonly unreadable: readonly string[] }
  /** Two programs could take it for two paths, or nobody for one. `next` never repeats what came. */
  | { readonly kind: 'malformed'; readonly at: string; readonly reason: PathFault; readonly next: string }
  | { readonly kind: 'too_many'; readonly limit: number; readonly of: 'paths' | 'segments' | 'values' };

/** Readings of paths in one call. A call with more is not looked at to its end. */
export const MAX_CALL_PATHS = 4096;
/** Names in all readings of paths in one call: each of them may have to be looked up. */
export const MAX_CALL_SEGMENTS = 16_384;
/**
 * Values in one call that are looked at: texts, lists, objects and their members. While a call with more was looked at, nothing else
 * would go on.
 */
export const MAX_CALL_VALUES = 20_000;

/**
 * The paths that a message names (MCP: tools/call, resources/read, methods that nobody knows, …), in whatever member of its parameters.
 * No prose is searched: a path counts where it is the whole text of an argument or of an item of a list, or the value of an option
 * (`--file=/a`). Only `file:` URIs count inside of a sentence too. What is written into files (`content`, `newText`, …) names no path.
 */
export function callPaths(method: string, params: unknown): CallPaths {
  const asked: CallPath[] = [];
  const optional = new Map<string, CallPath[]>();
  const unreadable = new Set<string>();
  const known: { verdict?: CallPaths } = {};
  let [readings, segments] = [0, 0];
  const budget = { left: MAX_CALL_VALUES };
  visitPlaces(method, params, budget, (place) => {
    const { meta } = place;
    const found = meta === undefined ? asked : (optional.get(meta) ?? []);
    const before = found.length;
    const fault = readPlace(place, found);
    if (meta !== undefined) optional.set(meta, found);
    if (fault !== undefined && meta !== undefined) unreadable.add(meta);
    else if (fault !== undefined)
      known.verdict = { kind: 'malformed', at: whereText(place.at), reason: fault, next: refused(fault).next };
    readings += found.length - before;
    for (let at = before; at < found.length; at += 1) segments += found[at]?.path.split('/').length ?? 0;
    if (readings > MAX_CALL_PATHS) known.verdict ??= { kind: 'too_many', limit: MAX_CALL_PATHS, of: 'paths' };
    if (segments > MAX_CALL_SEGMENTS) known.verdict ??= { kind: 'too_many', limit: MAX_CALL_SEGMENTS, of: 'segments' };
    return known.verdict === undefined;
  });
  if (known.verdict !== undefined) return known.verdict;
  if (budget.left < 0) return { kind: 'too_many', limit: MAX_CALL_VALUES, of: 'values' };
  for (const meta of unreadable) optional.delete(meta);
  return { kind: 'paths', paths: asked.concat(...optional.values()), unreadable: [...unreadable] };
}

/** Servers of files, of git, of editors and of documents name arguments for paths so, alone or as the last word: `repo_path`, `outputDir`. */
const PATH_WORDS = new Set([
  ...['path', 'paths', 'filepath', 'filepaths', 'file', 'files', 'filename', 'filenames'],
  ...['dir', 'dirs', 'directory', 'directories', 'folder', 'folders', 'cwd', 'workdir'],
]);
/** Those that also mean something else, such as program text or the name of a service. */
const DOUBTFUL_WORDS = new Set(['source', 'destination', 'src', 'dest', 'repo', 'repository', 'root', 'workspace']);
const URI_WORDS = new Set(['uri', 'uris', 'url', 'urls', 'href']);
const LINES = /[\n\r\u2028\u2029]+/;

type Add = (path: string, evidence: PathEvidence) => void;

/** Adds the readings of one text; the fault where it must not be read at all. */
function readPlace({ text, name, at, meta, quoted }: Place, found: CallPath[]): PathFault | undefined {
  const isFor = name === '' ? undefined : evidenceOf(name);
  if (isFor === undefined && !hasPathSign(text)) return undefined;
  const whole = shorterPath(text.trim());
  if (whole === '') return undefined;
  const addAs =
    (form: CallPath['form']): Add =>
    (path, evidence) => {
      const sure = quoted && evidence === 'named' ? 'shape' : evidence;
      found.push({ path, evidence: sure, form, at: whereText(at), ...(meta === undefined ? {} : { meta }) });
    };
  const [add, addUri] = [addAs('text'), addAs('uri')];

  const uri = wholeUri(text);
  if (uri !== undefined && /^file:[/\\]/i.test(uri)) return readUri(uri, addUri);
  // The scheme alone is `/` as the URL standard has it; in other arguments it is a word, such as what a search looks for.
  if (uri?.length === 5 && (isFor !== undefined || URI_WORDS.has(lastWord(name)))) return readUri(uri, addUri);
  if (uri !== undefined) readLoosely(uri.replace(/^file:/i, 'file:/'), addUri);
  for (const [within] of text.matchAll(/\bfile:[/\\][^\s"'`<>()[\]{}|]+/gi)) {
    if (found.length > MAX_CALL_PATHS) return undefined;
    readLoosely(within.replace(/[.,;:!?]{1,9}$/, ''), addUri);
  }

  if (whole.length > MAX_PATH_TEXT) return isClimbing(whole) && !/\s/.test(whole) ? 'too_long' : undefined;
  if (isFor !== undefined) {
    if (text.includes('\0')) return 'control_character';
    if (LINES.test(whole)) return readLines(whole, add);
    for (const path of text.length > MAX_PATH_TEXT ? [whole] : pathSpellings(text, true)) addPath(path, isFor, add);
    return readList(whole, add);
  }
  // `--file=/a`, `-C/a`, and `@/a` of programs that read what they send from a file.
  const option = /^(?:--?[A-Za-z][\w-]*=|-[A-Za-z](?=[/~])|@(?=[/~.]))(.+)$/s.exec(whole)?.[1];
  return readShape(option ?? whole, add);
}

/** One path of several lines, which may be, or one on each. */
function readLines(text: string, add: Add): PathFault | undefined {
  for (const path of pathSpellings(text, true)) if (isPathShaped(path)) add(path, 'spaced');
  for (const line of text.split(LINES)) {
    const fault = readShape(line.trim(), add);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function readShape(text: string, add: Add): PathFault | undefined {
  if (LINES.test(text) || /^\/+$/.test(text)) return undefined;
  const paths = [...pathSpellings(text, false)].filter(isPathShaped);
  if (paths.length > 0 && text.includes('\0')) return 'control_character';
  for (const path of paths) addPath(path, /\s/.test(text) ? 'spaced' : 'shape', add);
  return readList(text, add);
}

/** Several paths in one text, as programs split it: `/a,/b`, `/a:/b:ro`; by spaces where that leaves nothing but paths. */
function readList(text: string, add: Add): PathFault | undefined {
  if (!/^[/~.]/.test(text)) return undefined;
  const words = text.split(/\s+/);
  const parts = words.length > 1 && words.every(isPathShaped) ? words : text.split(/[,;:|]\s*/);
  if (parts.length < 2) return undefined;
  for (const part of parts) {
    if (!isPathShaped(part) || /^\/*$/.test(part)) continue;
    if (part.includes('\0')) return 'control_character';
    add(part, 'shape');
  }
  return undefined;
}

/** With the home of somebody else as what it is by convention: programs ask the system, and take the text as it is where there is none. */
function addPath(path: string, evidence: PathEvidence, add: Add): void {
  add(path, evidence);
  const [, user, rest = ''] = /^~([a-z_][\w.-]*)(\/.*)?$/s.exec(path) ?? [];
  if (user !== undefined) add(user === 'root' ? `/root${rest}` : `/home/${user}${rest}`, 'spaced');
}

/** Absolute, of somebody's home, or up and out. A sentence with an ellipsis or a range of versions has no segment `..`. */
function isPathShaped(text: string): boolean {
  if (/^(?:\/|~(?:\/|$)|~[a-z_][\w.-]*\/)/.test(text)) return true;
  return isClimbing(text) && (text.startsWith('.') || !/\s/.test(text));
}

function isClimbing(text: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(text);
}

/** A text that is a `file:` URI and nothing else, as the URL standard has it: without control characters around it and line ends within. */
function wholeUri(text: string): string | undefined {
  let [from, to] = [0, text.length];
  while (from < to && text.charCodeAt(from) <= 0x20) from += 1;
  while (from < to && text.charCodeAt(to - 1) <= 0x20) to -= 1;
  if (!/^f[\t\n\r]*i/i.test(text.slice(from, from + 100))) return undefined;
  const bare = text.slice(from, to).replaceAll(/[\t\n\r]+/g, '');
  return /^file:\S*$/i.test(bare) ? bare : undefined;
}

/** A text that is a URI and nothing else is read as strictly as the URI of a root. */
function readUri(uri: string, add: Add): PathFault | undefined {
  const parsed = parseFileUri(uri.replace(/^file:/i, 'file:'));
  if (parsed.kind === 'path') {
    add(parsed.path, 'named');
    return undefined;
  }
  if (parsed.reason !== 'unencoded_character' && parsed.reason !== 'malformed_encoding') return parsed.reason;
  readLoosely(uri, add);
  return undefined;
}

/** In a sentence it may be an example; as a path it is what a careless program would take from it. */
function readLoosely(uri: string, add: Add): void {
  const path = /^file:(?:\/\/[^/\\?#]*)?([/\\].*)$/i.exec(uri)?.[1];
  if (path === undefined || /^\/+$/.test(path)) return;
  for (const reading of new Set([path, path.replace(/[?#].*$/, '')]))
    for (const each of pathSpellings(reading, true)) if (!each.includes('\0')) add(each, 'shape');
}

/** What the name of an argument says of its text. */
function evidenceOf(name: string): 'named' | 'shape' | undefined {
  const last = lastWord(name);
  return PATH_WORDS.has(last) ? 'named' : DOUBTFUL_WORDS.has(last) ? 'shape' : undefined;
}

/*
 * What every text of every call goes through is written out, without regular expressions: most calls name no path, and an agent waits for
 * each.
 */

/** Whether a text may be a path by its form. Every such path has one of these: `/`, `:`, `~`, `%`, `$`, a backslash, `..`. */
function hasPathSign(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2f || code === 0x3a || code === 0x7e || code === 0x25 || code === 0x24 || code === 0x5c) return true;
    if (code === 0x2e && text.charCodeAt(at + 1) === 0x2e) return true;
  }
  return false;
}

const LONGEST_WORD = 40;

/** In small letters: `repo_path` and `repoPath` end with `path`. */
function lastWord(name: string): string {
  const first = Math.max(0, name.length - LONGEST_WORD);
  let at = name.length;
  for (; at > first; at -= 1) {
    const code = name.charCodeAt(at - 1);
    const isCapital = code >= 0x41 && code <= 0x5a;
    if (!isCapital && !isSmallOrDigit(code)) break;
    // A capital begins a word unless it stands behind another one.
    if (isCapital && at - 1 > first && isSmallOrDigit(name.charCodeAt(at - 2))) return name.slice(at - 1).toLowerCase();
  }
  return name.slice(at).toLowerCase();
}

function isSmallOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
