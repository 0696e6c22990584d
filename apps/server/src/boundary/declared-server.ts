import type { ServerOrigin } from '@reeve/policy';
import type { BoundaryNetwork } from '@reeve/protocol';

/** How an MCP server is reached. `env` and `headers` hold secrets: never to be logged, recorded or shown. */
export type ServerTransport =
  | {
      readonly kind: 'stdio';
      /** As it was declared: a path, or a name that is looked up. */
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'http' | 'sse';
      /** http or https; its user part and its query may hold secrets. */
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** An MCP server as a client, the configuration or a file of a workspace names it. */
export interface DeclaredServer {
  /** One of its own among the servers of a session. */
  readonly name: string;
  readonly origin: ServerOrigin;
  readonly transport: ServerTransport;
  /**
   * `sha256:` of the entry as a file of the workspace has it, values of `env` and `headers` too. Part of the fingerprint: an approval
   * is of that very entry. Only where `origin` is `workspace`.
   */
  readonly content?: string;
  /** The operator's word that what it says of its own tools is to be believed. Only where `origin` is `configuration`. */
  readonly trusted?: boolean;
  /** What its process may reach, in the operator's words; `none` without. Only where `origin` is `configuration`. */
  readonly network?: BoundaryNetwork;
}
