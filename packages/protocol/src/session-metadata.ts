import { META_KEY } from './extension.ts';
import { isObject, type JsonObject } from './json-rpc.ts';
import { collectIssues, type Report, type SetupIssue, shown, typeShown } from './setup-issue.ts';

/** What a client may choose of an agent at creation and later: each is brought to the agent by the first rung that it offers. */
export type Choice = 'model' | 'variant' | 'agentMode' | 'permissionMode';

/** In the order in which they are applied: the variants that an agent offers may depend on the model. */
export const CHOICES: readonly Choice[] = ['model', 'variant', 'agentMode', 'permissionMode'];

/** What a client and others say of a session under `_meta["sandboxagent.dev"]`; members that are not named here are kept too. */
export interface SessionMetadata extends JsonObject {
  /** 1 to 1000 characters. */
  readonly title?: string;
  /** At most 256, each 1 to 1000 characters. */
  readonly skills?: readonly string[];
  readonly agentVersionRequested?: string;
  readonly model?: string;
  readonly variant?: string;
  readonly agentMode?: string;
  readonly permissionMode?: string;
  /** Names of MCP servers that the configuration or a file of the project brings and this session goes without; as `skills`. */
  readonly mcpServersOff?: readonly string[];
}

export type MetadataCheck =
  | { readonly kind: 'ok'; readonly metadata: SessionMetadata }
  /** At least one. */
  | { readonly kind: 'invalid'; readonly issues: readonly SetupIssue[] };

const MAX_TEXT = 1000;
const MAX_ENTRIES = 256;
const MAX_DEPTH = 32;

/** Members that belong to a request or that Reeve says itself: they are no metadata. */
const NOT_METADATA: ReadonlySet<string> = new Set([
  'adopted',
  'after',
  'agent',
  'agentVersion',
  'applied',
  'enforcement',
  'failure',
  'forked',
  'lastSeq',
  'mcpServers',
  'parent',
  'queuedPrompts',
  'requestedSessionId',
  'restored',
  'role',
  'seq',
  'sessionId',
  'state',
]);

/** Metadata that is settled when the session is created. */
const FIXED: ReadonlySet<string> = new Set(['agentVersionRequested', 'boundary', 'mcpServersOff', 'workspace']);

/** Where clients write metadata of a request that sets up a session. */
const IN_META = `_meta["${META_KEY}"]`;

const TEXTS: ReadonlySet<string> = new Set(['title', 'agentVersionRequested', ...CHOICES]);
const LISTS: ReadonlySet<string> = new Set(['mcpServersOff', 'skills']);

/**
 * The metadata of what stands under our key of `session/new` (extension strategy, session metadata). `maxBytes` is the limit of its
 * JSON text, inclusive.
 */
export function readMetadata(ours: JsonObject, maxBytes: number): MetadataCheck {
  return checked(membersOf(ours), IN_META, maxBytes);
}

/** The metadata of a fork: its parent's, changed (RFC 7396) by what stands under our key of `session/fork`. */
export function forkMetadata(parent: SessionMetadata, ours: JsonObject, maxBytes: number): MetadataCheck {
  return patchMetadata(parent, membersOf(ours), maxBytes, IN_META);
}

/**
 * The metadata after a patch (RFC 7396: members are merged, null removes). What only Reeve says and what is settled at creation cannot
 * be changed.
 */
export function patchMetadata(
  before: SessionMetadata,
  patch: unknown,
  maxBytes: number,
  path = 'metadata',
): MetadataCheck {
  const { issues, report } = collectIssues();
  if (!isObject(patch)) {
    const fix = 'send the members to change; null removes one';
    report({ path, expected: 'required object', received: typeShown(patch), fix });
    return { kind: 'invalid', issues };
  }
  for (const name of Object.keys(patch).filter((key) => NOT_METADATA.has(key) || FIXED.has(key))) {
    const fix = FIXED.has(name)
      ? 'leave it out: it is settled when the session is created'
      : 'leave it out: the server says it itself';
    report({ path: `${path}.${name}`, expected: 'nothing', received: shown(patch[name]), fix });
  }
  if (depthBeyond(patch, MAX_DEPTH)) report(tooDeep(path));
  if (issues.length > 0) return { kind: 'invalid', issues };
  return checked(merged(before, patch), path, maxBytes);
}

/** What of our key's members is metadata. */
function membersOf(ours: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(ours).filter(([name, value]) => !NOT_METADATA.has(name) && value !== undefined),
  );
}

/** Of more it is said first, where metadata is too large, that they could be fewer. */
const MANY_ROOTS = 100;

function checked(metadata: JsonObject, path: string, maxBytes: number): MetadataCheck {
  const { issues, report } = collectIssues();
  if (depthBeyond(metadata, MAX_DEPTH)) report(tooDeep(path));
  else {
    const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
    if (bytes > maxBytes) {
      const expected = `at most ${maxBytes} bytes of JSON (limits.maxMetadataBytes)`;
      const roots =
        isObject(metadata.boundary) && Array.isArray(metadata.boundary.roots) ? metadata.boundary.roots : [];
      const less =
        roots.length > MANY_ROOTS
          ? `name a common parent of the ${roots.length} roots`
          : 'keep large data elsewhere and name it here';
      const fix = `${less}, or set limits.maxMetadataBytes of the server to ${bytes} or more`;
      report({ path, expected, received: `${bytes} bytes`, fix });
    }
  }
  for (const [name, value] of Object.entries(metadata)) {
    if (TEXTS.has(name)) checkText(value, `${path}.${name}`, report);
    else if (LISTS.has(name)) checkTexts(value, `${path}.${name}`, report);
  }
  return issues.length > 0 ? { kind: 'invalid', issues } : { kind: 'ok', metadata };
}

function checkText(value: unknown, path: string, report: Report): void {
  if (typeof value === 'string' && value.length >= 1 && value.length <= MAX_TEXT && !hasControl(value)) return;
  const expected = `text of 1 to ${MAX_TEXT} characters without control characters`;
  const received = typeof value === 'string' && value.length > MAX_TEXT ? `${value.length} characters` : shown(value);
  report({ path, expected, received, fix: 'send such a text, or leave it out' });
}

function checkTexts(value: unknown, path: string, report: Report): void {
  if (!Array.isArray(value) || value.length > MAX_ENTRIES) {
    const expected = `a list of at most ${MAX_ENTRIES} texts`;
    report({ path, expected, received: typeShown(value), fix: 'send a list of names, or leave it out' });
    return;
  }
  for (const [index, entry] of value.entries()) checkText(entry, `${path}[${index}]`, report);
}

function tooDeep(path: string): SetupIssue {
  const expected = `at most ${MAX_DEPTH} levels`;
  return { path, expected, received: 'more', fix: 'send it less deeply nested, or as text' };
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** RFC 7396, section 2. */
function merged(target: JsonObject, patch: JsonObject): JsonObject {
  const result = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    const there = result.get(name);
    if (value === null) result.delete(name);
    else result.set(name, isObject(value) ? merged(isObject(there) ? there : {}, value) : value);
  }
  return Object.fromEntries(result);
}

function depthBeyond(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => depthBeyond(inner, levels - 1));
}
