import { access } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { assessRisk } from '@reeve/policy';
import type { FactPlace } from './audit-fact.ts';
import {
  depthOf,
  directoriesAbove,
  labelOf,
  labelsAbove,
  type PlaceClass,
  type PlaceLabel,
  plainPath,
} from './path-labels.ts';
import { type DataKey, sealPath } from './path-seal.ts';

const MAX_REMEMBERED = 1000;
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

  /** Without asking the file system; undefined when a root was not looked at yet. */
  remembered(places: readonly FactPlace[]): readonly PlaceLabel[] | undefined {
    return this.#labels(places, this.#repositories);
  }

  /** Looks at the roots among the places first. */
  async looked(places: readonly FactPlace[]): Promise<readonly PlaceLabel[]> {
    const repositories = new Map<string, string | null>();
    const roots = places.filter(({ access }) => access !== undefined).map(({ path }) => plainPath(path));
    const look = async (root: string | undefined): Promise<void> => {
      if (root !== undefined) repositories.set(root, await this.#repository(root));
    };
    await Promise.all(roots.map(look));
    return this.#labels(places, repositories) ?? [];
  }

  #labels(
    places: readonly FactPlace[],
    repositories: ReadonlyMap<string, string | null>,
  ): readonly PlaceLabel[] | undefined {
    const labels: PlaceLabel[] = [];
    for (const { path, access } of places) {
      const plain = plainPath(path);
      if (plain === undefined) continue;
      const label = this.#labelled(plain);
      if (access === undefined) labels.push(label);
      else {
        const repository = repositories.get(plain);
        if (repository === undefined) return undefined;
        labels.push({ ...label, access, ...(repository === null ? {} : { repository }) });
      }
    }
    return labels;
  }

  async #repository(root: string): Promise<string | null> {
    const known = this.#repositories.get(root);
    if (known !== undefined) return known;
    const found = await Promise.race([repositoryOf(root), wait(LOOK_MS, undefined, { ref: false })]);
    const label = found === undefined ? null : labelOf(this.#options.labelKey, found);
    remember(this.#repositories, root, label);
    return label;
  }

  #labelled(path: string): PlaceLabel {
    const known = this.#known.get(path);
    if (known) return known;
    const { labelKey, dataKey, home, stateDirectory } = this.#options;
    const label = {
      label: labelOf(labelKey, path),
      above: labelsAbove(labelKey, path),
      depth: depthOf(path),
      class: classOf(path, home, stateDirectory),
      sealed: sealPath(path, dataKey),
    };
    remember(this.#known, path, label);
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

/** The work tree of git that encloses the directory, itself included. */
async function repositoryOf(root: string): Promise<string | undefined> {
  for (const directory of [root, ...directoriesAbove(root)]) {
    const found = await access(`${directory}/.git`).then(
      () => true,
      () => false,
    );
    if (found) return directory;
  }
  return undefined;
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
