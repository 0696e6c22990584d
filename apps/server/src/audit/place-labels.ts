import { access } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import { setTimeout as wait } from 'node:timers/promises';
import { assessRisk } from '@reeve/policy';
import { fewAtATime, inSlices } from '../pace/in-slices.ts';
import type { FactPlace } from './fact-parts.ts';
import { depthOf, directoriesAbove, labelOf, type PlaceClass, type PlaceLabel, plainPath } from './path-labels.ts';
import { type DataKey, sealPath } from './path-seal.ts';

/** Twice what a large boundary has, so that it is not made anew for each record. */
const MAX_REMEMBERED = 20_000;
/** Places that are labelled without a pause, at some 30 µs each. */
const AT_ONCE = 100;
/** Roots that are looked at together. */
const LOOKED_AT_ONCE = 64;
/** A file system that does not answer must not hold the log. */
const LOOK_MS = 500;

export interface PlaceLabelsOptions {
  readonly labelKey: Buffer;
  readonly dataKey: DataKey;
  /** Of the user of the server. */
  readonly home: string;
  /** Where Reeve keeps its database, keys and tokens. */
  readonly stateDirectory: string;
}

/** Makes labels of paths, and remembers them: a session names the same few again and again. */
export class PlaceLabels {
  readonly #options: PlaceLabelsOptions;
  readonly #known = new Map<string, PlaceLabel>();
  /** Of directories above them: many places have the same. */
  readonly #above = new Map<string, string>();
  /** Label of the repository of a root; null where there is none. */
  readonly #repositories = new Map<string, string | null>();

  constructor(options: PlaceLabelsOptions) {
    this.#options = options;
  }

  /** Undefined for a path that is not absolute. */
  labelOf(path: string): string | undefined {
    const plain = plainPath(path);
    return plain === undefined ? undefined : labelOf(this.#options.labelKey, plain);
  }

  /** Without asking the file system; undefined when a root was not looked at yet, or there is much to do. */
  remembered(places: readonly FactPlace[]): readonly PlaceLabel[] | undefined {
    let unknown = 0;
    for (const { path, access } of places) {
      const plain = this.#known.has(path) ? path : plainPath(path);
      if (plain === undefined) continue;
      if (access !== undefined && !this.#repositories.has(plain)) return undefined;
      if (!this.#known.has(plain) && ++unknown > AT_ONCE) return undefined;
    }
    return places.flatMap((place) => this.#label(place, this.#repositories) ?? []);
  }

  /** Looks at the roots among the places first. However many there are, others have their turn in between. */
  async looked(places: readonly FactPlace[]): Promise<readonly PlaceLabel[]> {
    const repositories = new Map<string, string | null>();
    const directories: KnownDirectories = new Map();
    let silent = false;
    const roots = places.filter(({ access }) => access !== undefined).flatMap(({ path }) => plainPath(path) ?? []);
    await fewAtATime(roots, LOOKED_AT_ONCE, async (root) => {
      const known = this.#repositories.get(root);
      const found = known !== undefined || silent ? known : await this.#repository(root, directories);
      silent ||= found === undefined;
      if (known === undefined) remember(this.#repositories, root, found ?? null);
      repositories.set(root, found ?? null);
    });
    const labels: PlaceLabel[] = [];
    await inSlices(places, (place) => {
      const label = this.#label(place, repositories);
      if (label) labels.push(label);
    });
    return labels;
  }

  /** Undefined for a path that is not absolute. @param repositories has every root among the places */
  #label({ path, access }: FactPlace, repositories: ReadonlyMap<string, string | null>): PlaceLabel | undefined {
    const plain = this.#known.has(path) ? path : plainPath(path);
    if (plain === undefined) return undefined;
    const label = this.#labelled(plain);
    if (access === undefined) return label;
    const repository = repositories.get(plain) ?? null;
    return { ...label, access, ...(repository === null ? {} : { repository }) };
  }

  /** Undefined where the file system did not answer. */
  async #repository(root: string, directories: KnownDirectories): Promise<string | null | undefined> {
    const answered = new AbortController();
    const late = wait(LOOK_MS, undefined, { ref: false, signal: answered.signal });
    const found = await Promise.race([repositoryOf(root, directories).then((workTree) => workTree ?? null), late]);
    answered.abort();
    return found && labelOf(this.#options.labelKey, found);
  }

  #labelled(path: string): PlaceLabel {
    const known = this.#known.get(path);
    if (known) return known;
    const { labelKey, dataKey, home, stateDirectory } = this.#options;
    const label = {
      label: labelOf(labelKey, path),
      above: directoriesAbove(path).map((directory) => this.#labelAbove(directory)),
      depth: depthOf(path),
      class: classOf(path, home, stateDirectory),
      sealed: sealPath(path, dataKey),
    };
    remember(this.#known, path, label);
    return label;
  }

  #labelAbove(directory: string): string {
    const known = this.#above.get(directory);
    if (known !== undefined) return known;
    const label = labelOf(this.#options.labelKey, directory);
    remember(this.#above, directory, label);
    return label;
  }
}

/** What kind of place it is by its name alone: the gravest of its risks that no project or session has a part in. */
function classOf(path: string, home: string, stateDirectory: string): PlaceClass {
  const facts = { path, home, stateDirectory, otherHomes: [], cloudFolders: [], project: path, hardLinks: false };
  const assessed = assessRisk(facts);
  if (assessed.kind === 'never') return 'never';
  return assessed.risks[0]?.kind ?? 'ordinary';
}

/** The work trees that enclose directories, for many questions about neighbours. */
type KnownDirectories = Map<string, Promise<string | undefined>>;

/** The work tree of git that encloses the directory, itself included. */
function repositoryOf(directory: string, known: KnownDirectories): Promise<string | undefined> {
  const before = known.get(directory);
  if (before) return before;
  const found = access(`${directory}/.git`).then(
    () => directory,
    () => (dirname(directory) === '/' ? undefined : repositoryOf(dirname(directory), known)),
  );
  known.set(directory, found);
  return found;
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
