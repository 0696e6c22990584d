import type { PermissionChoice, StepArguments } from './script.ts';
import type { Answer } from './stdio-connection.ts';
import type { Turn } from './turn.ts';

const usualChoices: readonly PermissionChoice[] = [
  { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
];

/**
 * Not withdrawn by `session/cancel`: the client owes a cancelled turn's permission requests the outcome `cancelled`
 * (ACP, session/cancel), and an agent that goes on waiting shows whether it pays.
 */
export async function requestPermission(argument: StepArguments['permission'], turn: Turn): Promise<void> {
  const { options = usualChoices, title = 'Do something', cancelAfterMs } = argument;
  const toolCallId = `tool-${String(turn.promptId)}`;
  await turn.update({ sessionUpdate: 'tool_call', toolCallId, title, kind: 'execute', status: 'pending' });
  const answer = await turn.connection.request(
    'session/request_permission',
    { sessionId: turn.sessionId, toolCall: { toolCallId, title, kind: 'execute', status: 'pending' }, options },
    cancelAfterMs === undefined ? undefined : AbortSignal.timeout(cancelAfterMs),
  );
  await sayAnswer(answer, turn);
  const outcome = answer.kind === 'result' ? (answer.result as { outcome?: { outcome?: unknown } } | null) : undefined;
  if (outcome?.outcome?.outcome === 'cancelled') turn.end({ kind: 'stopped', stopReason: 'cancelled' });
}

export async function fsRead(path: string, turn: Turn): Promise<void> {
  await ask('fs/read_text_file', { sessionId: turn.sessionId, path }, turn);
}

export async function fsWrite({ path, content }: StepArguments['fsWrite'], turn: Turn): Promise<void> {
  await ask('fs/write_text_file', { sessionId: turn.sessionId, path, content }, turn);
}

export async function request({ method, params }: StepArguments['request'], turn: Turn): Promise<void> {
  await ask(method, withSession(params, turn), turn);
}

export async function elicit(argument: StepArguments['elicit'], turn: Turn): Promise<void> {
  const { scope = 'session', mode = 'form', message = 'A question', ...rest } = argument;
  const form = {
    requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  };
  const tie = scope === 'session' ? { sessionId: turn.sessionId } : { requestId: turn.promptId };
  await ask('elicitation/create', { ...tie, mode, message, ...(mode === 'form' ? form : {}), ...rest }, turn);
}

export async function askQuestion(argument: StepArguments['question'], turn: Turn): Promise<void> {
  const { prompt = 'Which?', questionId = 'question-1', options = [], ...rest } = argument;
  const params = { sessionId: turn.sessionId, questionId, prompt, options, ...rest };
  await ask('_sandboxagent/session/request_question', params, turn);
}

/** Runs one command to its end by the client's `terminal/*`. The first refusal is said, and ends the step. */
export async function runTerminal(argument: StepArguments['terminal'], turn: Turn): Promise<void> {
  const { command, args = [], cwd } = argument;
  const { sessionId } = turn;
  const call = (method: string, params: object): Promise<Answer> =>
    turn.connection.request(method, { sessionId, ...params }, turn.signal);

  const created = await call('terminal/create', { command, args, ...(cwd === undefined ? {} : { cwd }) });
  if (created.kind === 'error') return sayAnswer(created, turn);
  const { terminalId } = created.result as { terminalId: string };
  const exit = await call('terminal/wait_for_exit', { terminalId });
  const output = exit.kind === 'error' ? exit : await call('terminal/output', { terminalId });
  const released = await call('terminal/release', { terminalId });
  await sayAnswer(output.kind === 'error' || released.kind === 'result' ? output : released, turn);
}

/** A copy with the text `$SESSION` replaced by the session's id, wherever it stands. */
export function withSession(value: unknown, turn: Turn): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'string' ? inner.replaceAll('$SESSION', turn.sessionId) : inner,
  );
}

async function ask(method: string, params: unknown, turn: Turn): Promise<void> {
  await sayAnswer(await turn.connection.request(method, params, turn.signal), turn);
}

async function sayAnswer(answer: Answer, turn: Turn): Promise<void> {
  await turn.say(JSON.stringify(answer.kind === 'result' ? (answer.result ?? null) : { error: answer.error }));
}
