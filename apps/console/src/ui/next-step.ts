import { CallError } from '@reeve/client';

/** What an error advises in words of the HTTP API or of ACP is for programs. */
const FOR_PROGRAMS = /\b(?:GET|POST|PUT|PATCH|DELETE) \/v1\/|\bsession\/[a-z_]+\b/;

/** What to do about an error, for people; undefined where nothing is known. */
export function nextStep(error: unknown): string | undefined {
  if (!(error instanceof CallError)) return undefined;
  if (error.next !== undefined && !FOR_PROGRAMS.test(error.next)) return error.next;
  return error.code === 'not_found' ? 'It may have been deleted, or the address is not whole.' : undefined;
}
