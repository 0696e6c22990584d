export type RpcId = string | number;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Thrown by a handler to have its request answered with an error. */
export class RpcRefusal extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.error = error;
  }
}

/**
 * -32602 as agents built on the ACP SDK answer it: `data` is zod's `format()`, a tree with `_errors` at each node.
 * `missing` maps a field's name to what was expected of it.
 */
export function invalidParams(missing: Readonly<Record<string, string>>): RpcRefusal {
  const data: Record<string, unknown> = { _errors: [] };
  for (const [field, message] of Object.entries(missing)) data[field] = { _errors: [message] };
  return new RpcRefusal({ code: -32602, message: 'Invalid params', data });
}

export function notFound(sessionId: unknown): RpcRefusal {
  return new RpcRefusal({ code: -32002, message: 'Resource not found', data: { sessionId } });
}
