export type TextResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-utf8' }
  /** The caller went away before the end. */
  | { readonly kind: 'gone' };

/** The body of a request as UTF-8 text, in at most `maxBytes` of memory. Never rejects. */
export async function readText(request: Request, maxBytes: number): Promise<TextResult> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) return { kind: 'too-large' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'gone' };
  }
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return { kind: 'not-utf8' };
  }
}
