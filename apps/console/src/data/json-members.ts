import { isObject, type JsonObject } from '@reeve/protocol';

/** A text member of something from outside; undefined where it is none, or empty. */
export function textMember(value: unknown, name: string): string | undefined {
  const member = isObject(value) ? value[name] : undefined;
  return typeof member === 'string' && member !== '' ? member : undefined;
}

/** The objects of a list member; what is no object is passed over. */
export function objectsIn(value: unknown, name: string): readonly JsonObject[] {
  const member = isObject(value) ? value[name] : undefined;
  return Array.isArray(member) ? member.filter(isObject) : [];
}

/** The object member, or an empty one. */
export function objectMember(value: unknown, name: string): JsonObject {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

/** JSON for people: texts as they are, all else indented. */
export function readableJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
}
