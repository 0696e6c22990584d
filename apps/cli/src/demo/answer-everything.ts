import { type AgentRequest, LEAVE_UNANSWERED, type PermissionOption, type RequestHandler } from '@reeve/client';
import { EXTENSION, readQuestion } from '@reeve/protocol';
import type { TellDemo } from './demo-event.ts';

/** Says yes to what an agent asks, once rather than for ever, and takes the first answer to a question: for `--yes`. */
export function answerEverything(tell: TellDemo): RequestHandler {
  const answered = (answer: string): void => tell({ kind: 'answered', title: undefined, by: '--yes', answer });
  const permit = ({ params }: AgentRequest): unknown => {
    const options = Array.isArray(params.options) ? (params.options as PermissionOption[]) : [];
    const chosen =
      options.find(({ kind }) => kind === 'allow_once') ?? options.find(({ kind }) => kind === 'allow_always');
    if (!chosen) return LEAVE_UNANSWERED;
    answered(chosen.name);
    return { outcome: { outcome: 'selected', optionId: chosen.optionId } };
  };
  const reply = ({ params }: AgentRequest): unknown => {
    const reading = readQuestion(params);
    if (reading.kind === 'invalid') return LEAVE_UNANSWERED;
    const [first] = reading.question.options;
    answered(first?.label ?? 'yes');
    return { outcome: 'answered', answers: [first ? { optionId: first.id } : { text: 'yes' }] };
  };
  return (request) => {
    if (request.method === 'session/request_permission') return permit(request);
    return request.method === EXTENSION.requestQuestion ? reply(request) : LEAVE_UNANSWERED;
  };
}
