import {
  type ClientContext,
  client,
  type InitializeResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';
import { type ClientTransport, openCarrier, type ReeveAddress } from './sdk-client.ts';

export interface SdkClientV2Options {
  readonly transport: ClientTransport;
  readonly agent?: string;
  readonly onPermission?: (request: RequestPermissionRequest) => RequestPermissionResponse | undefined;
}

/** The SDK's own client of ACP v2, as it is, initialized against a Reeve. Disposing closes the connection. */
export interface SdkClientV2 extends AsyncDisposable {
  readonly agent: ClientContext;
  readonly initialized: InitializeResponse;
  /** Every update so far, oldest first. Live. */
  readonly updates: readonly SessionUpdate[];
  readonly asked: readonly RequestPermissionRequest[];
}

export async function connectSdkClientV2(reeve: ReeveAddress, options: SdkClientV2Options): Promise<SdkClientV2> {
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const name = `sdk-v2-${options.transport}`;
  const app = client({ name })
    .onNotification('session/update', ({ params }) => {
      updates.push(params.update);
    })
    .onRequest('session/request_permission', ({ params, signal }) => {
      asked.push(params);
      return options.onPermission?.(params) ?? untilAborted(signal);
    });
  const { transport, agent } = options;
  const carrier = openCarrier(reeve, { transport, ...(agent === undefined ? {} : { agent }) });
  const connection = app.connect(carrier.stream);
  try {
    const initialized = await connection.agent.request('initialize', {
      protocolVersion: 2,
      info: { name, version: '1.0.0' },
      capabilities: {},
    });
    return {
      agent: connection.agent,
      initialized,
      updates,
      asked,
      [Symbol.asyncDispose]: async () => {
        connection.close();
        await carrier.close();
      },
    };
  } catch (error) {
    connection.close(error);
    await carrier.close();
    throw error;
  }
}

/** The states that a client was told, in order: `running`, `requires_action`, `idle end_turn`. */
export function statesOf(updates: readonly SessionUpdate[]): string[] {
  return updates.flatMap((update) => {
    if (update.sessionUpdate !== 'state_update') return [];
    const { state, stopReason } = update as { state: string; stopReason?: string | null };
    return stopReason == null ? [state] : [`${state} ${stopReason}`];
  });
}

/** The text of the agent's messages, as a client of v2 has them in the end. */
export function messagesOf(updates: readonly SessionUpdate[]): string {
  const messages = new Map<string, string>();
  for (const update of updates) {
    const { sessionUpdate, messageId, content } = update as {
      sessionUpdate: string;
      messageId: string;
      content?: unknown;
    };
    if (sessionUpdate === 'agent_message_chunk') {
      messages.set(messageId, (messages.get(messageId) ?? '') + textOf(content));
    } else if (sessionUpdate === 'agent_message' && content !== undefined) {
      messages.set(messageId, Array.isArray(content) ? content.map(textOf).join('') : '');
    }
  }
  return [...messages.values()].join('\n');
}

function textOf(content: unknown): string {
  const { text } = (content ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : '';
}

/** A request of the agent that this client leaves to others. */
function untilAborted(signal: AbortSignal): Promise<RequestPermissionResponse> {
  const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>();
  signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }), { once: true });
  return promise;
}
