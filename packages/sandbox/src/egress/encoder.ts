/** What a gate can be built for: `process.arch` of a Linux machine, little-endian. */
export type Machine = 'x64' | 'arm64';

export type Syscall = 'write' | 'close' | 'socket' | 'bind' | 'listen' | 'sendmsg' | 'execve' | 'exit_group';

/** A number, an address as `data` gives it, or the descriptor that `keepResult` kept. */
export type Operand = number | bigint | 'kept';

/** The instructions of one machine, as bytes. */
export interface Encoder {
  syscall(name: Syscall, operands: readonly Operand[]): Buffer;
  keepResult(): Buffer;
  storeKept(address: bigint): Buffer;
  executeArguments(): Buffer;
  /** @param distance from the first byte of the jump to its target. */
  jumpIfFailed(distance: number): Buffer;
}
