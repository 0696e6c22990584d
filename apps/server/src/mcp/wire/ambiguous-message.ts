import { ambiguousMember, memberSpan, type RpcMessage } from '@reeve/protocol';

/** What JSON-RPC and MCP give a meaning: in a message, and in its parameters as far as the gate looks at them. */
const KNOWN = [
  ['jsonrpc', 'id', 'method', 'params', 'result', 'error'],
  ['_meta', 'name', 'arguments', 'uri', 'ref', 'argument', 'context', 'task', 'inputResponses', 'requestState'],
];

const OUTCOMES = ['result', 'error'];

/**
 * Why a message of an agent must not be passed on, with the next step: what was decided about it would not be what the server
 * reads. Undefined where there is one reading.
 */
export function ambiguity(raw: Buffer, kind: RpcMessage['kind']): string | undefined {
  const asks = kind === 'request' || kind === 'notification';
  const key = ambiguousMember(raw, KNOWN) ?? (asks ? outcomeOfRequest(raw) : undefined);
  if (key === undefined) return undefined;
  const member = JSON.stringify(key.slice(0, 60).toWellFormed());
  return `Reeve did not pass this on: its member ${member} can be read in more than one way. Send each member once, spelled as MCP spells it.`;
}

/** A request that is an answer too: a server may take it for one to what it asked. */
function outcomeOfRequest(raw: Buffer): string | undefined {
  return OUTCOMES.find((member) => memberSpan(raw, [member]) !== undefined);
}
