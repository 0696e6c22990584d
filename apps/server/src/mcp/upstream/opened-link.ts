import type { RpcMessage } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { ScopeChange } from '../../boundary/server-guard.ts';
import type { UpstreamLink } from './upstream-link.ts';

/** A link that was opened, with what is known of it from outside. */
export type OpenedLink =
  | {
      readonly kind: 'opened';
      readonly link: UpstreamLink;
      /** Of the scope that it was started in. */
      readonly revision: number;
      readonly enforcement: Enforcement | undefined;
      stderrTail(): string;
    }
  /** `retry`: another attempt may succeed without anybody changing something. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retry: boolean };

export interface LinkSite {
  onMessage(message: RpcMessage, raw: Buffer): void;
  onNoise(what: string): void;
  /** The narrower scope that makes this start necessary. */
  readonly because: ScopeChange | undefined;
  readonly signal: AbortSignal;
}

/** Starts a process or contacts a URL. Never rejects. */
export type OpenLink = (site: LinkSite) => Promise<OpenedLink>;
