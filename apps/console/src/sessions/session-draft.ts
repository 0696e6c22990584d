import type { NewSession } from '@reeve/client';
import type { BoundaryAccess, BoundaryNetwork, JsonObject, WorkspaceInfo } from '@reeve/protocol';

/** What is chosen for a session that does not exist yet. */
export interface SessionDraft {
  /** Undefined: the server's default. */
  readonly agent: string | undefined;
  readonly title: string;
  /** A workspace of the configuration, with its roots, network and MCP servers; undefined: what follows here. */
  readonly workspace: WorkspaceInfo | undefined;
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
  const { agent, workspace, choices, title } = draft;
  const roots = rootsOf(draft);
  const network = networkOf(draft);
  const place =
    workspace === undefined
      ? { boundary: { roots, ...(network === undefined ? {} : { network }) } }
      : { workspace: workspace.name };
  const metadata: JsonObject = {
    ...Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== '')),
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    ...place,
  };
  return { agent, cwd: roots[0]?.path ?? '', metadata };
}

export function rootsOf({ workspace, roots }: SessionDraft): SessionDraft['roots'] {
  if (workspace !== undefined) return workspace.roots;
  return roots.flatMap(({ path, access }) => (path.trim() === '' ? [] : [{ path: path.trim(), access }]));
}

export function networkOf({ workspace, network, hosts }: SessionDraft): BoundaryNetwork | undefined {
  if (workspace !== undefined) return workspace.network;
  if (network === 'agent') return undefined;
  return network === 'hosts' ? { allow: hosts.split(/[\s,]+/).filter(Boolean) } : network;
}
