import type { IncomingMessage } from 'node:http';

/** Of HTTP/1.1, or of HTTP/2 by Node's compatible API, which offers the same. */
export type HttpRequest = IncomingMessage;

export type BodyResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-utf8' }
  | { readonly kind: 'too-slow' }
  /** The peer went away before the end. */
  | { readonly kind: 'aborted' };

/**
 * A body that is too long is read on, and thrown away, for this long: a client that is still sending would otherwise
 * meet a closed socket before it reads the answer.
 */
const DISCARD_MS = 1_000;

/** The body as UTF-8 text (a byte order mark is dropped), in at most `maxBytes` of memory and `deadlineMs`. Never rejects. */
export function readBody(request: HttpRequest, maxBytes: number, deadlineMs: number): Promise<BodyResult> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let discarding: NodeJS.Timeout | undefined;
    const deadline = setTimeout(() => settle({ kind: 'too-slow' }), deadlineMs);
    const settle = (result: BodyResult): void => {
      clearTimeout(deadline);
      clearTimeout(discarding);
      request.off('data', onData);
      chunks = [];
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.byteLength;
      if (size <= maxBytes) chunks.push(chunk);
      else if (discarding === undefined) {
        chunks = [];
        discarding = setTimeout(() => settle({ kind: 'too-large' }), DISCARD_MS);
      }
    };
    request.on('data', onData);
    request.once('end', () => settle(size > maxBytes ? { kind: 'too-large' } : decode(Buffer.concat(chunks))));
    request.once('error', () => settle({ kind: 'aborted' }));
    request.once('close', () => settle({ kind: 'aborted' }));
  });
}

function decode(bytes: Buffer): BodyResult {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'not-utf8' };
  }
}
