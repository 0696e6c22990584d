/** Saves lines as a file of the browser, once all of them came. */
export async function saveLines(lines: AsyncIterable<string>, name: string): Promise<void> {
  const parts: string[] = [];
  for await (const line of lines) parts.push(line, '\n');
  const address = URL.createObjectURL(new Blob(parts, { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
