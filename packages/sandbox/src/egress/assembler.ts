import { arm64 } from './encode-arm64.ts';
import { x64 } from './encode-x64.ts';
import type { Encoder, Machine, Operand, Syscall } from './encoder.ts';

export interface Program {
  readonly machine: Machine;
  readonly code: Buffer;
  readonly data: Buffer;
}

/** Assembles a program that runs straight down, but for jumps to blocks behind its end. */
export interface Assembler {
  /** Places bytes into writable memory, aligned to 8, and answers their address. */
  data(bytes: Buffer): bigint;
  /** Code behind the end of the program, to jump to; it must not fall through. */
  block(write: (code: Assembler) => void): symbol;
  syscall(name: Syscall, ...operands: readonly Operand[]): void;
  /** If the last call answered an error. */
  jumpIfFailed(target: symbol): void;
  /** Keeps what the last call answered, in a register that calls preserve. */
  keepResult(): void;
  /** Writes what was kept as 32 bits. */
  storeKept(address: bigint, offset: number): void;
  /** `execve(argv[1], argv + 1, envp)`, with the stack as it was at the entry. Goes on only if that fails. */
  executeArguments(): void;
  finish(): Program;
}

/** Where the two parts of a program are loaded; the distance is more than any page, so their protections can differ. */
export const codeBase = 0x40_0000n;
export const dataBase = 0x80_0000n;

const encoders: Readonly<Record<Machine, Encoder>> = { x64, arm64 };

export function createAssembler(machine: Machine): Assembler {
  const encoder = encoders[machine];
  const data: Buffer[] = [];
  let dataBytes = 0;
  const blocks: { readonly name: symbol; readonly write: (code: Assembler) => void }[] = [];
  const offsets = new Map<symbol, number>();
  const parts: (Buffer | { readonly jumpTo: symbol })[] = [];
  const jumpBytes = encoder.jumpIfFailed(0).length;
  const lengthOf = (part: (typeof parts)[number]) => (Buffer.isBuffer(part) ? part.length : jumpBytes);
  const position = () => parts.reduce((sum, part) => sum + lengthOf(part), 0);

  const assembler: Assembler = {
    data(bytes) {
      const address = dataBase + BigInt(dataBytes);
      const padded = Buffer.alloc(Math.ceil(bytes.length / 8) * 8);
      bytes.copy(padded);
      data.push(padded);
      dataBytes += padded.length;
      return address;
    },
    block(write) {
      const name = Symbol('block');
      blocks.push({ name, write });
      return name;
    },
    syscall: (name, ...operands) => void parts.push(encoder.syscall(name, operands)),
    jumpIfFailed: (target) => void parts.push({ jumpTo: target }),
    keepResult: () => void parts.push(encoder.keepResult()),
    storeKept: (address, offset) => void parts.push(encoder.storeKept(address + BigInt(offset))),
    executeArguments: () => void parts.push(encoder.executeArguments()),
    finish() {
      for (const { name, write } of blocks) {
        offsets.set(name, position());
        write(assembler);
      }
      let at = 0;
      const code = parts.map((part) => {
        const bytes = Buffer.isBuffer(part) ? part : encoder.jumpIfFailed((offsets.get(part.jumpTo) as number) - at);
        at += bytes.length;
        return bytes;
      });
      return { machine, code: Buffer.concat(code), data: Buffer.concat(data) };
    },
  };
  return assembler;
}
