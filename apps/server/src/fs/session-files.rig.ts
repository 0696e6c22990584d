import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RpcError } from '@reeve/protocol';
import { isReeveError } from '@reeve/protocol';
import type { SandboxRoot } from '@reeve/sandbox';
import { OpenRoots } from '../boundary/open-roots.ts';
import { SessionFiles } from './session-files.ts';

/** The file service of one session over directories of its own: `work` (rw), `work/vendor` (ro) and, outside, `outside`. */
export interface FilesRig extends AsyncDisposable {
  readonly folder: string;
  readonly work: string;
  readonly outside: string;
  readonly files: SessionFiles;
  /** The content, or the refusal. */
  read(path: string, range?: { line?: number; limit?: number }): Promise<string | RpcError>;
  write(path: string, content: string): Promise<'written' | RpcError>;
}

export async function openFilesRig(maxFileBytes = 64 * 1024, more: readonly SandboxRoot[] = []): Promise<FilesRig> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-files-')));
  const work = join(folder, 'work');
  const outside = join(folder, 'outside');
  await mkdir(join(work, 'vendor'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'outside');
  const roots = OpenRoots.open([{ path: work, access: 'rw' }, { path: join(work, 'vendor'), access: 'ro' }, ...more]);
  await roots;
  const files = new SessionFiles(roots, maxFileBytes);
  const { signal } = new AbortController();
  const refusal = (error: unknown): RpcError => {
    if (isReeveError(error)) return error.toRpc();
    throw error;
  };
  return {
    folder,
    work,
    outside,
    files,
    read: (path, range = {}) =>
      files
        .answer('fs/read_text_file', { sessionId: 's', path, ...range }, signal)
        .then(({ content }) => content as string)
        .catch(refusal),
    write: (path, content) =>
      files
        .answer('fs/write_text_file', { sessionId: 's', path, content }, signal)
        .then(() => 'written' as const)
        .catch(refusal),
    async [Symbol.asyncDispose]() {
      await files.idle();
      await (await roots)[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
