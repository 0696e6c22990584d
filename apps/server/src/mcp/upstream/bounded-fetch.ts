/** What `fetch` gives to the transports. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface ReadingRules {
  /** Longest JSON body, and longest event of a stream. */
  readonly maxMessageBytes: number;
  /** Resolves when more may be read. */
  readonly mayRead: () => Promise<void> | undefined;
}

const NEWLINE = 0x0a;

/** `fetch` whose bodies are read no faster than the rules say, and fail when one message in them is too long. */
export function createBoundedFetch({ maxMessageBytes, mayRead }: ReadingRules): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    let length = 0;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        await mayRead();
        const end = isStream ? lastBlankLine(chunk) : -1;
        length = end < 0 ? length + chunk.length : chunk.length - end;
        if (length > maxMessageBytes) {
          throw new Error(`a message over the limit of ${maxMessageBytes} bytes (limits.mcpMessageBytes)`);
        }
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
  };
}

/** Where the last event that ends in the chunk ends; below 0 where none does. */
function lastBlankLine(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at -= 1) {
    if (chunk[at] === NEWLINE && (chunk[at - 1] === NEWLINE || chunk[at - 2] === NEWLINE)) return at;
  }
  return -1;
}
