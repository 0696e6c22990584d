import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type BoundaryNetwork,
  type BoundaryPreview,
  type BoundaryWish,
  checkSessionSetup,
  collectIssues,
  isReeveError,
  META_KEY,
  type NewSession,
  type PreviewedRoot,
  type PreviewedServer,
  ReeveError,
  type SandboxReport,
  type SessionSetup,
  type SetupIssue,
  setupErrorData,
} from '@reeve/protocol';
import type { AgentEntry } from '../agents/agent-registry.ts';
import { isWithin } from '../agents/agent-sandbox-home.ts';
import type { ForeseenServer, Foresight } from '../boundary/foreseen.ts';
import {
  type BoundaryRequest,
  type ResolvedPlace,
  resolveBoundary,
  resolveRoots,
} from '../boundary/resolve-boundary.ts';
import { declaredServers } from './declared-servers.ts';
import { foreseeEnforcement } from './foresee-enforcement.ts';
import { ownServers } from './own-servers.ts';
import { wishedBoundary } from './require-place.ts';
import { type GovernanceServices, mayDeclare } from './session-governance.ts';
import { requireMetadata } from './session-metadata.ts';
import type { SessionServices } from './session-services.ts';

export interface PreviewRequest {
  /** The body of `POST /v1/sessions`. */
  readonly wanted: NewSession;
  readonly sandbox: () => Promise<SandboxReport>;
}

/**
 * What a session would be that is made with this: what each directory is, what would hold the agent there, and what policies and earlier
 * decisions say of each MCP server. Nothing starts, nobody is asked, nothing is granted or recorded. Throws the ReeveErrors of a request
 * whose shape is wrong; what is wrong with its place is told in `issues`.
 */
export async function previewSession(
  services: SessionServices,
  { wanted, sandbox }: PreviewRequest,
): Promise<BoundaryPreview> {
  const { governance, agents, limits, boundaryRules } = services;
  const setup = readSetup(wanted);
  const metadata = requireMetadata(setup.meta, limits.maxMetadataBytes);
  const named = typeof setup.meta.agent === 'string' ? setup.meta.agent : undefined;
  const entry = agents.entry(wanted.agent ?? named);
  const found = await findPlace(services, setup, boundaryRules);
  const { place, issues } = found;
  const confined = await governance.confined();
  const foreseen = await foreseeAgent(services, entry, place, metadata.workspace);
  const enforcement = foreseeEnforcement(await sandbox(), foreseen.kind === 'held' ? foreseen : undefined);
  const refusal = foreseen.kind === 'refused' ? foreseen.why : enforcement.refusal;
  const told = { enforcement: enforcement.told, issues, ...(refusal === undefined ? {} : { refusal }) };
  if (!place) return { roots: [], servers: [], ungoverned: [], notes: [], ...told };

  const { servers: configured, problems } = await governance.configuredServers({
    cwd: place.cwd,
    roots: place.boundary.roots.map(({ path }) => path),
    workspace: typeof metadata.workspace === 'string' ? metadata.workspace : undefined,
  });
  const declared = declaredServers(setup.mcpServers, configured, []);
  await using guard = await governance.boundaries.open({ agent: entry.name, place, enforced: confined, confined });
  await Promise.all(declared.map((server) => guard.guardOf(server)));
  const { roots, servers } = await guard.foresee();
  const off: ReadonlySet<unknown> = new Set(metadata.mcpServersOff);
  const given: ReadonlySet<unknown> = new Set(setup.mcpServers.map(({ name }) => name));
  const isOff = (name: string): boolean => off.has(name) && !given.has(name);
  const own = await ownServers(place.boundary.roots, entry.sandbox?.mcpFiles ?? [], confined);
  const governed = new Set(declared.map(({ name }) => name).filter((name) => !isOff(name)));
  return {
    ...(issues.length === 0 ? { cwd: place.cwd } : {}),
    roots: await rootsOf(roots, governance),
    ...(foreseen.kind === 'held' ? { network: foreseen.network } : {}),
    servers: inOrder(servers, declared).map((server) => reportServer(server, isOff(server.shown.name))),
    ungoverned: own.servers.flatMap(({ name, from }) => (governed.has(name) ? [] : [{ name, from: from ?? '' }])),
    notes: problems,
    ...told,
  };
}

/** @throws ReeveError `invalid_params` with the issues of the shape */
function readSetup({ cwd, additionalDirectories = [], mcpServers = [], metadata = {} }: NewSession): SessionSetup {
  const params = { cwd, additionalDirectories, mcpServers, _meta: { [META_KEY]: metadata } };
  const checked = checkSessionSetup('session/new', params);
  if (checked.kind === 'ok') return checked.setup;
  throw invalid(checked.issues);
}

