import { isOptionalMeta } from '@reeve/policy';
import { isObject, type JsonObject } from '@reeve/protocol';

/** Characters of arguments that a person is shown. What is longer is cut, and says by how much. */
export const MAX_SHOWN_ARGUMENTS = 16_384;

/** What a call is made with, as JSON, for a person who decides about it. Undefined where there is nothing. */
export function shownArguments(params: unknown): string | undefined {
  if (!isObject(params)) return params === undefined || params === null ? undefined : shortened(params);
  const { name: _name, arguments: given, requestState: _state, _meta: meta, ...rest } = params;
  const others = { ...rest, ...shownMeta(meta) };
  if (Object.keys(others).length === 0) return given === undefined ? undefined : shortened(given);
  return shortened(given === undefined ? others : { arguments: given, ...others });
}

/** What goes to the server beside the arguments, but what MCP needs there in each request. */
function shownMeta(meta: unknown): { readonly _meta?: unknown } {
  if (!isObject(meta)) return meta === undefined ? {} : { _meta: meta };
  const own: JsonObject = Object.fromEntries(Object.entries(meta).filter(([key]) => isOptionalMeta(key)));
  return Object.keys(own).length === 0 ? {} : { _meta: own };
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2);
  if (text.length <= MAX_SHOWN_ARGUMENTS) return text;
  return `${text.slice(0, MAX_SHOWN_ARGUMENTS)}… (${text.length - MAX_SHOWN_ARGUMENTS} more characters are not shown)`;
}
