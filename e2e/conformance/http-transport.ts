import type { MessageTransport } from '@reeve/testkit';
import type { ReeveAddress } from '../sdk-client.ts';

/** ACP over streamable HTTP as a transport of whole messages, and what the server refused by a status of HTTP. */
export interface HttpTransport extends MessageTransport {
  readonly refusals: readonly string[];
}

/**
 * Messages are posted one after the other. The stream of a session is opened before a message that names the session
 * is posted, and as soon as an answer names a new one. Closing ends the connection with DELETE.
 */
export function httpTransport(reeve: ReeveAddress, agent: string): HttpTransport {
  const url = `${reeve.url}/acp?agent=${encodeURIComponent(agent)}`;
  const abort = new AbortController();
  const streams = new Map<string, Promise<void>>();
  const refusals: string[] = [];
  let headers: Record<string, string> = { authorization: `Bearer ${reeve.token}` };
  let onText = (_text: string): void => {};
  let onClose = (): void => {};
  let last: Promise<void> = Promise.resolve();

  const deliver = (text: string): void => {
    onText(text);
    const sessionId = sessionOf(text, 'result');
    if (sessionId !== undefined) void openStream(sessionId);
  };

  const read = async (response: Response): Promise<void> => {
    try {
      for await (const data of eventsOf(response)) deliver(data);
    } catch {
      // The stream ended with the connection.
    }
  };

  const openStream = (sessionId: string): Promise<void> => {
    const known = streams.get(sessionId);
    if (known !== undefined) return known;
    const named: Record<string, string> = sessionId === '' ? {} : { 'acp-session-id': sessionId };
    const opened = fetch(url, { headers: { ...headers, accept: 'text/event-stream', ...named }, signal: abort.signal })
      .then((response) => {
        if (response.status === 200) void read(response);
        else refusals.push(`GET ${sessionId}: ${response.status}`);
      })
      .catch(() => undefined);
    streams.set(sessionId, opened);
    return opened;
  };

  const post = async (text: string): Promise<void> => {
    const sessionId = sessionOf(text, 'params');
    if (sessionId !== undefined) await openStream(sessionId);
    const response = await fetch(url, {
      method: 'POST',
      body: text,
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(sessionId === undefined ? {} : { 'acp-session-id': sessionId }),
      },
    });
    const body = await response.text();
    const connectionId = response.headers.get('acp-connection-id');
    if (response.status === 200 && connectionId !== null) {
      headers = { ...headers, 'acp-connection-id': connectionId };
      await openStream('');
      deliver(body);
    } else if (response.status !== 202) refusals.push(`POST ${text.slice(0, 200)}: ${response.status} ${body}`);
  };

  return {
    refusals,
    send: (text) => {
      last = last.then(() => post(text)).catch((error: unknown) => void refusals.push(`POST: ${error}`));
    },
    listen: (text, close) => {
      onText = text;
      onClose = close;
    },
    close: () => {
      last = last
        .then(async () => {
          await fetch(url, { method: 'DELETE', headers });
        })
        .catch(() => undefined)
        .finally(() => {
          abort.abort();
          onClose();
        });
    },
  };
}

/** The data of each event (WHATWG HTML, server-sent events): here an event has one line of data. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pending = '';
  for await (const chunk of response.body ?? []) {
    pending += decoder.decode(chunk, { stream: true });
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield line.slice('data: '.length);
  }
}

function sessionOf(text: string, where: 'params' | 'result'): string | undefined {
  try {
    const message = JSON.parse(text) as { params?: { sessionId?: unknown }; result?: { sessionId?: unknown } } | null;
    const sessionId = message?.[where]?.sessionId;
    return typeof sessionId === 'string' && sessionId !== '' ? sessionId : undefined;
  } catch {
    return undefined;
  }
}
