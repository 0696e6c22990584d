import { type AgentRequest, LEAVE_UNANSWERED, type PermissionOption } from '@reeve/client';
import { EXTENSION, META_KEY, ourMeta, readQuestion } from '@reeve/protocol';
import { type Ask, askQuestion, askToVisit } from './ask-question.ts';
import { safeLine } from './safe-text.ts';
import type { Terminal } from './terminal.ts';

export const PERMISSION_POLICIES = ['ask', 'allow', 'deny', 'wait'] as const;
export type PermissionPolicy = (typeof PERMISSION_POLICIES)[number];

export interface PermissionDesk {
  /** What the client says that it can be asked. */
  readonly clientCapabilities: { readonly [capability: string]: unknown };
  /** The result for the agent. */
  answer(request: AgentRequest): Promise<unknown>;
  /** True once something was refused because nobody could be asked. */
  readonly refusedUnasked: boolean;
}

/**
 * Decides permission requests as `policy` says. `ask` without anybody to ask refuses. Questions are put to the person
 * unless everything is denied; where nobody sits they are rejected. All else is left to other clients.
 */
export function createPermissionDesk(policy: PermissionPolicy, terminal: Terminal, ask: Ask): PermissionDesk {
  let refusedUnasked = false;
  const asksPeople = terminal.interactive && (policy === 'ask' || policy === 'allow');

  /** Why nobody is asked; undefined when somebody can be. */
  function unaskable(what: string): string | undefined {
    if (asksPeople) return undefined;
    if (policy === 'ask') refusedUnasked = true;
    const why = policy === 'deny' ? 'everything is denied' : 'nobody to ask';
    terminal.note(`${what} rejected (${why}: use --permissions wait to have it answered elsewhere)`);
    return why;
  }

  async function answerQuestion({ params, signal }: AgentRequest): Promise<unknown> {
    const reading = readQuestion(params);
    if (reading.kind === 'invalid') return LEAVE_UNANSWERED;
    const { refused } = ourMeta(params);
    if (typeof refused === 'string') terminal.note(`the answer did not count: ${safeLine(refused)}`);
    const reason = unaskable(`question "${safeLine(reading.question.prompt, 80)}"`);
    if (reason !== undefined) return { outcome: 'rejected', reason };
    return (await askQuestion(terminal, ask, reading.question, signal)) ?? LEAVE_UNANSWERED;
  }

  async function answerElicitation({ params, signal }: AgentRequest): Promise<unknown> {
    if (params.mode !== 'url') return LEAVE_UNANSWERED;
    if (unaskable('a page to open')) return { action: 'decline' };
    const { message, url } = params;
    return (await askToVisit(terminal, ask, { message, url }, signal)) ?? LEAVE_UNANSWERED;
  }

  return {
    clientCapabilities: {
      ...(asksPeople ? { elicitation: { url: {} } } : {}),
      _meta: { [META_KEY]: { requestQuestion: true } },
    },
    get refusedUnasked() {
      return refusedUnasked;
    },
    async answer(request) {
      if (policy === 'wait') return LEAVE_UNANSWERED;
      if (request.method === EXTENSION.requestQuestion) return answerQuestion(request);
      if (request.method === 'elicitation/create') return answerElicitation(request);
      if (request.method !== 'session/request_permission') return LEAVE_UNANSWERED;
      const options = optionsOf(request.params.options);
      const title = titleOf(request.params.toolCall);
      const unasked = policy === 'ask' && !terminal.interactive;
      if (policy === 'ask' && !unasked) {
        const chosen = await askPerson(terminal, ask, title, options, request.signal);
        return chosen ? selected(chosen) : LEAVE_UNANSWERED;
      }
      const choice =
        policy === 'allow'
          ? pick(options, ['allow_once', 'allow_always'])
          : pick(options, ['reject_once', 'reject_always']);
      if (unasked) refusedUnasked = true;
      const why = unasked ? ' (nobody to ask: use --permissions allow, deny or wait)' : '';
      terminal.note(`permission ${policy === 'allow' ? 'given' : 'refused'}: ${title}${why}`);
      return choice ? selected(choice) : { outcome: { outcome: 'cancelled' } };
    },
  };
}

async function askPerson(
  terminal: Terminal,
  ask: Ask,
  title: string,
  options: readonly PermissionOption[],
  signal: AbortSignal,
): Promise<PermissionOption | undefined> {
  terminal.note(`permission: ${title}`);
  for (const [index, option] of options.entries())
    terminal.note(`  ${index + 1} ${safeLine(option.name, 80)} (${option.kind})`);
  while (!signal.aborted) {
    const typed = await ask(`choose 1 to ${options.length}: `, signal);
    if (typed === undefined) break;
    const chosen = options[Number(typed.trim()) - 1];
    if (chosen) return chosen;
  }
  terminal.note('answered elsewhere, or left open');
  return undefined;
}

/** The first option of the first kind that was offered. */
function pick(options: readonly PermissionOption[], kinds: readonly string[]): PermissionOption | undefined {
  for (const kind of kinds) {
    const found = options.find((option) => option.kind === kind);
    if (found) return found;
  }
  return undefined;
}

function selected({ optionId }: PermissionOption): unknown {
  return { outcome: { outcome: 'selected', optionId } };
}

function optionsOf(value: unknown): readonly PermissionOption[] {
  return Array.isArray(value)
    ? (value as PermissionOption[]).filter((option) => typeof option?.optionId === 'string')
    : [];
}

function titleOf(toolCall: unknown): string {
  const { title, kind, toolCallId } = (toolCall ?? {}) as { title?: unknown; kind?: unknown; toolCallId?: unknown };
  return safeLine(String(title ?? kind ?? toolCallId ?? 'a tool call'));
}
