import { isObject } from '@reeve/protocol';
import { MAX_PATH_BYTES, type PathFault, refused } from './absolute-path.ts';
import { parseFileUri } from './file-uri.ts';

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
}

export type CallPaths =
  | { readonly kind: 'paths'; readonly paths: readonly CallPath[] }
  /** Two programs could take it for two paths, or nobody for one. `next` never repeats what came. */
  | { readonly kind: 'malformed'; readonly at: string; readonly reason: PathFault; readonly next: string }
  | { readonly kind: 'too_many'; readonly limit: number };

/** Readings of paths in one call. A call with more is not looked at to its end. */
export const MAX_CALL_PATHS = 4096;

/**
 * The paths that a call names (MCP: tools/call, resources/read, prompts/get, …). No prose is searched: a path counts where it is the
 * whole text of an argument or of an item of a list, or the value of an option (`--file=/a`). Only `file:` URIs count inside of a
 * sentence too. What is written into files (`content`, `newText`, …) names no path.
 */
export function callPaths(method: string, params: unknown): CallPaths {
  const found: CallPath[] = [];
  for (const place of placesOf(method, params)) {
    const fault = readPlace(place, found);
    if (fault !== undefined) return { kind: 'malformed', at: place.at, reason: fault, next: refused(fault).next };
    if (found.length > MAX_CALL_PATHS) return { kind: 'too_many', limit: MAX_CALL_PATHS };
  }
  return { kind: 'paths', paths: found };
}

interface Place {
  readonly text: string;
  /** Name of the nearest argument around it. */
  readonly name: string;
  readonly at: string;
}

/** Servers of files, of git, of editors and of documents name arguments for paths so, alone or as the last word: `repo_path`, `outputDir`. */
const PATH_WORDS = new Set([
  ...['path', 'paths', 'filepath', 'filepaths', 'file', 'files', 'filename', 'filenames'],
  ...['dir', 'dirs', 'directory', 'directories', 'folder', 'folders', 'cwd', 'workdir'],
]);
/** Those that also mean something else, such as program text or the name of a service. */
const DOUBTFUL_WORDS = new Set(['source', 'destination', 'src', 'dest', 'repo', 'repository', 'root', 'workspace']);
/** Text that is written into a file, or sought there: it may begin with a slash. */
const TEXT_NAME = /^(?:contents?|file_?text|text|(?:old|new)_?(?:text|str|string)|insert_?text)$/i;
const LINE = /[\n\r\u2028\u2029]/;
/** A longer text becomes a path only by losing dots and slashes. */
const MAX_TEXT = 3 * (MAX_PATH_BYTES + 1);
/** Nobody decodes more often. */
const MAX_DECODINGS = 8;

function* placesOf(method: string, params: unknown): Generator<Place> {
  if (!isObject(params)) return;
  switch (method) {
    case 'resources/read':
    case 'resources/subscribe':
      return yield* placesIn(params.uri, 'uri');
    case 'completion/complete': {
      const { argument, context } = params;
      if (isObject(argument)) yield* placesIn(argument.value, String(argument.name ?? ''));
      if (isObject(context)) yield* placesIn(context.arguments, '');
      return;
    }
    default:
      yield* placesIn(params.arguments, '');
  }
}

/** Every text of a JSON value, names of members too. Not by recursion: JSON may be nested deeper than the stack is. */
function* placesIn(value: unknown, name: string): Generator<Place> {
  const open: { readonly value: unknown; readonly name: string; readonly at: string }[] = [{ value, name, at: name }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name, at } = next;
    if (typeof value === 'string') yield { text: value, name, at };
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) open.push({ value: item, name, at: shortened(`${at}[${index}]`) });
    } else if (isObject(value)) {
      for (const [member, item] of Object.entries(value)) {
        const below = shortened(at === '' ? member : `${at}.${member}`);
        yield { text: member, name: '', at: below };
        open.push({ value: item, name: member, at: below });
      }
    }
  }
}

