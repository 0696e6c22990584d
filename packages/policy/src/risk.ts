import { contains } from './containment.ts';
import { type FileNames, UNKNOWN_NAMES } from './file-names.ts';
import { isCloudFolder, isCredentialStore, isSystemDirectory, NEVER_ROOTS } from './known-places.ts';

/** What may be wrong with showing a directory (boundary, section 2). */
export type RiskClass =
  | 'home_directory'
  | 'parent_of_home'
  | 'system_directory'
  | 'cloud_sync_folder'
  | 'credential_store'
  | 'other_repository'
  | 'outside_project'
  | 'hard_links'
  | 'ordinary';

/** What the host found out about one path. Paths are canonical. */
export interface PathFacts {
  readonly path: string;
  /** Of the user that the server runs for; without one no path counts as below a home. */
  readonly home?: string;
  /** Homes of the other users of this machine, also of those that do not log in where they have files. */
  readonly otherHomes: readonly string[];
  /** Where Reeve keeps its database, keys and tokens. */
  readonly stateDirectory: string;
  /** Folders that the host knows to be synchronised, beyond those that are told by their names. */
  readonly cloudFolders: readonly string[];
  /** The directory of the session's project; without one everything is outside. */
  readonly project?: string;
  /** Names the repository that the path lies in, the same for all its worktrees (`github.com/acme/app`, or a label): never a path. */
  readonly repository?: string;
  /** The same for the project. */
  readonly projectRepository?: string;
  /** Whether a file below has more than one hard link, and so another name that may lie outside. */
  readonly hardLinks: boolean;
  /** How the file system tells names apart. */
  readonly names?: FileNames;
}

export interface Risk {
  readonly kind: RiskClass;
  /** For the person who decides. */
  readonly words: string;
}

export type RiskAssessment =
  /** No approval makes it a root. */
  | { readonly kind: 'never'; readonly words: string; readonly next: string }
  /** At least one class, the gravest first; `ordinary` stands alone. */
  | { readonly kind: 'assessed'; readonly risks: readonly Risk[]; readonly high: boolean };

/** Those that need an administrator by the shipped policy. */
const HIGH: readonly RiskClass[] = [
  'home_directory',
  'parent_of_home',
  'system_directory',
  'cloud_sync_folder',
  'credential_store',
];

const WORDS: Readonly<Record<RiskClass, string>> = {
  parent_of_home: 'It holds whole home directories, with everything in them.',
  home_directory: 'It is a whole home directory: keys, logins, mail and every project in it.',
  credential_store: 'It holds keys, tokens or logins.',
  system_directory: 'It belongs to the operating system or to all its users.',
  cloud_sync_folder: 'What is written there is copied to other machines and people, and they write there too.',
  other_repository: "It belongs to another repository than the project's.",
  outside_project: 'It lies outside the project of this session.',
  hard_links: 'Some of its files have a second name, which may lie outside: writing changes both.',
  ordinary: 'Nothing about it stands out.',
};

/** Says which classes of risk a directory or file has as a root. Pure: what must be looked up is in the facts. */
export function assessRisk(facts: PathFacts): RiskAssessment {
  const words = neverBecause(facts);
  if (words !== undefined) {
    return { kind: 'never', words, next: 'Choose the directory of the project, or one below it.' };
  }
  const found = (Object.keys(WORDS) as RiskClass[]).filter((kind) => HAS[kind](facts));
  const classes: readonly RiskClass[] = found.length === 0 ? ['ordinary'] : found;
  return {
    kind: 'assessed',
    risks: classes.map((kind) => ({ kind, words: WORDS[kind] })),
    high: classes.some((kind) => HIGH.includes(kind)),
  };
}

function neverBecause({ path, home, otherHomes, stateDirectory, names }: PathFacts): string | undefined {
  if (path === '/') return 'It is the whole machine.';
  const place = NEVER_ROOTS.find((one) => mayContain(one, path, names));
  if (place !== undefined)
    return `What lies below ${place} is made by the kernel and by running programs, and leads anywhere.`;
  if (mayContain(stateDirectory, path, names)) return 'There Reeve keeps its own keys, tokens and records.';
  const others = otherHomes.filter((one) => one !== '/' && one !== home);
  const theirs = others.some((one) => mayContain(one, path, names));
  const ours = home !== undefined && contains(home, path, names) && others.every((one) => !contains(home, one, names));
  return theirs && !ours ? "It is another user's home directory, or lies in one." : undefined;
}

const HAS: Readonly<Record<RiskClass, (facts: PathFacts) => boolean>> = {
  parent_of_home: ({ path, home, otherHomes, names }) =>
    [home, ...otherHomes].some((one) => one !== undefined && one !== path && mayContain(path, one, names)),
  home_directory: ({ path, home, names }) => home !== undefined && isSame(home, path, names),
  credential_store: ({ path, home, stateDirectory, names }) =>
    isCredentialStore(path, home) || mayContain(path, stateDirectory, names),
  system_directory: ({ path, home, names }) =>
    isSystemDirectory(path) && !(home !== undefined && contains(home, path, names)),
  cloud_sync_folder: ({ path, cloudFolders, names }) =>
    isCloudFolder(path) ||
    cloudFolders.some((folder) => mayContain(folder, path, names) || mayContain(path, folder, names)),
  other_repository: ({ repository, projectRepository }) => repository !== undefined && repository !== projectRepository,
  outside_project: ({ path, project, names }) => project === undefined || !contains(project, path, names),
  hard_links: ({ hardLinks }) => hardLinks,
  ordinary: () => false,
};

function isSame(one: string, other: string, names?: FileNames): boolean {
  return mayContain(one, other, names) && mayContain(other, one, names);
}

/** Like `contains`, but in doubt about names the answer is yes: what may be dangerous counts as such. */
function mayContain(directory: string, path: string, names: FileNames = UNKNOWN_NAMES): boolean {
  const inDoubt: FileNames = {
    letterCase: names.letterCase === 'distinct' ? 'distinct' : 'ignored',
    unicodeForm: names.unicodeForm === 'distinct' ? 'distinct' : 'ignored',
  };
  return contains(directory, path, inDoubt);
}
