/** An operation that somebody waits for. */
export interface Waiting<Call> {
  readonly call: Call;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  /** How many writes were called before. */
  readonly writesBefore: number;
  readonly hurried: boolean;
}
