import type { CallError } from '@reeve/client';

/** What a person is told beside the message of a server's refusal. */
export interface ErrorWords {
  /** As JSON; undefined where the message has it all, and for other reasons to leave it out. */
  readonly data: string | undefined;
  readonly next: string | undefined;
}

/** Commands that list what an address of the control API lists. */
const COMMANDS: Readonly<Record<string, string>> = {
  agents: 'reeve agents ls',
  audit: 'reeve audit tail',
  grants: 'reeve roots ls',
  requests: 'reeve requests ls',
  servers: 'reeve servers ls',
  sessions: 'reeve sessions ls',
  workspaces: 'reeve workspaces ls',
};

/** The words of the control API and of ACP, for a person at the command line. */
export function errorWords({ code, data, next }: Pick<CallError, 'code' | 'data' | 'next'>): ErrorWords {
  const members: { readonly issues?: unknown; readonly offered?: unknown } =
    typeof data === 'object' && data !== null ? data : {};
  // Its message lists them.
  const told = Array.isArray(members.issues) || (code === 'not_offered' && isReview(members.offered));
  return {
    data: data === undefined || told ? undefined : JSON.stringify(data),
    next: code === 'not_offered' && isReview(members.offered) ? REVIEW : next && inCommands(next),
  };
}

const REVIEW = 'See all that it asks with "reeve requests show ID", and answer for that or less.';

/** Answers to a review are objects, not ids of options. */
function isReview(offered: unknown): boolean {
  return Array.isArray(offered) && offered.every((one) => typeof one === 'string' && one.startsWith('{'));
}

function inCommands(next: string): string {
  return next
    .replaceAll(/\bGET \/v1\/(\w+)(?:\?\S*)?(?= |$)/g, (text, what: string) =>
      COMMANDS[what] === undefined ? text : `"${COMMANDS[what]}"`,
    )
    .replaceAll(/\bsession\/list(?= shows)/g, '"reeve sessions ls"');
}
