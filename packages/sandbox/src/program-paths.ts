import { accessSync, closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';

export interface ProgramSite {
  /** Where the process finds programs. */
  readonly path: string | undefined;
  readonly cwd: string;
  /** What is never shown whole, nor what it lies in: HOME, Reeve's own data. */
  readonly closed: readonly string[];
}

const SCRIPT = /\.[cm]?[jt]s$/;
const INTERPRETER = /^(?:node|bun|deno|python[\d.]*|ruby|perl|php|bash|sh)$/;

/**
 * What must be seen, read-only, so that a command runs: its file, the package it is of with the tree of packages around that, what
 * interprets it, and the files that its arguments name by absolute paths.
 */
export function programPaths(command: string, args: readonly string[], site: ProgramSite): readonly string[] {
  const shown = new Set<string>();
  const program = locate(command, site);
  if (program !== undefined) addProgram(shown, program, site);
  for (const argument of args) {
    if (!isAbsolute(argument) || !isFile(argument)) continue;
    if (SCRIPT.test(argument)) addProgram(shown, argument, site);
    else shown.add(argument);
  }
  return [...shown];
}

/** Like `programPaths`, but of the arguments only the script that an interpreter is to run: the others name what is worked on. */
export function ownProgramPaths(command: string, args: readonly string[], site: ProgramSite): readonly string[] {
  const script = INTERPRETER.test(basename(command)) ? args.find((argument) => !argument.startsWith('-')) : undefined;
  const shown = new Set(programPaths(command, [], site));
  const file = script === undefined ? undefined : resolve(site.cwd, script);
  if (file !== undefined && isFile(file)) addProgram(shown, file, site);
  return [...shown];
}

/**
 * The command line as it works inside: a script is named by its real path, since it finds its package from there, and the link that leads
 * to it does not exist inside.
 */
export function insideCommand(
  command: string,
  args: readonly string[],
  site: ProgramSite,
): { readonly command: string; readonly args: readonly string[] } {
  const found = locate(command, site);
  return {
    command: found !== undefined && isScript(found) ? resolvedPath(found) : command,
    args: args.map((argument) =>
      isAbsolute(argument) && isFile(argument) && isScript(argument) ? resolvedPath(argument) : argument,
    ),
  };
}

function isScript(file: string): boolean {
  return SCRIPT.test(file) || firstLine(file) !== undefined;
}

function addProgram(shown: Set<string>, file: string, site: ProgramSite): void {
  const real = resolvedPath(file);
  const isNode = basename(real) === 'node';
  const around = [packageOf(real, site), treeOf(real), ...(isNode ? besideNode(real) : []), virtualEnvironment(file)];
  for (const path of [file, real]) shown.add(path);
  for (const path of around) if (path !== undefined && isOpen(path, site)) shown.add(path);
  const interpreter = isNode ? undefined : interpreterOf(real, site);
  if (interpreter !== undefined && !shown.has(interpreter)) addProgram(shown, interpreter, site);
}

/** Of a Node that was unpacked or installed somewhere: npm, and what is installed beside it. */
function besideNode(node: string): readonly string[] {
  const prefix = dirname(dirname(node));
  if (!existsSync(join(prefix, 'include', 'node'))) return [];
  return [join(prefix, 'bin'), join(prefix, 'lib', 'node_modules')].filter((path) => existsSync(path));
}

/** Where Python has the packages of a program in `bin` of a virtual environment. */
function virtualEnvironment(file: string): string | undefined {
  const place = dirname(dirname(file));
  return existsSync(join(place, 'pyvenv.cfg')) ? place : undefined;
}

function locate(command: string, { path, cwd }: ProgramSite): string | undefined {
  const places = command.includes('/')
    ? [resolve(cwd, command)]
    : (path ?? '').split(delimiter).map((place) => resolve(cwd, place, command));
  return places.find((place) => isFile(place) && isExecutable(place));
}

/** The directory of the nearest package.json. */
function packageOf(file: string, site: ProgramSite): string | undefined {
  for (let at = dirname(file); isOpen(at, site) && basename(at) !== 'node_modules'; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
  }
  return undefined;
}

/** The outermost `node_modules` that a file lies in: packages find each other there. */
function treeOf(file: string): string | undefined {
  const parts = file.split(sep);
  const at = parts.indexOf('node_modules');
  return at === -1 ? undefined : parts.slice(0, at + 1).join(sep);
}

/** execve(2): what the first line of a script names, `env` looked through. */
function interpreterOf(file: string, site: ProgramSite): string | undefined {
  const [program, ...words] = firstLine(file)?.trim().split(/\s+/) ?? [];
  if (program === undefined || program === '') return undefined;
  if (basename(program) !== 'env') return isFile(program) ? program : undefined;
  const name = words.find((word) => !word.startsWith('-') && !word.includes('='));
  return name === undefined ? undefined : locate(name, site);
}

/** What stands behind `#!`. */
function firstLine(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const start = Buffer.alloc(256);
    const text = start.toString('utf8', 0, readSync(descriptor, start));
    return text.startsWith('#!') ? text.slice(2).split('\n')[0] : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function isOpen(directory: string, { closed }: ProgramSite): boolean {
  return directory !== '/' && !closed.some((place) => place === directory || place.startsWith(`${directory}/`));
}

function resolvedPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
