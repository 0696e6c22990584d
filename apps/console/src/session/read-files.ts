import type { PromptAttachment } from '@reeve/client';

export interface AttachedFile {
  readonly name: string;
  readonly bytes: number;
  readonly attachment: PromptAttachment;
}

/** Larger files would not fit in one request. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Reads files to be sent with a prompt: text as text, all else as base64. */
export async function readFiles(
  files: readonly File[],
): Promise<{ readonly read: readonly AttachedFile[]; readonly refused: readonly string[] }> {
  const read: AttachedFile[] = [];
  const refused: string[] = [];
  for (const file of files) {
    if (file.size > MAX_BYTES) {
      refused.push(`${file.name} is larger than 5 MiB: name its path on the server in the prompt instead.`);
      continue;
    }
    const about = { filename: file.name, ...(file.type ? { mimeType: file.type } : {}) };
    const bytes = new Uint8Array(await file.arrayBuffer());
    const text = file.type.startsWith('image/') ? undefined : asText(bytes);
    const content = text === undefined ? { data: base64(bytes) } : { text };
    read.push({ name: file.name, bytes: file.size, attachment: { ...about, ...content } });
  }
  return { read, refused };
}

function asText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
