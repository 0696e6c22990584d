import type { RequestInfo } from '@reeve/client';
import { objectMember, textMember } from '../data/json-members.ts';

/** What a request is about, as one line; text from outside. */
export function requestTitle({ params, question }: RequestInfo): string {
  return (
    textMember(objectMember(params, 'toolCall'), 'title') ??
    question?.prompt ??
    textMember(params, 'message') ??
    textMember(objectMember(params, 'server'), 'name') ??
    'without a title'
  ).slice(0, 200);
}
