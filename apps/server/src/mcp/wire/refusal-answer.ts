import { encodeError, encodeResult, type JsonRpcId } from '@reeve/protocol';
import type { McpEra } from '../server-status.ts';
import { CODE } from './mcp-keys.ts';

/**
 * The answer to a request that is not let through or that failed on the way. For tools a result with `isError`, which the model reads
 * and goes on from; clients take errors for a broken server.
 */
export function refusalAnswer(id: JsonRpcId, method: string, text: string, era: McpEra): Buffer {
  if (method !== 'tools/call') return Buffer.from(encodeError(id, { code: CODE.internal, message: text }));
  const content = [{ type: 'text', text }];
  const complete = era === 'stateless' ? { resultType: 'complete' } : {};
  return Buffer.from(encodeResult(id, { content, isError: true, ...complete }));
}
