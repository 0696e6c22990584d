export interface Settings {
  /** Smaller loads and fewer rounds: does it run, not how fast is it. */
  readonly quick: boolean;
  /** How often each contestant has its turn. */
  readonly rounds: number;
  /** Progress, for whoever watches. */
  readonly note: (text: string) => void;
}

/** One measured thing of one contestant, once per round. */
export interface Figure {
  readonly who: string;
  readonly what: string;
  readonly unit: string;
  readonly samples: readonly number[];
}

/** A goal of the project beside what came out. Never a test: another machine, another load, another figure. */
export interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly value: string;
  readonly met: boolean;
}

export interface Report {
  readonly figures: readonly Figure[];
  readonly goals: readonly Goal[];
  /** Reeve lost an event, repeated one or delivered it out of order: the only thing that fails a run. */
  readonly faults: readonly string[];
  /** What a reader must know to read the figures: losses of others, what could not be run and why. */
  readonly remarks: readonly string[];
}

export interface Benchmark {
  /** As given on the command line. */
  readonly name: string;
  readonly title: string;
  run(settings: Settings): Promise<Report>;
}
