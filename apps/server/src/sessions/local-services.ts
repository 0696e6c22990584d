import { type JsonObject, ReeveError, type RpcError, rpcError } from '@reeve/protocol';
import type { EgressDecision, Launch, ProcessHolder, SandboxRoot } from '@reeve/sandbox';
import { AlarmStorm } from '../boundary/alarm-storm.ts';
import { canServeFiles, OpenRoots } from '../boundary/open-roots.ts';
import { isFileMethod, SessionFiles } from '../fs/session-files.ts';
import { isTerminalMethod, SessionTerminals, type TerminalLimits } from '../terminal/session-terminals.ts';
import type { TerminalFact } from '../terminal/terminal-record.ts';
import { type CommandRefusal, commandRefusal } from './command-refusal.ts';
import { type FileRefusal, fileRefusal } from './file-refusal.ts';

/**
 * When Reeve serves `fs/*` and `terminal/*` itself. `when-asked`: to an agent that asks though no attached client can; `offer`: agents
 * are told that they may ask; `always`: also instead of clients that can.
 */
export type AgentServices = 'when-asked' | 'offer' | 'always';

export interface LocalServicesOptions {
  readonly holder: ProcessHolder;
  readonly when: AgentServices;
  /** Canonical paths that are served to nobody, also where a root holds them. */
  readonly hidden: readonly string[];
  /** The environment of a command that names no variables of its own. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: TerminalLimits & { readonly maxFileBytes: number };
  readonly rpcErrorOf: (error: unknown) => RpcError;
}

export interface LocalSessionOptions {
  /** What the agent may see of the file system. */
  readonly roots: readonly SandboxRoot[];
  /** Where commands run that name no directory; the first root unless given. */
  readonly cwd?: string | undefined;
  /** What confines the commands: the sandbox that the agent has. */
  readonly confinement: Pick<Launch, 'profile' | 'require'>;
  /** Sees what the commands reach for over the network. */
  readonly onEgress?: ((decision: EgressDecision) => void) | undefined;
  /** Sees what the commands write and how they end, until this is disposed of. */
  readonly onTerminal?: ((fact: TerminalFact) => void) | undefined;
  /** Sees files that were refused: of a storm the first, and then one now and then with the number that it stands for. */
  readonly onFileRefused?: ((refusal: FileRefusal, count: number) => void) | undefined;
  /** The same of commands. */
  readonly onCommandRefused?: ((refusal: CommandRefusal, count: number) => void) | undefined;
}

export type LocalAnswer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcError };

/** What Reeve does for the agent process of one session. Disposing ends its commands, and lets go of its directories soon after. */
export interface LocalSession extends AsyncDisposable {
  /** Serves also what an attached client could. */
  readonly first: boolean;
  serves(method: string): boolean;
  /** Never rejects. When `signal` aborts, the answer is `request_cancelled`, unless the work was done by then. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<LocalAnswer>;
}

export interface LocalServices {
  /** Holds the session's directories from now on. */
  open(session: LocalSessionOptions): LocalSession;
}

/** Undefined where this system cannot say where an open file lies (no /proc): nothing is served then. */
export function createLocalServices(options: LocalServicesOptions): LocalServices | undefined {
  return canServeFiles ? { open: (session) => openSession(options, session) } : undefined;
}

function openSession(options: LocalServicesOptions, session: LocalSessionOptions): LocalSession {
  const { roots, confinement, cwd = roots[0]?.path ?? '/' } = session;
  const { onEgress = () => {}, onTerminal: onFact = () => {} } = session;
  const { onFileRefused = () => {}, onCommandRefused = () => {} } = session;
  const { holder, when, hidden, env, limits, rpcErrorOf } = options;
  const opened = OpenRoots.open(roots, hidden);
  const files = new SessionFiles(opened, limits.maxFileBytes);
  const terminals = new SessionTerminals({ holder, roots: opened, cwd, env, confinement, onEgress, onFact, limits });
  const refusedFiles = new AlarmStorm<FileRefusal>({ emit: onFileRefused });
  const refusedCommands = new AlarmStorm<CommandRefusal>({ emit: onCommandRefused });
  let closed: Promise<void> | undefined;

  const serve = (method: string, params: unknown, signal: AbortSignal): Promise<JsonObject> => {
    if (closed) throw new ReeveError('session_closed');
    if (isFileMethod(method)) return files.answer(method, params, signal);
    if (isTerminalMethod(method)) return terminals.answer(method, params, signal);
    throw new ReeveError('method_not_found', { data: { method } });
  };
  return {
    first: when === 'always',
    serves: (method) => isFileMethod(method) || isTerminalMethod(method),
    async answer(method, params, signal) {
      try {
        return { kind: 'result', result: await serve(method, params, signal) };
      } catch (error) {
        const file = isFileMethod(method) ? fileRefusal(method, params, error) : undefined;
        if (file) refusedFiles.raise(file);
        const command = method === 'terminal/create' ? commandRefusal(params, error, cwd) : undefined;
        if (command) refusedCommands.raise(command);
        return { kind: 'error', error: signal.aborted ? rpcError('request_cancelled') : rpcErrorOf(error) };
      }
    },
    [Symbol.asyncDispose]() {
      if (!closed) {
        closed = terminals[Symbol.asyncDispose]();
        refusedFiles[Symbol.dispose]();
        refusedCommands[Symbol.dispose]();
        // Not waited for: a file system that hangs must not keep the session from ending.
        void Promise.all([closed, files.idle()]).then(async () => (await opened)[Symbol.asyncDispose]());
      }
      return closed;
    },
  };
}
