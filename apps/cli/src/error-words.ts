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
  const members: { readonly issues?: unknown; readonly offered?: unknown } = isMembers(data) ? data : {};
  // Its message lists them.
  const told = Array.isArray(members.issues) || (code === 'not_offered' && isReview(members.offered));
  const rest = isMembers(data) ? unsaid(data, { name: code, next, mend: next }) : data;
  return {
    data: rest === undefined || told ? undefined : JSON.stringify(rest),
    next: code === 'not_offered' && isReview(members.offered) ? REVIEW : next && inCommands(next),
  };
}

/** Errors of ACP have their name and next step in their data. Undefined: nothing is left without them. */
function unsaid(data: object, said: Readonly<Record<string, string | undefined>>): object | undefined {
  const all = Object.entries(data);
  const rest = all.filter(([key, value]) => value === undefined || said[key] !== value);
  return rest.length === 0 && all.length > 0 ? undefined : Object.fromEntries(rest);
}

function isMembers(data: unknown): data is object {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
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
