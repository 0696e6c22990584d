import type { RpcMessage } from '@reeve/protocol';
import type { CallGate } from '../call-gate.ts';

/** What a model writes for a server is text, and no argument of it. */
const FREE_TEXT = 'sampling/createMessage';

/**
 * Looks through an agent's answer to what a server asked of it (MCP, elicitation and others): it is an argument that comes later.
 * @param then told whether it names a path outside, at once where it names none; the server is told that the agent declined, and no more
 */
export function refusesAnswer(
  gate: Pick<CallGate, 'screen'>,
  method: string,
  reply: RpcMessage | undefined,
  then: (refused: boolean) => void,
): void {
  if (reply?.kind !== 'result' || method === FREE_TEXT) return then(false);
  const screened = gate.screen({ method, params: reply.result });
  if (!(screened instanceof Promise)) return then(screened.kind === 'refuse' || hasLeftOut(screened));
  screened.then(
    (settled) => then(settled.kind === 'refuse' || hasLeftOut(settled)),
    () => then(true),
  );
}

function hasLeftOut({ withoutMeta = [] }: { readonly withoutMeta?: readonly string[] }): boolean {
  return withoutMeta.length > 0;
}
