import type { ServerResponse } from 'node:http';
import type { ReplyChannel } from '../relay/agent-channel.ts';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
/** Answers within this time go out in one piece with the headers; clients that wait for headers do so for seconds. */
const HEADERS_AFTER_MS = 30;
const RETURN = 0x0d;

/** Begins an event stream on a response. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, HEADERS);
}

/** One message as an event. It is one line already, unless someone put carriage returns between its tokens. */
export function writeEvent(response: ServerResponse, raw: Buffer): void {
  if (response.writableEnded || response.destroyed) return;
  const line = raw.includes(RETURN) ? Buffer.from(JSON.stringify(JSON.parse(raw.toString()))) : raw;
  response.write(Buffer.concat([Buffer.from('event: message\ndata: '), line, Buffer.from('\n\n')]));
}

/** Where the answer to one POST goes: an event stream that ends with the answer. */
export function streamReply(response: ServerResponse): ReplyChannel {
  beginStream(response);
  const flush = setTimeout(() => response.flushHeaders(), HEADERS_AFTER_MS);
  response.once('close', () => clearTimeout(flush));
  return {
    send: (raw) => writeEvent(response, raw),
    answer(raw) {
      writeEvent(response, raw);
      response.end();
    },
  };
}

/** The same for a client that takes no streams: it gets the answer alone. */
export function plainReply(response: ServerResponse): ReplyChannel {
  return {
    send: () => {},
    answer: (raw) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end(raw),
  };
}
