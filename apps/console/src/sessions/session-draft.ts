import type { NewSession } from '@reeve/client';
import type { BoundaryAccess, BoundaryNetwork, JsonObject, WorkspaceInfo } from '@reeve/protocol';
import type { AddedServer } from './added-server.ts';

/** What is chosen for a session that does not exist yet. */
export interface SessionDraft {
  /** Undefined: the server's default. */
  readonly agent: string | undefined;
  readonly title: string;
  /** A workspace of the configuration, with its roots, network and MCP servers; undefined: what follows here. */
  readonly workspace: WorkspaceInfo | undefined;
  /** Where work happens in the workspace; undefined for its first root. */
  readonly cwd: string | undefined;
  /** The first is the working directory; empty ones are passed over. */
  readonly roots: readonly { readonly path: string; readonly access: BoundaryAccess }[];
  /** `agent`: what the agent's own entry in the configuration says. */
  readonly network: 'agent' | 'none' | 'hosts' | 'full';
  /** With spaces or commas between. */
  readonly hosts: string;
  /** Model, mode and the like, by name of the choice. */
  readonly choices: Readonly<Record<string, string>>;
  /** Names of servers that the configuration or the project brings, and that are switched off. */
  readonly serversOff: readonly string[];
  /** For this session alone. */
  readonly servers: readonly AddedServer[];
}

/** What can be said where nothing was chosen yet. */
export const EMPTY_DRAFT: SessionDraft = {
  agent: undefined,
  title: '',
  workspace: undefined,
  cwd: undefined,
  roots: [{ path: '', access: 'rw' }],
  network: 'agent',
  hosts: '',
  choices: {},
  serversOff: [],
  servers: [],
};

/** The body of `POST /v1/sessions`. */
export function sessionOf(draft: SessionDraft): NewSession {
  const { agent, workspace, cwd, choices, title, serversOff, servers } = draft;
  const roots = rootsOf(draft);
  const network = networkOf(draft);
  const place =
    workspace === undefined
      ? { boundary: { roots, ...(network === undefined ? {} : { network }) } }
      : { workspace: workspace.name };
  const metadata: JsonObject = {
    ...Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== '')),
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    ...(serversOff.length === 0 ? {} : { mcpServersOff: serversOff }),
    ...place,
  };
  const inWorkspace = workspace === undefined ? undefined : cwd;
  return { agent, cwd: inWorkspace ?? roots[0]?.path ?? '', mcpServers: servers, metadata };
}

/** What the server can be asked about; undefined where nobody named a whole path yet. Its title is no matter. */
export function previewOf(draft: SessionDraft): NewSession | undefined {
  const roots = rootsOf(draft);
  const whole = roots.length > 0 && roots.every(({ path }) => path.startsWith('/'));
  return whole ? sessionOf({ ...draft, title: '', choices: {} }) : undefined;
}

function rootsOf({ workspace, roots }: SessionDraft): SessionDraft['roots'] {
  if (workspace !== undefined) return workspace.roots;
  return roots.flatMap(({ path, access }) => (path.trim() === '' ? [] : [{ path: path.trim(), access }]));
}

function networkOf({ workspace, network, hosts }: SessionDraft): BoundaryNetwork | undefined {
  if (workspace !== undefined) return workspace.network;
  if (network === 'agent') return undefined;
  return network === 'hosts' ? { allow: hosts.split(/[\s,]+/).filter(Boolean) } : network;
}
