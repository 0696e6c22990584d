import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackageName } from './package-name.ts';
import { type NpmOptions, type NpmRun, runNpm } from './run-npm.ts';
import { newestFirst, parseExactVersion } from './wanted-version.ts';

/** What the registry has of a package. */
export type PackageListing =
  | {
      readonly kind: 'found';
      /** Newest first. */
      readonly versions: readonly string[];
      /** Version by name of each dist-tag. */
      readonly tags: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'unknown' }
  /** `message`: npm's own last words and the next step. */
  | { readonly kind: 'unreachable'; readonly message: string };

/** Asks the registry that npm is set up for. */
export async function listPackage(npm: NpmOptions, name: PackageName, signal: AbortSignal): Promise<PackageListing> {
  const run = await view(npm, [name, 'versions', 'dist-tags'], signal);
  if (run.kind === 'failed') {
    return run.code === 'E404' ? { kind: 'unknown' } : { kind: 'unreachable', message: unreachable(run) };
  }
  const { versions, 'dist-tags': tags } = (parse(run.stdout) ?? {}) as {
    versions?: unknown;
    'dist-tags'?: unknown;
  };
  const list = (Array.isArray(versions) ? versions : [versions]).filter(
    (each) => parseExactVersion(each) !== undefined,
  );
  return { kind: 'found', versions: newestFirst(list as string[]), tags: versionsByTag(tags) };
}

export type KnownIntegrity =
  | { readonly kind: 'known'; readonly integrity: string }
  /** The registry gives no sha512 for it. */
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unreachable'; readonly message: string };

/** The sha512 that the registry gives for one version. */
export async function integrityOf(
  npm: NpmOptions,
  name: PackageName,
  version: string,
  signal: AbortSignal,
): Promise<KnownIntegrity> {
  const run = await view(npm, [`${name}@${version}`, 'dist.integrity'], signal);
  if (run.kind === 'failed' && run.code !== 'E404') return { kind: 'unreachable', message: unreachable(run) };
  if (run.kind === 'failed' || run.stdout.trim() === '') return { kind: 'unknown' };
  const integrity = parse(run.stdout);
  return typeof integrity === 'string' && isSha512(integrity) ? { kind: 'known', integrity } : { kind: 'unsigned' };
}

/** With an empty cache: npm answers from an old one where it cannot reach the registry, and does not say so. */
async function view(npm: NpmOptions, what: readonly string[], signal: AbortSignal): Promise<NpmRun> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-npm-'));
  try {
    const args = ['view', ...what, '--json', `--cache=${folder}`, '--logs-max=0', '--fetch-retries=1'];
    return await runNpm(npm, args, folder, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What happened and what to do, of a run of npm that failed. */
export function unreachable({ code, message }: Extract<NpmRun, { kind: 'failed' }>): string {
  switch (code) {
    case 'NO_NPM':
      return `${message} Install npm (it comes with Node.js), or put it on the PATH of the server.`;
    case 'ABORTED':
      return `${message}: the registry took too long. Check the network and the registry setting of npm, or raise the time-out.`;
    case 'E401':
    case 'E403':
    case 'ENEEDAUTH':
      return `npm was refused by the registry (${code}: ${message}). Log in with "npm login" as the user of the server.`;
    default:
      return `npm failed (${code}: ${message}). Check that the registry can be reached ("npm ping") and npm's registry and proxy settings.`;
  }
}

function isSha512(text: string): boolean {
  return /^sha512-[A-Za-z0-9+/]{86}==$/.test(text);
}

function versionsByTag(tags: unknown): Record<string, string> {
  if (typeof tags !== 'object' || tags === null) return {};
  const known = Object.entries(tags).filter(([, version]) => parseExactVersion(version) !== undefined);
  return Object.fromEntries(known) as Record<string, string>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
