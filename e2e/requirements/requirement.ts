/** A test by its file, from the top of the repository, and its title as it stands in the source, `%s` for each `${…}`. */
export interface TestReference {
  readonly file: string;
  readonly name: string;
}

/** One promise, where it stands, and what keeps it. Identifiers never change their meaning. */
export interface Requirement {
  readonly id: string;
  readonly promise: string;
  /** The document and section that asks for it. */
  readonly source: string;
  readonly tests: readonly TestReference[];
  /** What must be looked at by hand besides, and how: what no test of a few minutes can show. */
  readonly byHand?: string;
}

/** Tests of one file, by their titles. */
export function of(file: string, ...names: readonly string[]): TestReference[] {
  return names.map((name) => ({ file, name }));
}
