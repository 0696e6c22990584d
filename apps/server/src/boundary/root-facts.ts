import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { assessRisk, type FileNames, type RiskAssessment, type RootFacts, UNKNOWN_NAMES } from '@reeve/policy';
import type { Project } from './find-project.ts';
import { findRepository, type KnownRepositories } from './git-repository.ts';
import { hasHardLinks, type LinkBudget } from './hard-links.ts';
import type { MachinePlaces } from './machine-places.ts';
import { identify, type RootIdentity } from './root-identity.ts';

/** What the host found out about one root. */
export interface RootFinding {
  readonly identity: RootIdentity;
  readonly assessment: RiskAssessment;
  /** For policies; each decision gives it a label. */
  readonly facts: Omit<RootFacts, 'label'>;
}

export interface RootExaminerOptions {
  readonly places: MachinePlaces;
  /** Reeve's own state. */
  readonly dataDir: string;
  readonly project: Project;
  /** Entries that are looked at for hard links, over all roots. */
  readonly maxLinkScan: number;
}

/** Roots are looked at so many at a time. */
const AT_ONCE = 64;
/** Of each root, however many there are. */
const LEAST_LINK_SCAN = 16;

/** Looks at the roots of one session; what was found is kept as long as the root is the same. */
export class RootExaminer {
  readonly #options: RootExaminerOptions;
  readonly #identities = new Map<string, RootIdentity>();
  readonly #found = new Map<string, RootFinding>();
  readonly #budget: LinkBudget;
  readonly #repositories: KnownRepositories = new Map();
  #names: Promise<FileNames> | undefined;

  constructor(options: RootExaminerOptions) {
    this.#options = options;
    this.#budget = { left: options.maxLinkScan };
  }

  get project(): Project {
    return this.#options.project;
  }

  /** What a root was when somebody first looked at it; undefined when nobody has, or nothing was there. */
  identity(path: string): RootIdentity | undefined {
    return this.#identities.get(path);
  }

  /** What is known of a root; undefined when nobody has examined it, or nothing was there. */
  found(path: string): RootFinding | undefined {
    return this.#found.get(path);
  }

  /** Finds out which directory or file each is, and no more. @param paths canonical */
  async identify(paths: readonly string[]): Promise<void> {
    const { boot } = this.#options.places;
    const unknown = paths.filter((path) => !this.#identities.has(path));
    await eachOf(unknown, async (path) => {
      const identity = await identify(path, boot);
      if (identity) this.#identities.set(path, identity);
    });
  }

  /** Finds out what policies must know of each that nobody has examined yet. @param paths canonical */
  async examine(paths: readonly string[]): Promise<void> {
    await this.identify(paths);
    const unknown = paths.filter((path) => !this.#found.has(path));
    const most = Math.max(LEAST_LINK_SCAN, Math.floor(this.#options.maxLinkScan / Math.max(1, paths.length)));
    await eachOf(unknown, async (path) => {
      const identity = this.#identities.get(path);
      if (identity) this.#found.set(path, await this.#look(identity, most));
    });
  }

  /** What takes its place is another root. */
  forget(path: string): void {
    this.#identities.delete(path);
    this.#found.delete(path);
    this.#repositories.clear();
  }

  async #look(identity: RootIdentity, mostEntries: number): Promise<RootFinding> {
    const { places, dataDir, project } = this.#options;
    const { path, kind } = identity;
    this.#names ??= fileNames(project.directory);
    const [inRepository, hardLinks, names] = await Promise.all([
      findRepository(kind === 'file' ? dirname(path) : path, places.home, this.#repositories),
      kind === 'file' ? hasSeveralLinks(path) : hasHardLinks(path, mostEntries, this.#budget),
      this.#names,
    ]);
    const repository = inRepository?.name;
    const assessment = assessRisk({
      path,
      ...(places.home === undefined ? {} : { home: places.home }),
      otherHomes: places.otherHomes,
      stateDirectory: dataDir,
      cloudFolders: places.cloudFolders,
      project: project.directory,
      ...(repository === undefined ? {} : { repository }),
      ...(project.repository === undefined ? {} : { projectRepository: project.repository }),
      hardLinks,
      names,
    });
    const risks = assessment.kind === 'assessed' ? assessment.risks.map((risk) => risk.kind) : [];
    const facts = {
      kind,
      depth: path === '/' ? 0 : path.split('/').length - 1,
      inProject: assessment.kind === 'assessed' && !risks.includes('outside_project'),
      highRisk: assessment.kind === 'never' || assessment.high,
      risks,
      ...(repository === undefined ? {} : { repository }),
    };
    return { identity, assessment, facts };
  }
}

async function eachOf(paths: readonly string[], run: (path: string) => Promise<void>): Promise<void> {
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    await Promise.all(paths.slice(start, start + AT_ONCE).map(run));
  }
}

async function hasSeveralLinks(path: string): Promise<boolean> {
  return ((await stat(path).catch(() => undefined))?.nlink ?? 1) > 1;
}

/** How the file system tells names apart, tried with the name of a directory in the other case. */
async function fileNames(directory: string): Promise<FileNames> {
  const name = basename(directory);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  const unicodeForm = process.platform === 'linux' ? 'distinct' : 'unknown';
  if (other === name) return { ...UNKNOWN_NAMES, unicodeForm };
  const [one, two] = await Promise.all([
    stat(directory).catch(() => undefined),
    stat(join(dirname(directory), other)).catch(() => undefined),
  ]);
  const same = one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev;
  return { letterCase: same ? 'ignored' : 'distinct', unicodeForm };
}
