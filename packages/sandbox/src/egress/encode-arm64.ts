import type { Encoder, Operand, Syscall } from './encoder.ts';

/** include/uapi/asm-generic/unistd.h of the kernel. */
const numbers: Readonly<Record<Syscall, number>> = {
  close: 57,
  write: 64,
  exit_group: 94,
  socket: 198,
  bind: 200,
  listen: 201,
  sendmsg: 211,
  execve: 221,
};

const x8 = 8;
const x9 = 9;
const svc = 0xd4000001;
/** mov x0, x19: what is kept is in x19. */
const keptIntoFirst = 0xaa1303e0;

/** AArch64 (Arm ARM, C6.2). Addresses lie below 4 GiB, so that two moves load them. */
export const arm64: Encoder = {
  syscall: (name, operands) => instructions(...operands.flatMap(argument), ...load(x8, numbers[name]), svc),
  keepResult: () => instructions(0xaa0003f3), // mov x19, x0
  storeKept: (address) => instructions(...load(x9, Number(address)), 0xb9000133), // str w19, [x9]
  executeArguments: () =>
    instructions(
      0xf9400be0, // ldr x0, [sp, #16]: argv[1]
      0x910043e1, // add x1, sp, #16: argv + 1
      0xf94003e9, // ldr x9, [sp]: argc
      0x8b090c22, // add x2, x1, x9, lsl #3: envp
      ...load(x8, numbers.execve),
      svc,
    ),
  jumpIfFailed: (distance) => instructions((0xb7f80000 | (((distance / 4) & 0x3fff) << 5)) >>> 0), // tbnz x0, #63
};

function argument(operand: Operand, index: number): number[] {
  if (operand !== 'kept') return load(index, Number(operand));
  if (index !== 0) throw new Error('arm64: this operand has no encoding here');
  return [keptIntoFirst];
}

/** movz, movk: 32 bits into a register, the upper half becomes zero. */
function load(register: number, value: number): number[] {
  const low = value & 0xffff;
  const high = (value >>> 16) & 0xffff;
  return [(0xd2800000 | (low << 5) | register) >>> 0, (0xf2a00000 | (high << 5) | register) >>> 0];
}

function instructions(...words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, index * 4);
  return bytes;
}
