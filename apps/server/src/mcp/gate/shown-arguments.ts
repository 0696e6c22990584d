import { isObject } from '@reeve/protocol';

/** Characters of arguments that a person is shown. What is longer is cut, and says by how much. */
export const MAX_SHOWN_ARGUMENTS = 16_384;

/** What a call is made with, as JSON, for a person who decides about it. Undefined where there is nothing. */
export function shownArguments(params: unknown): string | undefined {
  const { arguments: given, uri, ref, argument, context } = isObject(params) ? params : {};
  const parts = Object.fromEntries(
    Object.entries({ uri, ref, argument, context }).filter(([, value]) => value !== undefined),
  );
  const shown = given ?? (Object.keys(parts).length > 0 ? parts : undefined);
  if (shown === undefined) return undefined;
  const text = JSON.stringify(shown, undefined, 2);
  if (text.length <= MAX_SHOWN_ARGUMENTS) return text;
  return `${text.slice(0, MAX_SHOWN_ARGUMENTS)}… (${text.length - MAX_SHOWN_ARGUMENTS} more characters are not shown)`;
}
