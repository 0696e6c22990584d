import type { Encoder, Operand, Syscall } from './encoder.ts';

/** arch/x86/entry/syscalls/syscall_64.tbl of the kernel. */
const numbers: Readonly<Record<Syscall, number>> = {
  write: 1,
  close: 3,
  socket: 41,
  sendmsg: 46,
  bind: 49,
  listen: 50,
  execve: 59,
  exit_group: 231,
};

const syscall = [0x0f, 0x05];
/** mov r32, imm32 into edi, esi, edx: the arguments of a system call in their order. The upper half becomes zero. */
const loadArgument = [[0xbf], [0xbe], [0xba]];
/** mov edi, ebx: what is kept is in ebx. */
const keptIntoFirst = [0x89, 0xdf];

/** x86-64 (Intel SDM, volume 2). Addresses lie below 2 GiB, so that 32 bits hold them. */
export const x64: Encoder = {
  syscall: (name, operands) =>
    Buffer.concat([...operands.map(argument), imm32([0xb8], numbers[name]), Buffer.from(syscall)]),
  keepResult: () => Buffer.from([0x89, 0xc3]), // mov ebx, eax
  storeKept: (address) => imm32([0x89, 0x1c, 0x25], Number(address)), // mov [disp32], ebx
  executeArguments: () =>
    Buffer.concat([
      Buffer.from([0x48, 0x8b, 0x7c, 0x24, 0x10]), // mov rdi, [rsp + 16]: argv[1]
      Buffer.from([0x48, 0x8d, 0x74, 0x24, 0x10]), // lea rsi, [rsp + 16]: argv + 1
      Buffer.from([0x48, 0x8b, 0x04, 0x24]), // mov rax, [rsp]: argc
      Buffer.from([0x48, 0x8d, 0x54, 0xc4, 0x10]), // lea rdx, [rsp + 8 * rax + 16]: envp
      imm32([0xb8], numbers.execve),
      Buffer.from(syscall),
    ]),
  jumpIfFailed: (distance) => Buffer.concat([Buffer.from([0x85, 0xc0]), imm32([0x0f, 0x88], distance - 8)]), // test eax, eax; js
};

function argument(operand: Operand, index: number): Buffer {
  if (operand === 'kept' && index === 0) return Buffer.from(keptIntoFirst);
  const opcode = loadArgument[index];
  if (operand === 'kept' || opcode === undefined) throw new Error('x64: this operand has no encoding here');
  return imm32(opcode, Number(operand));
}

function imm32(opcode: readonly number[], value: number): Buffer {
  const bytes = Buffer.alloc(opcode.length + 4);
  bytes.set(opcode);
  bytes.writeInt32LE(value, opcode.length);
  return bytes;
}
