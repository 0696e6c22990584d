import { META_KEY } from './extension.ts';
import { isObject } from './json-rpc.ts';
import { type Report, shown, typeShown } from './setup-issue.ts';

/** What a process may do with a root: read and write it, or what lies below; or read only. */
export type BoundaryAccess = 'rw' | 'ro';

/** A file that is a root contains itself and nothing else. */
export type RootKind = 'directory' | 'file';

/** One directory of a boundary, or one regular file. */
export interface BoundaryRoot {
  /** Absolute; in what Reeve answers canonical too, with symlinks followed. */
  readonly path: string;
  readonly access: BoundaryAccess;
  /**
   * `directory` unless told. What Reeve answers has it where the root is a file. In a request it may be left out; a root that is said to
   * be one of them is refused where the other is there.
   */
  readonly kind?: RootKind;
  /** 1 to 200 characters, for people. */
  readonly name?: string;
}

/** What may be reached over the network: nothing, everything that the server reaches, or the hosts named (`host[:port]`). */
export type BoundaryNetwork = 'none' | 'full' | { readonly allow: readonly string[] };

/** Whether the operating system must hold a boundary, or it is enough to declare it. */
export type BoundaryRequire = 'enforced' | 'declared';

/** `_meta["sandboxagent.dev"].boundary` of `session/new`. */
export interface BoundaryWish {
  /** Without it: `cwd` and `additionalDirectories`, each read-write. */
  readonly roots?: readonly BoundaryRoot[];
  readonly network?: BoundaryNetwork;
  readonly require?: BoundaryRequire;
}

/** The boundary of a session, as it is kept. */
export interface SessionBoundary {
  readonly roots: readonly BoundaryRoot[];
  /** What the client asked for; without it the agent's own rule counts. */
  readonly network?: BoundaryNetwork;
  readonly require?: BoundaryRequire;
  /** From 1; grows with every change. */
  readonly revision: number;
}

const PATH = `_meta["${META_KEY}"].boundary`;
const MAX_NAME = 200;
const MAX_HOSTS = 256;

/** Where a member of the boundary stands in the params, for an issue. */
export function boundaryPath(member: string): string {
  return `${PATH}.${member}`;
}

/**
 * Checks the shape of a boundary that a client asks for, and reports what is wrong; `undefined` where there is none.
 * Whether its roots exist, and what is allowed, is for the server to see.
 */
export function readBoundary(value: unknown, report: Report): BoundaryWish | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) {
    const fix = 'send {"roots": [...]} or leave it out';
    report({ path: PATH, expected: 'object', received: typeShown(value), fix });
    return undefined;
  }
  const { roots, network, require, ...others } = value;
  for (const [name, other] of Object.entries(others)) {
    const fix = 'leave it out: a boundary has roots, network and require';
    report({ path: boundaryPath(name.slice(0, 60)), expected: 'nothing', received: typeShown(other), fix });
  }
  return {
    ...(roots === undefined ? {} : { roots: readRoots(roots, report) }),
    ...(network === undefined ? {} : { network: readNetwork(network, report) }),
    ...(require === undefined ? {} : { require: readRequire(require, report) }),
  };
}

function readRoots(value: unknown, report: Report): readonly BoundaryRoot[] {
  if (!Array.isArray(value) || value.length === 0) {
    const fix = 'send at least one {"path", "access"}, or leave it out for cwd and additionalDirectories';
    report({ path: boundaryPath('roots'), expected: 'list of roots', received: typeShown(value), fix });
    return [];
  }
  return value.map((root: unknown, index) => readRoot(root, boundaryPath(`roots[${index}]`), report));
}

function readRoot(value: unknown, at: string, report: Report): BoundaryRoot {
  const { path, access, kind, name } = isObject(value) ? value : {};
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('\0')) {
    const fix = 'send the whole path, from /, without NUL';
    report({ path: `${at}.path`, expected: 'absolute path', received: path === '' ? 'empty' : shown(path), fix });
  }
  if (access !== 'rw' && access !== 'ro') {
    const fix = 'send "rw" for reading and writing, "ro" for reading';
    report({ path: `${at}.access`, expected: '"rw" or "ro"', received: shown(access), fix });
  }
  if (kind !== undefined && !isRootKind(kind)) {
    const fix = 'send what it must be, or leave it out for either';
    report({ path: `${at}.kind`, expected: '"directory" or "file"', received: shown(kind), fix });
  }
  if (name !== undefined && !isName(name)) {
    const fix = `send 1 to ${MAX_NAME} characters without control characters, or leave it out`;
    report({ path: `${at}.name`, expected: 'name', received: typeShown(name), fix });
  }
  return {
    path: typeof path === 'string' ? path : '',
    access: access === 'rw' ? 'rw' : 'ro',
    ...(isRootKind(kind) ? { kind } : {}),
    ...(isName(name) ? { name } : {}),
  };
}

function isRootKind(value: unknown): value is RootKind {
  return value === 'directory' || value === 'file';
}

function readNetwork(value: unknown, report: Report): BoundaryNetwork {
  if (value === 'none' || value === 'full') return value;
  const allow = isObject(value) && Object.keys(value).length === 1 ? value.allow : undefined;
  if (Array.isArray(allow) && allow.length <= MAX_HOSTS && allow.every((host) => typeof host === 'string')) {
    return { allow };
  }
  const fix = `send {"allow": ["api.example.org", "127.0.0.1:8080"]} with at most ${MAX_HOSTS} hosts`;
  const expected = '"none", "full" or {"allow": [...]}';
  report({ path: boundaryPath('network'), expected, received: shown(value), fix });
  return 'none';
}

function readRequire(value: unknown, report: Report): BoundaryRequire {
  if (value === 'enforced' || value === 'declared') return value;
  const fix = 'leave it out for what the server is configured for';
  const expected = '"enforced" or "declared"';
  report({ path: boundaryPath('require'), expected, received: shown(value), fix });
  return 'enforced';
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME && !/\p{Cc}/u.test(value);
}
