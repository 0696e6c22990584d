import {
  type AgentVersion,
  type AgentVersions,
  isObject,
  isReeveError,
  type JsonObject,
  ReeveError,
} from '@reeve/protocol';
import type { InstalledPackage } from '../install/installed-package.ts';
import type { OnProgress, PackageInstaller } from '../install/package-installer.ts';
import { type PackageName, parsePackageName } from '../install/package-name.ts';
import {
  isNewer,
  meets,
  newestThatMeets,
  parseExactVersion,
  parseWanted,
  WANTED_FORMS,
  type WantedVersion,
} from '../install/wanted-version.ts';
import type { ClientProfile } from './acp-version.ts';
import type { AgentEntry } from './agent-registry.ts';
import { installedEntry } from './installed-entry.ts';

export interface AgentVersionOptions {
  /** What the configured command answers to `initialize`; remembered. */
  readonly initialize: (entry: AgentEntry, profile: ClientProfile) => Promise<JsonObject>;
  /** Without it no version but the configured one can be had. */
  readonly packages?: PackageInstaller | undefined;
  /** For the diagnostic log. */
  readonly onProgress?: (agent: string, progress: Parameters<OnProgress>[0]) => void;
}

/** What to start, and what of it was asked for; `version` is undefined where nothing was. */
export interface ChosenAgent {
  readonly entry: AgentEntry;
  readonly version: AgentVersion | undefined;
}

/** How many versions of the registry an answer lists. */
const MAX_LISTED = 20;
const NOBODY: ClientProfile = { clientCapabilities: {} };

/** Which version of an agent runs: the configured command's, or one that is installed from npm for whoever asks for it. */
export class AgentVersionChooser {
  readonly #options: AgentVersionOptions;

  constructor(options: AgentVersionOptions) {
    this.#options = options;
  }

  /**
   * What to start when a client asks for `requested` (an exact version, a range, a tag such as `latest`): the configured command
   * if its own version is that, else an installed one, else one that is installed now. Throws `invalid_params` with what there is
   * in its data, or `install_failed`.
   */
  async entryFor(entry: AgentEntry, requested: unknown, profile: ClientProfile): Promise<ChosenAgent> {
    if (requested === undefined) return { entry, version: undefined };
    const wanted = parseWanted(requested);
    if (typeof requested !== 'string' || !wanted) {
      throw new ReeveError('invalid_params', {
        message: `agentVersionRequested: send ${WANTED_FORMS}`,
        data: { requested: requested ?? null },
      });
    }
    const configured = await this.#configuredVersion(entry, profile);
    const asConfigured = (note?: string): ChosenAgent => ({
      entry,
      version: {
        requested,
        source: 'configured',
        ...(configured === undefined ? {} : { running: configured }),
        ...(note === undefined ? {} : { note }),
      },
    });
    if (configured !== undefined && meets(configured, wanted)) return asConfigured();
    const name = packageOf(entry);
    const { packages } = this.#options;
    const isLatest = wanted.kind === 'tag' && wanted.tag === 'latest';
    if (!name || !packages) {
      if (isLatest) return asConfigured('the configured command is the only one that there is');
      throw await this.#unavailable(entry, requested, configured, 'no npm package is configured for it ("npm")');
    }
    const there = newestThatMeets(
      (await packages.installed(name)).map(({ version }) => version),
      wanted,
    );
    if (there !== undefined) return this.#installed(entry, name, there, requested);

    const found = await packages.resolve(name, wanted);
    switch (found.kind) {
      case 'resolved': {
        const { version, note } = found;
        if (version === configured) return asConfigured(note);
        // Without the registry `latest` is the newest that is at hand.
        if (note !== undefined && isLatest && configured !== undefined && isNewer(configured, version)) {
          return asConfigured(note);
        }
        return this.#installed(entry, name, version, requested, note);
      }
      case 'unreachable': {
        if (isLatest && configured !== undefined) return asConfigured(`the configured version: ${found.message}`);
        const data = await this.#unavailable(entry, requested, configured, '');
        throw new ReeveError('install_failed', { message: found.message, data: data.data });
      }
      case 'no-match':
        throw await this.#unavailable(entry, requested, configured, `${name} has no such version`, found.versions);
      case 'unknown-package':
        throw await this.#unavailable(entry, requested, configured, `the registry has no package ${name}`);
    }
  }

