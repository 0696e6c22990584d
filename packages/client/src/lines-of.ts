/** The lines of a body, without their newlines; what stands after the last one is left out. */
export async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
