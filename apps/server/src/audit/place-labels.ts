import { access } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import { assessRisk } from '@reeve/policy';
import { fewAtATime } from '../pace/in-slices.ts';
import type { FactPlace } from './fact-parts.ts';
import { depthOf, directoriesAbove, labelOf, type PlaceClass, type PlaceLabel, plainPath } from './path-labels.ts';
import { type DataKey, sealPath } from './path-seal.ts';
import { placeText } from './place-text.ts';

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
  readonly #known = new Map<string, KnownPlace>();
  /** Of directories above them: many places have the same. */
  readonly #above = new Map<string, string>();

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
    const labels: PlaceLabel[] = [];
    let made = 0;
    for (const { path, access } of places) {
      const before = this.#known.get(path);
      const plain = before ? path : plainPath(path);
      if (plain === undefined) continue;
      const known = before ?? this.#known.get(plain);
      if (access !== undefined && known?.repository === undefined) return undefined;
      if (known === undefined && ++made > AT_ONCE) return undefined;
      labels.push(labelIn(known ?? this.#place(plain), access));
    }
    return labels;
  }

  /** Looks at the roots among the places first. However many there are, others have their turn in between. */
  async looked(places: readonly FactPlace[]): Promise<readonly PlaceLabel[]> {
    const directories: KnownDirectories = new Map();
    let silent = false;
    const labels = await fewAtATime(places, LOOKED_AT_ONCE, async ({ path, access }) => {
      const plain = plainPath(path);
      if (plain === undefined) return [];
      const place = this.#place(plain);
      if (access !== undefined && place.repository === undefined) {
        const found = silent ? undefined : await this.#repository(plain, directories);
        silent ||= found === undefined;
        place.repository ??= found ?? null;
      }
      const label = labelIn(place, access);
      // What it takes to write it down is done here, where others have their turn.
      placeText(label);
      return [label];
    });
    return labels.flat();
  }

  /** Undefined where the file system did not answer. */
  async #repository(root: string, directories: KnownDirectories): Promise<string | null | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), LOOK_MS).unref();
    const found = await Promise.race([repositoryOf(root, directories).then((workTree) => workTree ?? null), late]);
    clearTimeout(timer);
    return found && labelOf(this.#options.labelKey, found);
  }

  #place(path: string): KnownPlace {
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
    const place: KnownPlace = { label, repository: undefined, ro: undefined, rw: undefined };
    remember(this.#known, path, place);
    return place;
  }

  #labelAbove(directory: string): string {
    const known = this.#above.get(directory);
    if (known !== undefined) return known;
    const label = labelOf(this.#options.labelKey, directory);
    remember(this.#above, directory, label);
    return label;
  }
}

/** What is known of one path. */
interface KnownPlace {
  readonly label: PlaceLabel;
  /** Label of its repository as a root: null where there is none, undefined where nobody looked. */
  repository: string | null | undefined;
  /** The label as a root, by access. */
  ro: PlaceLabel | undefined;
  rw: PlaceLabel | undefined;
}

/** The same object for the same place: what is made of it is made once. */
function labelIn(place: KnownPlace, access: FactPlace['access']): PlaceLabel {
  if (access === undefined) return place.label;
  const { label, repository } = place;
  place[access] ??= { ...label, access, ...(repository == null ? {} : { repository }) };
  return place[access];
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
