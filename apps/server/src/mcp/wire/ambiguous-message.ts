import { ambiguousMember, type RpcMessage } from '@reeve/protocol';

/** What JSON-RPC and MCP give a meaning: in a message, and in its parameters as far as the gate looks at them. */
const KNOWN = [
  ['jsonrpc', 'id', 'method', 'params', 'result', 'error'],
  ['_meta', 'name', 'arguments', 'uri', 'ref', 'argument', 'context', 'task', 'inputResponses', 'requestState'],
];

/** Of a request, which is an answer too with any of them: a server may take it for one to what it asked. */
const OUTCOMES = ['result', 'error'];
const NONE: readonly string[] = [];

/**
 * Why a message of an agent must not be passed on, with the next step: what was decided about it would not be what the server
 * reads. Undefined where there is one reading.
 */
export function ambiguity(raw: Buffer, kind: RpcMessage['kind']): string | undefined {
  const asks = kind === 'request' || kind === 'notification';
  const key = ambiguousMember(raw, KNOWN, asks ? OUTCOMES : NONE);
  if (key === undefined) return undefined;
  const member = JSON.stringify(key.slice(0, 60).toWellFormed());
  return `Reeve did not pass this on: its member ${member} can be read in more than one way. Send each member once, spelled as MCP spells it.`;
}