  /**
   * What to start for a session that has run `version` before: the same again. A configured command that was replaced by another
   * version meanwhile is taken as it is now where the old one cannot be had.
   */
  async entryAgain(entry: AgentEntry, version: AgentVersion | undefined, profile: ClientProfile): Promise<ChosenAgent> {
    if (version?.running === undefined) return { entry, version };
    const { requested, running } = version;
    if (version.source === 'installed') {
      const name = packageOf(entry);
      if (name && parseExactVersion(running)) return this.#installed(entry, name, running, requested);
      throw await this.#unavailable(entry, running, undefined, 'no npm package is configured for it any more ("npm")');
    }
    if ((await this.#configuredVersion(entry, profile)) === running) return { entry, version };
    try {
      const chosen = await this.entryFor(entry, running, profile);
      return { entry: chosen.entry, version: chosen.version && { ...chosen.version, requested } };
    } catch (error) {
      if (!isReeveError(error)) throw error;
      const note = `version ${running}, with which the session began, cannot be had: ${error.message}`;
      return { entry, version: { requested, source: 'configured', note } };
    }
  }

  /** What there is of an agent. Starts the configured command, and asks the registry. */
  async list(entry: AgentEntry): Promise<AgentVersions> {
    const name = packageOf(entry);
    const { packages } = this.#options;
    const configured = await this.#configuredVersion(entry, NOBODY);
    const base = { agent: entry.name, ...(configured === undefined ? {} : { configured }) };
    if (!name || !packages) return { ...base, installed: [], available: [], tags: {} };
    const [installed, listing] = await Promise.all([packages.installed(name), packages.listing(name)]);
    const known = installed.map(({ version, integrity, installedAt }) => ({ version, integrity, installedAt }));
    switch (listing.kind) {
      case 'found': {
        const available = listing.versions.slice(0, MAX_LISTED);
        return { ...base, package: name, installed: known, available, tags: listing.tags };
      }
      case 'unknown': {
        const problem = `the registry has no package ${name}`;
        return { ...base, package: name, installed: known, available: [], tags: {}, problem };
      }
      case 'unreachable':
        return { ...base, package: name, installed: known, available: [], tags: {}, problem: listing.message };
    }
  }

  /**
   * The exact version that `install` is to be asked for. Throws `invalid_params` with what there is when there is no such version
   * or nowhere to have it from, `install_failed` when the registry cannot be reached.
   */
  async resolve(entry: AgentEntry, requested: string): Promise<{ readonly version: string; readonly note?: string }> {
    const wanted = parseWanted(requested);
    if (!wanted) {
      throw new ReeveError('invalid_params', { message: `version: send ${WANTED_FORMS}`, data: { requested } });
    }
    const { name, packages } = await this.#source(entry, requested);
    const found = await packages.resolve(name, wanted as WantedVersion);
    switch (found.kind) {
      case 'resolved':
        return found;
      case 'unreachable':
        throw new ReeveError('install_failed', { message: found.message, data: { package: name } });
      case 'no-match':
        throw await this.#unavailable(entry, requested, undefined, `${name} has no such version`, found.versions);
      case 'unknown-package':
        throw await this.#unavailable(entry, requested, undefined, `the registry has no package ${name}`);
    }
  }

  /** Installs an exact version; a caller who leaves does not end it. */
  async install(
    entry: AgentEntry,
    version: string,
    onProgress: OnProgress,
    signal?: AbortSignal,
  ): Promise<InstalledPackage> {
    const { name, packages } = await this.#source(entry, version);
    return packages.install(name, version, onProgress, signal);
  }

  async #source(entry: AgentEntry, requested: string): Promise<{ name: PackageName; packages: PackageInstaller }> {
    const name = packageOf(entry);
    const { packages } = this.#options;
    if (name && packages) return { name, packages };
    throw await this.#unavailable(entry, requested, undefined, 'no npm package is configured for it ("npm")');
  }

  async #installed(
    entry: AgentEntry,
    name: PackageName,
    version: string,
    requested: string,
    note?: string,
  ): Promise<ChosenAgent> {
    const { packages, onProgress } = this.#options;
    const tell: OnProgress = (progress) => onProgress?.(entry.name, progress);
    const installed = await (packages as PackageInstaller).install(name, version, tell);
    return {
      entry: installedEntry(entry, installed),
      version: { requested, running: version, source: 'installed', ...(note === undefined ? {} : { note }) },
    };
  }

  /** What the configured command says of itself; undefined where it cannot be started or says nothing of use. */
  async #configuredVersion(entry: AgentEntry, profile: ClientProfile): Promise<string | undefined> {
    try {
      // By its name in ACP v1, or in v2.
      const { agentInfo, info = agentInfo } = await this.#options.initialize(entry, profile);
      return isObject(info) ? parseExactVersion(info.version) : undefined;
    } catch (error) {
      if (isReeveError(error) && error.name !== 'shutting_down') return undefined;
      throw error;
    }
  }

  async #unavailable(
    entry: AgentEntry,
    requested: string,
    configured: string | undefined,
    why: string,
    available: readonly string[] = [],
  ): Promise<ReeveError> {
    const name = packageOf(entry);
    const installed = name ? ((await this.#options.packages?.installed(name)) ?? []) : [];
    return new ReeveError('invalid_params', {
      message: `version "${requested}" of agent "${entry.name}" is not available: ${why}. "data" lists what there is`,
      data: {
        requested,
        configured: configured ?? null,
        installed: installed.map(({ version }) => version),
        available: available.slice(0, MAX_LISTED),
      },
    });
  }
}

function packageOf({ npm }: AgentEntry): PackageName | undefined {
  return npm && parsePackageName(npm.package);
}
