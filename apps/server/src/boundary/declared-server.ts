import type { ServerOrigin } from '@reeve/policy';

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
}
