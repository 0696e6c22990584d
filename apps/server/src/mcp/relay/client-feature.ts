import { CODE } from '../wire/mcp-keys.ts';

const NEEDED: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};

/** The capability that a client must have to be asked this by a server (MCP, client features); undefined for other methods. */
export function neededFeature(method: string): string | undefined {
  return Object.hasOwn(NEEDED, method) ? NEEDED[method] : undefined;
}

/** What a server is told in place of a client that cannot be asked. */
export type Substitute =
  | { readonly kind: 'result'; readonly result: { readonly action: 'decline' } }
  | { readonly kind: 'error'; readonly error: { readonly code: number; readonly message: string } };

export function substituteFor(method: string): Substitute {
  if (method === 'elicitation/create') return { kind: 'result', result: { action: 'decline' } };
  const message = `the client does not offer ${method.slice(0, 100)}`;
  return { kind: 'error', error: { code: CODE.methodNotFound, message } };
}
