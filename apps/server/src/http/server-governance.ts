import type { BoundaryNetwork, BoundaryRequire, SandboxReport, WorkspaceInfo } from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import { listDirectories } from '../boundary/list-directories.ts';
import { previewSession } from '../sessions/preview-session.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import type { GovernancePort } from './governance-port.ts';
import { governedServers } from './governed-servers.ts';
import { policiesInForce } from './policies-in-force.ts';
import { revealPermit } from './reveal-permit.ts';
import { sessionBoundaries } from './session-boundaries.ts';

/** A workspace as the configuration has it. */
export interface ConfiguredWorkspace {
  readonly roots: readonly {
    readonly path: string;
    readonly access: 'ro' | 'rw';
    readonly name?: string | undefined;
  }[];
  readonly network?: BoundaryNetwork | undefined;
  readonly require?: BoundaryRequire | undefined;
  /** By name; how they are started holds secrets. */
  readonly mcpServers: { readonly [name: string]: unknown };
}

export interface ServerGovernanceOptions {
  readonly directory: SessionDirectory;
  readonly boundaries: Boundaries;
  readonly workspaces: { readonly [name: string]: ConfiguredWorkspace };
  /** Paths of the policy files that the configuration names. */
  readonly policyFiles: readonly string[];
  readonly sandbox: () => Promise<SandboxReport>;
  /** Of one directory (`limits.maxListedDirectories`). */
  readonly maxListedDirectories: number;
}

/** Boundaries, MCP servers and policies of this server, for the control API. */
export function createServerGovernance(options: ServerGovernanceOptions): GovernancePort {
  const { directory, boundaries, policyFiles, sandbox, maxListedDirectories: max } = options;
  const workspaces = Object.entries(options.workspaces).map(([name, workspace]) => describe(name, workspace));
  return {
    workspaces: () => workspaces,
    async directories(name, path) {
      const workspace = workspaces.find((one) => one.name === name);
      if (!workspace) return { kind: 'unknown' };
      return listDirectories({ roots: workspace.roots.map((root) => root.path), path, max });
    },
    preview: (wanted) => previewSession(directory.services, { wanted, sandbox }),
    ...sessionBoundaries(directory, boundaries),
    ...governedServers(directory, boundaries),
    ...policiesInForce(boundaries, policyFiles),
    permitReveal: revealPermit(directory, boundaries),
  };
}

function describe(name: string, { roots, network, require, mcpServers }: ConfiguredWorkspace): WorkspaceInfo {
  return {
    name,
    roots: roots.map(({ name: label, ...root }) => (label === undefined ? root : { ...root, name: label })),
    ...(network === undefined ? {} : { network }),
    ...(require === undefined ? {} : { require }),
    mcpServers: Object.keys(mcpServers),
  };
}
