import type { NewSession } from '@reeve/client';
import type { BoundaryAccess, BoundaryNetwork, JsonObject } from '@reeve/protocol';

/** What is chosen for a session that does not exist yet. */
export interface SessionDraft {
  /** Undefined: the server's default. */
  readonly agent: string | undefined;
  readonly title: string;
  /** The first is the working directory; empty ones are passed over. */
  readonly roots: readonly { readonly path: string; readonly access: BoundaryAccess }[];
  /** `agent`: what the agent's own entry in the configuration says. */
  readonly network: 'agent' | 'none' | 'hosts' | 'full';
  /** With spaces or commas between. */
  readonly hosts: string;
  /** Model, mode and the like, by name of the choice. */
  readonly choices: Readonly<Record<string, string>>;
}

/** The body of `POST /v1/sessions`. */
export function sessionOf(draft: SessionDraft): NewSession {
  const roots = draft.roots
    .filter(({ path }) => path.trim() !== '')
    .map(({ path, access }) => ({ path: path.trim(), access }));
  const network = networkOf(draft);
  const chosen = Object.entries(draft.choices).filter(([, value]) => value !== '');
  const metadata: JsonObject = {
    ...Object.fromEntries(chosen),
    ...(draft.title.trim() === '' ? {} : { title: draft.title.trim() }),
    boundary: { roots, ...(network === undefined ? {} : { network }) },
  };
  return { agent: draft.agent, cwd: roots[0]?.path ?? '', metadata };
}

export function networkOf({ network, hosts }: SessionDraft): BoundaryNetwork | undefined {
  if (network === 'agent') return undefined;
  return network === 'hosts' ? { allow: hosts.split(/[\s,]+/).filter(Boolean) } : network;
}
