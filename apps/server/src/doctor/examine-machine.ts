import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { createProcessHolder } from '@reeve/sandbox';
import { attemptEscapes, type EscapeVerdict, surveySandbox } from '@reeve/sandbox/examine';
import { type Config, containerEngine, type Environment } from '../config.ts';
import { conclude } from './conclude.ts';
import type { DoctorMachine, DoctorReport, Finding } from './doctor-report.ts';
import { type AddressQuestions, examineAddress } from './examine-address.ts';
import { examineStorage } from './examine-storage.ts';
import { agentsFinding, findAgents } from './find-agents.ts';
import { reportSandbox } from './report-sandbox.ts';
import { secretsOf } from './secrets-of.ts';
import { type Trial, tryProcess } from './trial-process.ts';

export type { DoctorReport, Finding, FoundAgent } from './doctor-report.ts';

export interface ExamineOptions extends AddressQuestions {
  /** The server's own: agents are looked for in it, and its secrets must not be seen in a boundary. */
  readonly env: Environment;
  /** Whether the configuration names this agent itself. */
  readonly isNamed: (agent: string) => boolean;
  /** A few words about what is done now. */
  readonly onProgress?: (what: string) => void;
  /** Ends the examination; what was found until then is the answer. */
  readonly signal?: AbortSignal;
  /** After this long nothing more is tried; 14,000 unless given. What ends then takes some seconds more on a busy machine. */
  readonly budgetMs?: number;
}

/**
 * What this machine can enforce, and whether it does, found by doing it: a process in a boundary, and attempts to get out
 * of one. Works without a configuration and for every user, changes nothing, and takes its own files and processes away.
 */
export async function examineMachine(config: Config, options: ExamineOptions): Promise<DoctorReport> {
  const begun = performance.now();
  const { env, onProgress = () => {} } = options;
  const { backend, require: required } = config.sandbox;
  const container = containerEngine(config.sandbox.container, env);
  const deadline = AbortSignal.timeout(options.budgetMs ?? 14_000);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  await using holder = createProcessHolder({ sandbox: backend, ...(container ? { container } : {}) });

  onProgress('trying each sandbox');
  const [probe, survey, address] = await Promise.all([
    holder.probe(),
    surveySandbox(container),
    examineAddress(config, options),
  ]);
  const sandbox = reportSandbox(probe, survey, backend === 'none');
  const agents = findAgents(config.agents, env);
  onProgress('starting a process in a boundary');
  const { enforcement, network } = await tryProcess({ holder, ...sandbox, signal }).catch(untried);
  const { usable } = sandbox;
  const attempts = usable && enforcement !== null;
  if (attempts) onProgress('trying to get out of a boundary');
  const escapes: readonly EscapeVerdict[] | Error = attempts
    ? await attemptEscapes(holder, { secrets: secretsOf(env), signal }).catch((error: Error) => error)
    : [];
  const verdicts = escapes instanceof Error ? [] : escapes;

  const findings: readonly Finding[] = [
    nodeFinding(),
    ...examineStorage(config),
    address,
    agentsFinding(agents, options.isNamed),
    network,
    attempts ? escapesFinding(escapes, signal) : noEscapes(required, sandbox.nextStep),
  ];
  return {
    ...conclude({ required, findings, sandbox, enforcement, escapes: verdicts }),
    required,
    machine: describeMachine(),
    findings,
    agents,
    sandbox,
    enforcement,
    escapes: verdicts,
    durationMs: Math.round(performance.now() - begun),
  };
}

function untried(error: NodeJS.ErrnoException): Trial {
  return {
    enforcement: null,
    network: {
      id: 'network',
      state: 'wrong',
      detail: `not tried: what a trial needs could not be made (${error.message})`,
      next: 'Let this user write in the directory for temporary files, or name another one in TMPDIR.',
    },
  };
}

function noEscapes(required: DoctorReport['required'], nextStep: string | undefined): Finding {
  return {
    id: 'escapes',
    state: required === 'enforced' ? 'wrong' : 'skipped',
    detail: 'not tried: no boundary can be enforced here',
    ...(nextStep === undefined ? {} : { next: nextStep }),
  };
}

function escapesFinding(escapes: readonly EscapeVerdict[] | Error, signal: AbortSignal): Finding {
  const id = 'escapes';
  if (escapes instanceof Error) {
    return {
      id,
      state: 'weak',
      detail: `not tried: what the attempts need could not be made (${escapes.message})`,
      next: 'Name a directory with a short path, which this user may write, in TMPDIR.',
    };
  }
  const of = (wanted: EscapeVerdict['verdict']) => escapes.filter(({ verdict }) => verdict === wanted);
  const escaped = of('escaped');
  if (escaped.length > 0) {
    return {
      id,
      state: 'wrong',
      detail: `${escaped.length} of ${escapes.length} attempts got out: ${escaped.map((each) => each.id).join(', ')}`,
      next: 'Do not run agents here that must be confined, and report this with the output of "reeve doctor --json".',
    };
  }
  const blocked = of('blocked').length;
  if (signal.aborted) {
    return {
      id,
      state: 'weak',
      detail: `there was time for ${escapes.length} attempts to get out only; ${blocked} were blocked`,
      next: 'Run it again when the machine has less to do.',
    };
  }
  const untried = of('not-applicable');
  const missing = untried.map((each) => `${each.id} (${each.detail})`).join(', ');
  return {
    id,
    state: blocked > 0 ? 'ok' : 'wrong',
    detail: `${blocked} of ${escapes.length} attempts to get out were blocked${missing === '' ? '' : `; not tried: ${missing}`}`,
  };
}

/** The npm package `node` is what bin/reeve.js runs itself with under a Node that is too old. */
function nodeFinding(): Finding {
  const origin = /[\\/]node_modules[\\/]/.test(process.execPath)
    ? 'the npm package "node" that Reeve brings'
    : "this machine's own";
  return { id: 'node', state: 'ok', detail: `${process.versions.node}, ${origin} (${process.execPath})` };
}

function describeMachine(): DoctorMachine {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return {
    version,
    node: process.versions.node,
    system: `${process.platform} ${release()} ${process.arch}`,
    distribution: distribution(),
    root: process.geteuid?.() === 0,
  };
}

function distribution(): string | null {
  try {
    return /^PRETTY_NAME=["']?([^"'\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}
