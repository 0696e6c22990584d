import type { RequestInfo } from '@reeve/client';
import { textMember } from '../data/json-members.ts';

const REVIEWS: ReadonlyMap<string | undefined, string> = new Map([
  ['server', 'MCP server'],
  ['root', 'Root'],
  ['call', 'Tool call'],
]);

/** What kind of decision it is, in a word or two. */
export function requestName({ kind, params }: RequestInfo): string {
  switch (kind) {
    case 'permission':
      return 'Permission';
    case 'question':
    case 'elicitation':
      return 'Question';
    default:
      return REVIEWS.get(textMember(params, 'review')) ?? 'Review';
  }
}
