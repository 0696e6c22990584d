import type { ApprovedPlace } from './approved-place.ts';

/** What one process may do with a root: read and write it, or what lies below; or read only. */
export type RootAccess = 'rw' | 'ro';

/** One directory of a boundary, or one regular file, seen inside at the same path as outside. */
export interface SandboxRoot {
  /** Absolute and canonical: no symlink, `.` or `..` in it. Checked again when the process starts. */
  readonly path: string;
  readonly access: RootAccess;
  /** `directory` unless given. Nothing is started where the other is there. */
  readonly kind?: 'directory' | 'file';
  /** Nothing is started where something else is there; whatever is there counts unless given. */
  readonly approved?: ApprovedPlace;
}

/**
 * What a process may reach.
 * - `none`: a network of its own with nothing but its loopback.
 * - `full`: the network of the server, loopback and abstract unix sockets included.
 * - `allow`: the hosts named, through a proxy that logs each decision. `host` means its ports 80 and 443, `host:port`
 *   that port; `127.0.0.1:PORT` and `localhost:PORT` name a service on the loopback of this machine.
 */
export type NetworkRule = 'none' | 'full' | { readonly allow: readonly string[] };

/** Upper bounds for one process tree; one that is not given is not set. Integers above 0. */
export interface SandboxLimits {
  /** Bytes of memory: of the tree where a cgroup holds it, else of each process. */
  readonly memoryBytes?: number;
  /** Number of processes and threads. */
  readonly processes?: number;
  /** Bytes of the largest file that may be written. */
  readonly fileBytes?: number;
  /** Open descriptors of each process. */
  readonly openFiles?: number;
  /** Milliseconds from start to stop. */
  readonly wallMs?: number;
  /** Bytes that /tmp may hold. */
  readonly tmpBytes?: number;
  /** Bytes that HOME may hold, where it is not a directory of the host. */
  readonly homeBytes?: number;
}

/** HOME of a process. */
export interface SandboxHome {
  /** Absolute, as seen inside; becomes HOME in its environment. */
  readonly path: string;
  /** A directory of the host shown there read-write, which keeps logins; without it HOME is empty and forgotten. */
  readonly directory?: string;
}

/** A directory of the host, shown read-write at `path`: what a program keeps between runs. */
export interface SandboxState {
  readonly path: string;
  readonly directory: string;
}

/** A file that exists only inside, read-only, mode 0444. */
export interface SandboxFile {
  readonly path: string;
  readonly text: string;
}

/** A unix socket of the host, shown at `path`. */
export interface SandboxSocket {
  readonly path: string;
  readonly socket: string;
}

/**
 * The boundary of one process, for every backend. What is not named here, other than the programs and libraries of the
 * operating system, does not exist inside. All paths are absolute.
 */
export interface Profile {
  /** What the boundary grants. A root inside another one has its own access. */
  readonly roots: readonly SandboxRoot[];
  /**
   * Read-only inside each read-write root, relative to it: DEFAULT_PROTECTED_PATHS unless given. What begins with `.git/` is
   * so in every git directory that is found below the root at the start. Those that do not exist then are not held; what
   * appeared there is told after the end (HeldProcess.protectedPathsMade).
   */
  readonly protectedPaths?: readonly string[];
  /** Paths below roots that are shown empty. */
  readonly masked?: readonly string[];
  /** Shown read-only because the program needs it to run: its executable, its package directory. */
  readonly readOnly: readonly string[];
  readonly home: SandboxHome;
  readonly state: readonly SandboxState[];
  readonly files: readonly SandboxFile[];
  readonly sockets: readonly SandboxSocket[];
  readonly network: NetworkRule;
  readonly limits: SandboxLimits;
  /** Lets the program set up a sandbox of its own (user namespaces, mounts). Weaker: a gap says what it costs. */
  readonly nestedSandbox?: boolean;
}

/**
 * What tools run or believe without asking whoever opens the project next: hooks, configuration of git, of editors and
 * of agents. A `.git/commondir` would make git take both from elsewhere; `config.worktree` is read where the configuration says so.
 */
export const DEFAULT_PROTECTED_PATHS: readonly string[] = Object.freeze([
  '.git/hooks',
  '.git/config',
  '.git/commondir',
  '.git/config.worktree',
  '.mcp.json',
  '.vscode',
  '.claude',
  '.cursor',
  '.codex',
  '.reeve',
]);
