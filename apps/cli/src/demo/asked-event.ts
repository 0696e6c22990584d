import type { AgentRequest, PermissionOption } from '@reeve/client';
import { EXTENSION, isObject, ourMeta, type ReviewParams, readQuestion } from '@reeve/protocol';
import type { DemoEvent } from './demo-event.ts';

type Asked = Extract<DemoEvent, { kind: 'asked' }>;

/** What a person is asked; undefined of what nobody is. */
export function askedEvent({ method, params, requestId }: AgentRequest): Asked | undefined {
  const asked = { kind: 'asked', request: requestId } as const;
  if (method === 'session/request_permission') {
    const options = Array.isArray(params.options) ? (params.options as PermissionOption[]) : [];
    const { title } = (params.toolCall ?? {}) as { title?: unknown };
    const { review } = ourMeta(params);
    const isReview = isObject(review);
    return {
      ...asked,
      asked: isReview ? 'review' : 'permission',
      title: String(title ?? 'a tool call'),
      options: options.map(({ name }) => name),
      review: isReview ? (review as unknown as ReviewParams) : undefined,
    };
  }
  if (method !== EXTENSION.requestQuestion) return undefined;
  const reading = readQuestion(params);
  if (reading.kind === 'invalid') return undefined;
  const { prompt, options } = reading.question;
  return { ...asked, asked: 'question', title: prompt, options: options.map(({ label }) => label), review: undefined };
}
