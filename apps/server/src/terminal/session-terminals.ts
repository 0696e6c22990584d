import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { isObject, type JsonObject, ReeveError } from '@reeve/protocol';
import type { EgressDecision, Launch, ProcessHolder, StartFailure } from '@reeve/sandbox';
import type { OpenRoots } from '../boundary/open-roots.ts';
import { badParams } from '../boundary/refusal.ts';
import { commandLine } from './command-line.ts';
import { Terminal } from './terminal.ts';
import { createTerminalRecord, type TerminalFact, type TerminalRecord } from './terminal-record.ts';

const METHODS = [
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
] as const;

export type TerminalMethod = (typeof METHODS)[number];

export function isTerminalMethod(method: string): method is TerminalMethod {
  return (METHODS as readonly string[]).includes(method);
}

export interface TerminalLimits {
  readonly maxTerminals: number;
  /** Bytes of output that are kept of one terminal, also where the agent asks for more. */
  readonly terminalOutputBytes: number;
  /** Bytes of output of one terminal that `onFact` is told in all. */
  readonly terminalLogBytes: number;
  /** From SIGTERM to SIGKILL. */
  readonly stopKillMs: number;
}

export interface SessionTerminalsOptions {
  readonly holder: ProcessHolder;
  readonly roots: Promise<OpenRoots>;
  /** Where a command runs that names no directory. */
  readonly cwd: string;
  /** The environment that a command's own `env` is added to. */
  readonly env: Readonly<Record<string, string>>;
  /** What confines the commands: the sandbox of the session. */
  readonly confinement: Pick<Launch, 'profile' | 'require'>;
  readonly onEgress?: (decision: EgressDecision) => void;
  /** Sees what the commands write and how they end, until this is disposed of. */
  readonly onFact: (fact: TerminalFact) => void;
  readonly limits: TerminalLimits;
}

/** `terminal/*` for the agent of one session (ACP, terminals). Disposing ends all of them. */
export class SessionTerminals implements AsyncDisposable {
  readonly #options: SessionTerminalsOptions;
  readonly #terminals = new Map<string, Terminal>();
  /** Of commands that have not ended. */
  readonly #records = new Set<TerminalRecord>();
  #starting = 0;
  #closed = false;

  constructor(options: SessionTerminalsOptions) {
    this.#options = options;
  }

