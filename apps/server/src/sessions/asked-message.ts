import {
  EXTENSION,
  encodeRequest,
  isObject,
  type JsonObject,
  type JsonRpcId,
  META_KEY,
  questionAsked,
  removeMember,
  type SessionId,
  setMember,
  withOurMeta,
} from '@reeve/protocol';
import { bridged, questionIdOf } from '../requests/check-answer.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import type { AskedForm } from './asked-form.ts';

export interface AskedContext {
  /** What the agent sent. */
  readonly raw: Buffer;
  readonly sessionId: SessionId;
  /** The id by which the client knows the request that the agent named as scope; undefined when it knows none. */
  readonly scope: JsonRpcId | undefined;
  /** Why the client's last answer was none. */
  readonly refused: string | undefined;
}

/** The request as one client is asked it, with what stands under our key; its JSON-RPC id is still to be set. */
export function askedMessage(request: StoredRequest, form: AskedForm, context: AskedContext): Buffer {
  const { refused, sessionId } = context;
  const ours = { ...bridgeOf(request), ...(refused === undefined ? {} : { refused }) };
  if (form.kind === 'translated') {
    const questionId = form.method === EXTENSION.requestQuestion ? { questionId: questionIdOf(request) } : {};
    const params = withOurMeta({ sessionId, ...questionId, ...form.params }, ours);
    return Buffer.from(encodeRequest(0, form.method, params));
  }
  let message = inScope(request, context);
  for (const [member, value] of Object.entries(ours))
    message = setMember(message, ['params', '_meta', META_KEY, member], JSON.stringify(value));
  return message;
}

/** What a client answered, as the agent's own method has it; unchecked. */
export function resultForAgent(request: StoredRequest, form: AskedForm, result: unknown): unknown {
  if (form.kind === 'own') return result;
  const translated = form.resultForAgent(result);
  return isObject(translated) ? bridged(request, translated) : translated;
}

/** An elicitation tied to a request: to whoever does not know that request it is a question of the session. */
function inScope({ kind, params }: StoredRequest, { raw, sessionId, scope }: AskedContext): Buffer {
  if (kind !== 'elicitation' || !isObject(params) || params.requestId === undefined) return raw;
  if (scope !== undefined) return setMember(raw, ['params', 'requestId'], JSON.stringify(scope));
  return setMember(removeMember(raw, ['params', 'requestId']), ['params', 'sessionId'], JSON.stringify(sessionId));
}

/** What stands under our key; for a question also what the older interface knows it by (session surface 3.2). */
function bridgeOf(request: StoredRequest): JsonObject {
  const { id, kind, method, params } = request;
  if (kind === 'permission') return { requestId: id };
  const own = kind === 'question' && isObject(params) ? params.options : undefined;
  const options = own ?? questionAsked(method, params)?.options;
  return {
    requestId: id,
    questionId: questionIdOf(request),
    ...(options === undefined ? {} : { options }),
    status: 'pending',
  };
}