interface FoundPlace {
  /** Of what can be had; undefined where nothing can. */
  readonly place: ResolvedPlace | undefined;
  readonly issues: readonly SetupIssue[];
}

/** The place as far as it can be had, and what is wrong with the rest. */
async function findPlace(
  { governance }: SessionServices,
  { cwd, additionalDirectories, meta }: SessionSetup,
  rules: SessionServices['boundaryRules'],
): Promise<FoundPlace> {
  const { issues, report } = collectIssues();
  const wish = wishedBoundary(governance, { wished: meta.boundary, workspace: meta.workspace }, report);
  if (issues.length > 0) throw invalid(issues);
  const check = await resolveBoundary({ wish, cwd, additionalDirectories }, rules);
  if (check.kind === 'ok') return { place: check.place, issues: [] };
  return { place: await whatCanBeHad({ wish, cwd, additionalDirectories }, rules), issues: check.issues };
}

async function whatCanBeHad(
  { wish, cwd, additionalDirectories }: BoundaryRequest,
  rules: SessionServices['boundaryRules'],
): Promise<ResolvedPlace | undefined> {
  const asked: NonNullable<BoundaryWish['roots']> =
    wish?.roots ?? [cwd, ...additionalDirectories].map((path) => ({ path, access: 'rw' as const }));
  if (asked.length > rules.maxRoots) return undefined;
  const checks = await Promise.all(asked.map((root) => resolveRoots([root], rules)));
  const found = checks.flatMap((check) => (check.kind === 'ok' ? check.roots : []));
  const roots = [...new Map(found.map((root) => [root.path, root])).values()];
  const [first] = roots;
  if (!first) return undefined;
  const work = roots.find(({ kind }) => kind !== 'file')?.path ?? dirname(first.path);
  const boundary = { ...wish, roots, revision: 1 };
  return { boundary, cwd: work, additionalDirectories: [] };
}

type ForeseenAgent =
  | {
      readonly kind: 'held';
      readonly require: 'enforced' | 'declared';
      readonly network: BoundaryNetwork;
      readonly gaps: readonly string[];
    }
  | { readonly kind: 'refused'; readonly why: string };

async function foreseeAgent(
  { agents, governance }: SessionServices,
  entry: AgentEntry,
  place: ResolvedPlace | undefined,
  workspace: unknown,
): Promise<ForeseenAgent> {
  const { boundary, cwd } = place ?? {};
  const roots = boundary?.roots ?? [];
  try {
    const held = agents.foresee(entry, {
      cwd: cwd ?? '/',
      ...(boundary === undefined ? {} : { boundary }),
      mayDeclare: roots.length > 0 && mayDeclare(governance, workspace, roots),
    });
    return { kind: 'held', ...held };
  } catch (error) {
    if (!isReeveError(error)) throw error;
    return { kind: 'refused', why: error.message };
  }
}

async function rootsOf(
  roots: Foresight['roots'],
  { workspaces }: GovernanceServices,
): Promise<readonly PreviewedRoot[]> {
  const named = await Promise.all(
    Object.entries(workspaces).flatMap(([workspace, { roots: within }]) =>
      within.map(async ({ path }) => ({ workspace, path: await realpath(path).catch(() => path) })),
    ),
  );
  return roots.map(({ root, risks, highRisk, inProject, why }) => {
    const around = named.find(({ path }) => isWithin(root.path, path));
    return {
      ...root,
      risks,
      highRisk,
      inProject,
      ...(why === undefined ? {} : { why }),
      ...(around === undefined ? {} : { workspace: around.workspace }),
    };
  });
}

/** As the session would have them. */
function inOrder(
  servers: readonly ForeseenServer[],
  declared: readonly { readonly name: string }[],
): readonly ForeseenServer[] {
  const byName = new Map(servers.map((server) => [server.shown.name, server]));
  return declared.flatMap(({ name }) => byName.get(name) ?? []);
}

function reportServer({ shown, start, policies, roots }: ForeseenServer, off: boolean): PreviewedServer {
  return {
    identity: shown,
    off,
    start,
    policies,
    roots: roots.map(({ standing: { root, access, policies: by, only, why }, outcome }) => ({
      path: root.path,
      access: root.access,
      outcome,
      allowed: access,
      policies: by,
      ...(only === undefined ? {} : { only }),
      ...(why === undefined ? {} : { why }),
    })),
  };
}

function invalid(issues: readonly SetupIssue[]): ReeveError {
  const data = setupErrorData(issues);
  return new ReeveError('invalid_params', { message: `Invalid params: ${String(data.summary)}`, data: { ...data } });
}
