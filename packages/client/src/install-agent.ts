import type { InstallLine } from '@reeve/protocol';
import { CallError, errorOfResponse } from './call-error.ts';
import type { HttpCaller } from './http-caller.ts';
import { linesOf } from './lines-of.ts';

export type InstallProgress = Omit<Extract<InstallLine, { kind: 'progress' }>, 'kind'>;
export type InstalledAgent = Omit<Extract<InstallLine, { kind: 'installed' }>, 'kind'>;

export interface InstallOptions {
  /** An exact version, a range or a tag; `latest` unless told. */
  readonly version?: string | undefined;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/** Posts to `path` and reads its lines to the end. Rejects with a `CallError`, `install_failed` among them. */
export async function installAgent(
  http: HttpCaller,
  path: string,
  { version, onProgress, signal }: InstallOptions = {},
): Promise<InstalledAgent> {
  const body = version === undefined ? {} : { version };
  const response = await http.open('POST', path, { body, signal });
  try {
    for await (const line of linesOf(response)) {
      const told = JSON.parse(line) as InstallLine;
      if (told.kind === 'progress') onProgress?.({ phase: told.phase, detail: told.detail });
      else if (told.kind === 'failed') throw failure(told.problem);
      else if (told.kind === 'installed') return withoutKind(told);
    }
  } catch (error) {
    if (error instanceof CallError || signal?.aborted) throw error;
    throw interrupted(error);
  }
  throw interrupted();
}

function interrupted(cause?: unknown): CallError {
  return new CallError({
    code: 'connection_lost',
    message: 'the server went away during the installation',
    next: 'Ask for it again: what was installed whole is used.',
    cause,
  });
}

function failure(problem: unknown): CallError {
  const status = (problem as { status?: unknown }).status;
  return errorOfResponse(typeof status === 'number' ? status : 500, JSON.stringify(problem));
}

function withoutKind({ kind: _, ...installed }: Extract<InstallLine, { kind: 'installed' }>): InstalledAgent {
  return installed;
}