/** Adds the readings of one text; the fault where it must not be read at all. */
function readPlace({ text, name, at }: Place, found: CallPath[]): PathFault | undefined {
  const addAs =
    (form: CallPath['form']) =>
    (path: string, evidence: PathEvidence): void =>
      void found.push({ path, evidence, form, at });
  const [add, addUri] = [addAs('text'), addAs('uri')];
  const whole = shorter(text.trim());
  if (whole === '' || TEXT_NAME.test(name)) return undefined;

  if (/^file:[/\\]/i.test(whole) && !/\s/.test(whole)) return readUri(whole, addUri);
  for (const [uri] of text.matchAll(/\bfile:\/[^\s"'`<>()[\]{}|]+/gi))
    readLoosely(uri.replace(/[.,;:!?]+$/, ''), addUri);

  if (whole.length > MAX_TEXT) return isClimbing(whole) && !/\s/.test(whole) ? 'too_long' : undefined;
  const last = lastWord(name);
  if (PATH_WORDS.has(last) || DOUBTFUL_WORDS.has(last)) {
    if (LINE.test(whole)) return undefined;
    if (text.includes('\0')) return 'control_character';
    const evidence = PATH_WORDS.has(last) ? 'named' : 'shape';
    for (const path of text.length > MAX_TEXT ? [whole] : readings(text)) add(path, evidence);
    return undefined;
  }
  const option = /^--?[A-Za-z][\w-]*=(.+)$/s.exec(whole)?.[1];
  return readShape(option ?? whole, add);
}

function readShape(text: string, add: (path: string, evidence: PathEvidence) => void): PathFault | undefined {
  if (LINE.test(text) || /^\/+$/.test(text)) return undefined;
  const paths = [...readings(text)].filter(isPathShaped);
  if (paths.length > 0 && text.includes('\0')) return 'control_character';
  for (const path of paths) add(path, /\s/.test(text) ? 'spaced' : 'shape');
  return undefined;
}

/** Absolute, of somebody's home, or up and out. A sentence with an ellipsis or a range of versions has no segment `..`. */
function isPathShaped(text: string): boolean {
  if (/^(?:\/|~(?:\/|$))/.test(text)) return true;
  return isClimbing(text) && (text.startsWith('.') || !/\s/.test(text));
}

function isClimbing(text: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(text);
}

/** A text too long for a path, as a program has it that takes empty segments and single dots away before it looks. */
function shorter(text: string): string {
  return text.length <= MAX_TEXT ? text : text.replaceAll(/\/(?:\.?\/)+/g, '/');
}

/** As it came, without white space around it, and as a program reads it that decodes percent signs. */
function readings(text: string): ReadonlySet<string> {
  const all = new Set([text]);
  const trimmed = text.trim();
  if (trimmed !== '') all.add(trimmed);
  let from = trimmed;
  for (let round = 0; round < MAX_DECODINGS && /%(?:2[ef]|25|5c)/i.test(from); round++) {
    from = from.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (from.includes('\0')) break;
    all.add(from);
  }
  for (const path of [...all]) if (/(?:^|\\)\.\.(?:\\|$)/.test(path)) all.add(path.replaceAll('\\', '/'));
  return all;
}

/** A text that is a URI and nothing else is read as strictly as the URI of a root. */
function readUri(uri: string, add: (path: string, evidence: PathEvidence) => void): PathFault | undefined {
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
function readLoosely(uri: string, add: (path: string, evidence: PathEvidence) => void): void {
  const path = /^file:(?:\/\/[^/\\?#]*)?([/\\].*)$/i.exec(uri)?.[1];
  if (path === undefined || /^\/+$/.test(path)) return;
  for (const reading of new Set([path, path.replace(/[?#].*$/, '')]))
    for (const each of readings(reading)) if (!each.includes('\0')) add(each, 'shape');
}

function lastWord(name: string): string {
  const words = name.slice(-40).split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/);
  return words.at(-1)?.toLowerCase() ?? '';
}

function shortened(at: string): string {
  const plain = at.replaceAll(/\p{C}/gu, '');
  return plain.length <= 80 ? plain : `${plain.slice(0, 79)}…`;
}
