import { isObject } from '@reeve/protocol';
import type { CallSummary } from '../../boundary/server-guard.ts';
import type { GatedCall } from '../call-gate.ts';

/** Characters of the name of a tool, prompt or method: policies and people are told of it. MCP asks for at most 128 for tools. */
export const MAX_CALL_NAME = 1024;

/** In place of a name that the server did not list, or a method that MCP does not know: an agent may write anything there. */
const OTHER = 'other';

/** Requests and notifications of clients, and what servers ask of them (MCP 2024-11-05 to 2026-07-28). */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  ...['tools/call', 'tools/list', 'prompts/get', 'prompts/list', 'completion/complete', 'logging/setLevel'],
  ...['resources/read', 'resources/list', 'resources/templates/list', 'resources/subscribe', 'resources/unsubscribe'],
  ...['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'tasks/update'],
  ...['initialize', 'elicitation/create', 'notifications/progress', 'notifications/tasks/status'],
]);

/** What policies, people and records are told of a call. */
export function callSummary(
  { method, params, claims, isListed }: Pick<GatedCall, 'method' | 'params' | 'claims' | 'isListed'>,
  paths: CallSummary['paths'],
): CallSummary {
  const name = isObject(params) && typeof params.name === 'string' ? params.name : undefined;
  const recorded = {
    method: KNOWN_METHODS.has(method) ? method : OTHER,
    get tool() {
      return name === undefined || isListed() ? name : OTHER;
    },
  };
  const tool = name === undefined || isReadable(name) ? name : OTHER;
  return { method: isReadable(method) ? method : OTHER, tool, claims, recorded, paths };
}

/** Whether the method and the name of a call can be told to policies and people as they are. */
export function hasReadableName({ method, params }: Pick<GatedCall, 'method' | 'params'>): boolean {
  const name = isObject(params) ? params.name : undefined;
  const isNamed = method === 'tools/call' || method === 'prompts/get';
  return isReadable(method) && (typeof name === 'string' ? isReadable(name) : !isNamed || name === undefined);
}

function isReadable(name: string): boolean {
  return name.length <= MAX_CALL_NAME && name.isWellFormed();
}
