/** ACP, terminals: at most one of the two is not null. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}
