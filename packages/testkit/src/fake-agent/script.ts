import type { FloodSpec } from './flood.ts';
import type { PacedSpec } from './paced.ts';

/**
 * What a prompt may tell the fake agent to do: each step is an object with one of these keys.
 * In `request`, `notify`, `update` and `raw`, the text `$SESSION` stands for the session's id.
 * Answers of the client are said as JSON text: the result itself, or `{"error":{…}}`.
 */
export interface StepArguments {
  /** One `agent_message_chunk`. */
  say: string;
  flood: FloodSpec;
  paced: PacedSpec;
  /** Says the response. An outcome `cancelled` ends the turn `cancelled`. `cancelAfterMs`: withdraws the request then. */
  permission: { options?: readonly PermissionChoice[]; title?: string; cancelAfterMs?: number };
  fsRead: string;
  fsWrite: { path: string; content: string };
  /** create, wait_for_exit, output, release; says `{output, truncated, exitStatus}`. */
  terminal: { command: string; args?: readonly string[]; cwd?: string };
  /** A form by default; `scope: 'request'` ties it to the prompt's JSON-RPC id instead of the session. */
  elicit: { message?: string; requestedSchema?: object; scope?: 'session' | 'request'; mode?: string } & Record<
    string,
    unknown
  >;
  /** `_sandboxagent/session/request_question`. */
  question: {
    prompt?: string;
    questionId?: string;
    options?: readonly { id: string; label: string; description?: string }[];
    multiSelect?: boolean;
    freeText?: boolean;
  } & Record<string, unknown>;
  /** One request to a stdio MCP server of the session; says its result, or `{"error":{…}}`. Connects once. */
  mcp: { server: string; method: string; params?: unknown };
  request: { method: string; params?: unknown };
  notify: { method: string; params?: unknown };
  /** Any `session/update`, known or not. */
  update: Record<string, unknown>;
  /** One line of stdout as it stands. */
  raw: string;
  /** Takes `steps` so many times; in each, the text `$ROUND` stands for the number of the round, from 1. */
  repeat: { rounds: number; steps: readonly Step[] };
  /** Milliseconds. */
  sleep: number;
  /** Waits for `session/cancel`; with `say`, one more update follows it. */
  untilCancel: true | { say: string };
  /** `stderr` is written before. */
  crash: ({ code: number } | { signal: NodeJS.Signals }) & { stderr?: string };
  /** This many bytes that are no JSON and no UTF-8, as one line. */
  garbage: number;
  /** One update whose text has this many bytes. */
  bigLine: number;
  /** An update after the prompt's response. */
  late: { afterMs: number; text: string };
  /** Unknown fields at the roots of message, params and response, and an unknown update variant. */
  usage: true;
  mode: string;
  title: string;
  /** Says `{name, set, value?}`. */
  envName: string;
  /** From here on `session/cancel` has no effect on this turn. */
  refuseCancel: true;
  /** Says the params that it was given, as JSON. */
  received: 'initialize' | 'session' | 'prompt';
  stderr: string;
  /** Ends the turn with this stop reason. */
  stop: string;
  /** Ends the turn with this JSON-RPC error. */
  fail: { code: number; message: string; data?: unknown };
}

export interface PermissionChoice {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

export type StepName = keyof StepArguments;
export type Step = { [Name in StepName]: { readonly [Key in Name]: StepArguments[Name] } }[StepName];

/** The text of a prompt that makes the fake agent take these steps. */
export function script(...steps: readonly Step[]): string {
  return JSON.stringify({ do: steps });
}

/** The steps that a prompt asks for: its last text block that is a script counts. Undefined: it is no script. */
export function readScript(prompt: readonly unknown[]): readonly Step[] | undefined {
  for (const text of promptTexts(prompt).reverse()) {
    if (!text.trimStart().startsWith('{')) continue;
    try {
      const value: unknown = JSON.parse(text);
      const steps = (value as { do?: unknown }).do;
      if (Array.isArray(steps)) return steps as Step[];
    } catch {
      // Not JSON: a text to echo.
    }
  }
  return undefined;
}

export function promptTexts(prompt: readonly unknown[]): string[] {
  return prompt.flatMap((block) => {
    const { type, text } = block as { type?: unknown; text?: unknown };
    return type === 'text' && typeof text === 'string' ? [text] : [];
  });
}
