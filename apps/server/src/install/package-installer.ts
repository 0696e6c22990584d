import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ReeveError } from '@reeve/protocol';
import type { ProcessHolder } from '@reeve/sandbox';
import { orAborted } from '../pace/or-aborted.ts';
import { type InstallDraft, installArguments, sealDraft, writeManifest } from './install-draft.ts';
import { takeInstallLock } from './install-lock.ts';
import { findInstalled, type InstalledPackage, installedVersions, packageFolder } from './installed-package.ts';
import { npmEnvironment } from './npm-environment.ts';
import type { PackageName } from './package-name.ts';
import { integrityOf, type KnownIntegrity, listPackage, type PackageListing, unreachable } from './package-registry.ts';
import { type NpmOptions, runNpm } from './run-npm.ts';
import { newestThatMeets, parseExactVersion, type WantedVersion } from './wanted-version.ts';

export interface InstallerOptions {
  /** Packages lie under `packages` of it. */
  readonly dataDir: string;
  readonly holder: ProcessHolder;
  /** The server's own environment; npm is given a part of it. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly limits: InstallLimits;
}

export interface InstallLimits {
  /** For one question to the registry. */
  readonly registryMs: number;
  /** For one installation, waiting for another one of the same package included. */
  readonly installMs: number;
}

export interface InstallProgress {
  readonly phase: 'resolving' | 'downloading' | 'checking' | 'done';
  readonly detail: string;
}

export type OnProgress = (progress: InstallProgress) => void;

export type Resolution =
  /** `note`: why the registry was not asked. */
  | { readonly kind: 'resolved'; readonly version: string; readonly note?: string }
  /** `versions`: what there is, newest first. */
  | { readonly kind: 'no-match'; readonly versions: readonly string[] }
  | { readonly kind: 'unknown-package' }
  | { readonly kind: 'unreachable'; readonly message: string };

interface Running {
  readonly installed: Promise<InstalledPackage>;
  readonly listeners: Set<OnProgress>;
  last: InstallProgress;
}

const DRAFT = '.draft-';

/**
 * Packages of the npm registry, each version installed once into the data directory. Any number of servers may share it.
 * Install scripts are never run. Disposing ends what is under way.
 */
export class PackageInstaller implements AsyncDisposable {
  readonly #root: string;
  readonly #npm: NpmOptions;
  readonly #limits: InstallLimits;
  readonly #running = new Map<string, Running>();
  readonly #closing = new AbortController();

  constructor({ dataDir, holder, env, limits }: InstallerOptions) {
    this.#root = join(dataDir, 'packages');
    this.#npm = { holder, env: npmEnvironment(env) };
    this.#limits = limits;
  }