  /** The result of the method; throws a ReeveError. */
  async answer(method: TerminalMethod, params: unknown, signal: AbortSignal): Promise<JsonObject> {
    const given = isObject(params) ? params : {};
    if (method === 'terminal/create') return { terminalId: await this.#create(given) };
    const { id, terminal } = this.#find(given);
    switch (method) {
      case 'terminal/output':
        return { ...terminal.read() };
      case 'terminal/wait_for_exit':
        return { ...(await unlessAborted(terminal.exited, signal)) };
      case 'terminal/kill':
        await terminal.kill();
        return {};
      case 'terminal/release':
        this.#terminals.delete(id);
        await terminal[Symbol.asyncDispose]();
        return {};
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nobody takes facts any more when the commands have ended, which may be long after.
    for (const record of this.#records) record.end({ exitCode: null, signal: null });
    this.#closed = true;
    const left = [...this.#terminals.values()];
    this.#terminals.clear();
    await Promise.all(left.map((terminal) => terminal[Symbol.asyncDispose]()));
  }

  async #create(params: JsonObject): Promise<string> {
    const { limits, holder, confinement, onEgress } = this.#options;
    const command = readCommand(params);
    if (this.#terminals.size + this.#starting >= limits.maxTerminals) {
      throw new ReeveError('overloaded', {
        message: `${limits.maxTerminals} terminals are open in this session (limits.maxTerminals): release one first`,
      });
    }
    this.#starting += 1;
    try {
      const cwd = await this.#directory(command.cwd ?? this.#options.cwd);
      const env = { ...this.#options.env, ...command.env };
      const started = await holder.start(
        { ...commandLine(command.command, command.args), env, cwd, ...confinement },
        onEgress === undefined ? {} : { onEgress },
      );
      if (started.kind === 'failed') {
        throw new ReeveError('forbidden', {
          message: `the command could not be started: ${started.message}`,
          next: NEXT[started.reason],
          data: { reason: started.reason },
        });
      }
      const id = `term_${randomUUID()}`;
      const record = this.#record(id);
      const terminal = new Terminal(
        started.process,
        Math.min(command.outputByteLimit ?? limits.terminalOutputBytes, limits.terminalOutputBytes),
        limits.stopKillMs,
        record,
      );
      void terminal.exited.then(() => this.#records.delete(record));
      if (this.#closed) {
        await terminal[Symbol.asyncDispose]();
        throw new ReeveError('session_closed');
      }
      this.#terminals.set(id, terminal);
      return id;
    } finally {
      this.#starting -= 1;
    }
  }

  #record(terminalId: string): TerminalRecord {
    const { limits, onFact } = this.#options;
    const record = createTerminalRecord({
      terminalId,
      maxBytes: limits.terminalLogBytes,
      tell: (fact) => {
        if (!this.#closed) onFact(fact);
      },
    });
    this.#records.add(record);
    return record;
  }

  /** The canonical path of a directory inside the roots. */
  async #directory(path: string): Promise<string> {
    await using held = await (await this.#options.roots).hold(path);
    if ((await held.handle.stat()).isDirectory()) return held.location;
    throw badParams(`"cwd" ${path} is not a directory`);
  }

  #find(params: JsonObject): { readonly id: string; readonly terminal: Terminal } {
    const { terminalId } = params;
    const terminal = typeof terminalId === 'string' ? this.#terminals.get(terminalId) : undefined;
    if (terminal) return { id: terminalId as string, terminal };
    throw new ReeveError('not_found', {
      message: 'there is no such terminal in this session, or it was released',
      data: { terminalId: terminalId ?? null },
    });
  }
}

const AS_TOLD = 'Do what the message says, or have the user do it, then try again.';

/** Of a command that no policy forbids: what is wrong is in the message, and asking for more of a boundary does not mend it. */
const NEXT: { readonly [Reason in StartFailure['reason']]: string } = {
  'no-sandbox':
    'Have the operator do what the message says: until then no command runs in this session. "reeve doctor" says what works on that machine.',
  'bad-root': 'Have the user mend the root as the message says: until then no command runs in this session.',
  'bad-cwd': 'Mend the working directory as the message says, or choose another, then try again.',
  'not-visible': AS_TOLD,
  'not-found': AS_TOLD,
  'not-executable': AS_TOLD,
  refused: AS_TOLD,
};

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly outputByteLimit: number | undefined;
}

/** Reads the params of `terminal/create`; throws `invalid_params` that names the one to mend, never its value. */
function readCommand(params: JsonObject): Command {
  const { command } = params;
  const args = params.args ?? [];
  const env = params.env ?? [];
  const cwd = params.cwd ?? undefined;
  const outputByteLimit = params.outputByteLimit ?? undefined;
  if (!isText(command) || command === '') throw badParams('"command" must be a text without NUL');
  if (!Array.isArray(args) || !args.every(isText)) throw badParams('"args" must be a list of texts without NUL');
  if (!Array.isArray(env) || !env.every(isVariable)) throw badParams('"env" must be a list of {"name", "value"}');
  if (cwd !== undefined && (!isText(cwd) || !isAbsolute(cwd))) throw badParams('"cwd" must be an absolute path');
  if (outputByteLimit !== undefined && !isByteCount(outputByteLimit)) {
    throw badParams('"outputByteLimit" must be a whole number of bytes');
  }
  return {
    command,
    args,
    env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
    cwd,
    outputByteLimit,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isByteCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isVariable(value: unknown): value is { readonly name: string; readonly value: string } {
  return isObject(value) && isText(value.name) && /^[^=]+$/.test(value.name) && isText(value.value);
}

/** Rejects when the signal comes first; the promise goes on. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
