import type { AuditCheckpoint, AuditPage, AuditQuery, AuditVerdict } from '@reeve/protocol';
import { CallError } from './call-error.ts';
import type { HttpCaller } from './http-caller.ts';
import { linesOf } from './lines-of.ts';

export interface AuditListQuery extends AuditQuery {
  /** `newest` unless told. */
  readonly order?: 'newest' | 'oldest';
  readonly cursor?: string | undefined;
  readonly limit?: number;
}

export interface AuditExportQuery extends AuditQuery {
  /** JSON lines that can be checked, unless told; `decisions`: what policies decided, for `reeve policy test`. */
  readonly format?: 'jsonl' | 'ocsf' | 'decisions';
}

export interface AuditCalls {
  list(query?: AuditListQuery, signal?: AbortSignal): Promise<AuditPage>;
  /** What the log has now, signed. `from`: with a proof that the log of so many records is its beginning. */
  checkpoint(from?: number, signal?: AbortSignal): Promise<AuditCheckpoint>;
  /** Line by line, without newlines. Rejects when the server goes away in the middle. */
  export(query?: AuditExportQuery, signal?: AbortSignal): AsyncGenerator<string>;
  /** The server checks its own log, against checkpoints and keys of yours too. */
  verify(
    given?: { readonly keys?: readonly string[]; readonly checkpoints?: readonly string[] },
    signal?: AbortSignal,
  ): Promise<AuditVerdict>;
  /** The paths of a record in the clear; the server records that first. */
  reveal(seq: number, signal?: AbortSignal): Promise<readonly { readonly label: string; readonly path: string }[]>;
  /** Gives the new public key. */
  rotateKey(signal?: AbortSignal): Promise<string>;
}

export function auditCalls(http: HttpCaller): AuditCalls {
  return {
    list: async (query = {}, signal) =>
      (await http.call('GET', '/v1/audit', { query: { ...query }, signal, patience: 'work' })) as AuditPage,
    checkpoint: async (from, signal) =>
      (await http.call('GET', '/v1/audit/checkpoint', {
        query: { from },
        signal,
        patience: 'work',
      })) as AuditCheckpoint,
    async *export(query = {}, signal) {
      const response = await http.open('GET', '/v1/audit/export', { query: { ...query }, signal });
      try {
        yield* linesOf(response);
      } catch (cause) {
        if (signal?.aborted) throw cause;
        throw new CallError({
          code: 'connection_lost',
          message: 'the server went away during the export',
          next: 'Export again: what was written is not whole.',
          cause,
        });
      }
    },
    verify: async (body = {}, signal) =>
      (await http.call('POST', '/v1/audit/verify', { body, signal, patience: 'open' })) as AuditVerdict,
    async reveal(seq, signal) {
      const answer = await http.call('POST', `/v1/audit/${seq}/reveal`, { signal });
      return (answer as { readonly paths: readonly { readonly label: string; readonly path: string }[] }).paths;
    },
    rotateKey: async (signal) =>
      ((await http.call('POST', '/v1/audit/keys/rotate', { signal })) as { readonly key: string }).key,
  };
}
