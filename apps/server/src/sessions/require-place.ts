import {
  type BoundaryWish,
  collectIssues,
  META_KEY,
  ReeveError,
  readBoundary,
  type SessionId,
  type SessionSetup,
  type SetupIssue,
  setupErrorData,
} from '@reeve/protocol';
import { boundaryRefused, type PlaceRefusal } from '../boundary/place-refusal.ts';
import { resolveBoundary } from '../boundary/resolve-boundary.ts';
import type { GovernanceServices } from './session-governance.ts';
import type { SessionPlace } from './session-place.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionRecord } from './session-store.ts';

/** A place that somebody asks for. */
export interface PlaceRequest {
  readonly setup: SessionSetup;
  /** Who asks. */
  readonly by: string;
  /** Undefined for one that is not there yet. */
  readonly session?: SessionId;
  /** Instead of the boundary of the request itself. */
  readonly wished?: unknown;
}

/**
 * The place that is asked for, approved: its directories exist now, and are what they are. Throws `invalid_params` whose data names each
 * path, what was expected, what came and how to mend it. That a place was refused is recorded before this rejects.
 */
export async function requirePlace(
  { boundaryRules, governance, audit }: SessionServices,
  { setup: { cwd, additionalDirectories, meta }, by, session, wished = meta.boundary }: PlaceRequest,
): Promise<SessionPlace> {
  const { issues, report } = collectIssues();
  const refuse = async (found: readonly SetupIssue[], refusals: readonly PlaceRefusal[]): Promise<never> => {
    if (refusals.length > 0) await audit.record(boundaryRefused(refusals, { by, session }));
    throw refused(found);
  };
  const wish = wishedBoundary(governance, { wished, workspace: meta.workspace }, report);
  if (issues.length > 0) {
    const isNamed = wished === undefined && meta.workspace !== undefined;
    return refuse(issues, isNamed ? [{ reason: 'workspace' }] : []);
  }
  const check = await resolveBoundary({ wish, cwd, additionalDirectories }, boundaryRules);
  if (check.kind === 'invalid') return refuse(check.issues, check.refusals);
  return { ...check.place, named: additionalDirectories };
}

/** The boundary that is asked for: itself, or else by the name of a workspace; undefined where neither is. Reports what is wrong. */
export function wishedBoundary(
  governance: GovernanceServices,
  { wished, workspace }: { readonly wished: unknown; readonly workspace: unknown },
  report: (issue: SetupIssue) => void,
): BoundaryWish | undefined {
  const isNamed = wished === undefined && workspace !== undefined;
  return isNamed ? workspaceOf(governance, workspace, report) : readBoundary(wished, report);
}

/** The boundary that the configuration has under that name. */
function workspaceOf(
  { workspaces }: GovernanceServices,
  name: unknown,
  report: (issue: SetupIssue) => void,
): BoundaryWish | undefined {
  if (typeof name === 'string' && Object.hasOwn(workspaces, name)) return workspaces[name];
  const known = Object.keys(workspaces).slice(0, 20).join(', ');
  report({
    path: `_meta["${META_KEY}"].workspace`,
    expected: 'the name of a workspace',
    received: (JSON.stringify(name) ?? 'nothing').slice(0, 100),
    fix: known === '' ? 'name one in "workspaces" of the configuration' : `one of ${known}`,
  });
  return undefined;
}

/**
 * The place of a session that gets a process again: as it was approved, but for additional directories that were named since. Of a
 * record without one the directories are approved now.
 */
export async function placeAgain(services: SessionServices, record: SessionRecord): Promise<SessionPlace> {
  const { sessionId: session, place, cwd, additionalDirectories, metadata } = record;
  const setup = { cwd, additionalDirectories, mcpServers: [], meta: { workspace: metadata.workspace } };
  const asked = { by: 'reeve', session, wished: metadata.boundary };
  if (place === undefined) return requirePlace(services, { ...asked, setup });
  if (JSON.stringify(place.named) === JSON.stringify(additionalDirectories)) return place;
  const next = await requirePlace(services, { ...asked, setup: { ...setup, cwd: place.cwd } });
  if (next.cwd !== place.cwd) throw moved(place.cwd);
  return { ...next, boundary: { ...next.boundary, revision: place.boundary.revision + 1 } };
}

function refused(issues: readonly SetupIssue[]): ReeveError {
  const data = setupErrorData(issues);
  return new ReeveError('invalid_params', { message: `Invalid params: ${String(data.summary)}`, data: { ...data } });
}

function moved(cwd: string): ReeveError {
  return new ReeveError('forbidden', {
    message: `the directory ${JSON.stringify(cwd)} is not the one that was approved any more: put it back, or begin a new session`,
    data: { path: cwd, reason: 'root_gone' },
  });
}