  /** Newest first. */
  installed(name: PackageName): Promise<InstalledPackage[]> {
    return installedVersions(this.#root, name);
  }

  listing(name: PackageName): Promise<PackageListing> {
    return listPackage(this.#npm, name, this.#until(this.#limits.registryMs));
  }

  /** The version that is meant: the registry's `latest` where it meets a range, as npm has it; without the registry the newest installed. */
  async resolve(name: PackageName, wanted: WantedVersion): Promise<Resolution> {
    const listing = await this.listing(name);
    switch (listing.kind) {
      case 'unknown':
        return { kind: 'unknown-package' };
      case 'unreachable':
        return this.#resolveOffline(name, wanted, listing.message);
      case 'found': {
        const { versions, tags } = listing;
        const latest = tags.latest === undefined ? [] : [tags.latest];
        const version =
          wanted.kind === 'tag'
            ? tags[wanted.tag]
            : (newestThatMeets(latest, wanted) ?? newestThatMeets(versions, wanted));
        return version === undefined ? { kind: 'no-match', versions } : { kind: 'resolved', version };
      }
    }
  }

  /** The sha512 of the archive of an exact version: of what is installed, else as the registry gives it. Fetches nothing. */
  async integrity(name: PackageName, version: string): Promise<KnownIntegrity> {
    const installed = await findInstalled(this.#root, name, version);
    if (installed) return { kind: 'known', integrity: installed.integrity };
    return integrityOf(this.#npm, name, version, this.#until(this.#limits.registryMs));
  }

  /**
   * Installs an exact version, unless it is there. Throws `install_failed` with npm's last words. A caller whose `signal` aborts
   * leaves; the installation goes on.
   */
  async install(
    name: PackageName,
    version: string,
    onProgress: OnProgress = () => {},
    signal?: AbortSignal,
  ): Promise<InstalledPackage> {
    if (parseExactVersion(version) === undefined) throw new Error(`"${version}" is no exact version`);
    const known = await findInstalled(this.#root, name, version);
    if (known) return known;
    const key = `${name}@${version}`;
    const running = this.#running.get(key) ?? this.#begin(key, name, version);
    running.listeners.add(onProgress);
    onProgress(running.last);
    try {
      return await orAborted(running.installed, signal);
    } finally {
      running.listeners.delete(onProgress);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new ReeveError('shutting_down'));
    await Promise.allSettled([...this.#running.values()].map(({ installed }) => installed));
  }

  #begin(key: string, name: PackageName, version: string): Running {
    const listeners = new Set<OnProgress>();
    const tell = (phase: InstallProgress['phase'], detail: string): void => {
      running.last = { phase, detail };
      for (const listener of listeners) listener(running.last);
    };
    const installed = Promise.resolve()
      .then(() => this.#install(name, version, tell))
      .finally(() => this.#running.delete(key));
    installed.catch(() => {});
    const running: Running = { installed, listeners, last: { phase: 'resolving', detail: `looking up ${key}` } };
    this.#running.set(key, running);
    return running;
  }

  async #install(
    name: PackageName,
    version: string,
    tell: (phase: InstallProgress['phase'], detail: string) => void,
  ): Promise<InstalledPackage> {
    const signal = this.#until(this.#limits.installMs);
    const parent = packageFolder(this.#root, name);
    await this.#makeFolder(parent);
    await using _lock = await takeInstallLock(join(parent, '.lock'), signal).catch((cause) => {
      throw this.#failed(name, version, `another server has been installing ${name} for too long`, cause);
    });
    const meanwhile = await findInstalled(this.#root, name, version);
    if (meanwhile) return meanwhile;
    await removeDrafts(parent);

    const integrity = await this.#integrity(name, version, signal);
    const draft = { folder: join(parent, DRAFT + randomUUID()), name, version, integrity };
    try {
      await this.#fill(draft, signal, tell);
      const folder = join(parent, version);
      await rm(folder, { recursive: true, force: true }); // Not whole, or it would have been found.
      await rename(draft.folder, folder);
    } finally {
      await rm(draft.folder, { recursive: true, force: true });
    }
    const installed = await findInstalled(this.#root, name, version);
    if (!installed) throw this.#failed(name, version, 'its folder was changed while it was installed');
    tell('done', `${name}@${version} is installed`);
    return installed;
  }

  async #integrity(name: PackageName, version: string, signal: AbortSignal): Promise<string> {
    const answer = await integrityOf(this.#npm, name, version, signal);
    switch (answer.kind) {
      case 'known':
        return answer.integrity;
      case 'unsigned':
        throw this.#failed(name, version, 'the registry gives no sha512 for it, so that it could not be checked');
      case 'unknown':
        throw this.#failed(name, version, 'the registry does not have it');
      case 'unreachable':
        throw this.#failed(name, version, answer.message);
    }
  }

  async #fill(
    draft: InstallDraft,
    signal: AbortSignal,
    tell: (phase: InstallProgress['phase'], detail: string) => void,
  ): Promise<void> {
    const { folder, name, version } = draft;
    await this.#makeFolder(folder);
    await writeManifest(draft);
    tell('downloading', `npm installs ${name}@${version}`);
    const run = await runNpm(this.#npm, installArguments(folder), folder, signal);
    if (run.kind === 'failed') throw this.#failed(name, version, unreachable(run));
    tell('checking', `comparing ${name}@${version} with ${draft.integrity}`);
    await sealDraft(draft);
  }

  async #resolveOffline(name: PackageName, wanted: WantedVersion, message: string): Promise<Resolution> {
    const installed = (await this.installed(name)).map(({ version }) => version);
    const isLatest = wanted.kind === 'tag' && wanted.tag === 'latest';
    const version = isLatest ? installed[0] : newestThatMeets(installed, wanted);
    if (version === undefined) return { kind: 'unreachable', message };
    return { kind: 'resolved', version, note: `the newest installed version: ${message}` };
  }

  #failed(name: PackageName, version: string, why: string, cause?: unknown): ReeveError {
    if (this.#closing.signal.aborted) return new ReeveError('shutting_down');
    return new ReeveError('install_failed', {
      message: `${name}@${version} could not be installed: ${why}`,
      data: { package: name, version },
      cause,
    });
  }

  async #makeFolder(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o700 });
  }

  #until(ms: number): AbortSignal {
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ms)]);
  }
}

/** Left by a server that was killed: whoever has the lock is the only one who installs here. */
async function removeDrafts(parent: string): Promise<void> {
  const entries = await readdir(parent);
  const drafts = entries.filter((entry) => entry.startsWith(DRAFT));
  await Promise.all(drafts.map((draft) => rm(join(parent, draft), { recursive: true, force: true })));
}
