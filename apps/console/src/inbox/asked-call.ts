import type { WireEvent } from '@reeve/protocol';
import { isObject, type JsonObject } from '@reeve/protocol';
import { objectMember, textMember } from '../data/json-members.ts';

/** Whether a request tells what its call would do, and not only its name. */
export function tellsWhatItDoes({ rawInput, content }: JsonObject): boolean {
  return isObject(rawInput) || (Array.isArray(content) && content.length > 0);
}

/** The call of a request with what earlier events of the session told of it; what the request itself says counts more. */
export function withEarlierFacts(asked: JsonObject, events: readonly WireEvent[]): JsonObject {
  const id = textMember(asked, 'toolCallId');
  const told = events.flatMap(({ kind, message }) => {
    if (kind !== 'update') return [];
    const update = objectMember(objectMember(message, 'params'), 'update');
    return id !== undefined && update.toolCallId === id ? [update] : [];
  });
  return Object.assign({}, ...[...told, asked].map(withoutNothing)) as JsonObject;
}

function withoutNothing(update: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined && value !== null));
}
