import { codeBase, dataBase, type Program } from './assembler.ts';
import type { Machine } from './encoder.ts';

const elfHeaderBytes = 64;
const programHeaderBytes = 56;
/** The largest page that a kernel of the machine may have: modulo it, a file offset and its address are equal. */
const pageBytes: Readonly<Record<Machine, number>> = { x64: 0x1000, arm64: 0x1_0000 };

const ET_EXEC = 2;
const PT_LOAD = 1;
const PT_GNU_STACK = 0x6474e551;
const PF_X = 1;
const PF_W = 2;
const PF_R = 4;
const EM: Readonly<Record<Machine, number>> = { x64: 62, arm64: 183 };

/** A static 64-bit little-endian executable (elf(5)): code that cannot be written, data that cannot be executed. */
export function buildElfImage({ machine, code, data }: Program): Buffer {
  const headers = elfHeaderBytes + 3 * programHeaderBytes;
  const codeEnd = headers + code.length;
  const entry = codeBase + BigInt(headers);
  const page = pageBytes[machine];
  const dataOffset = Math.ceil(codeEnd / page) * page;
  const image = Buffer.alloc(dataOffset + data.length);

  image.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  image.writeUInt16LE(ET_EXEC, 16);
  image.writeUInt16LE(EM[machine], 18);
  image.writeUInt32LE(1, 20);
  image.writeBigUInt64LE(entry, 24);
  image.writeBigUInt64LE(BigInt(elfHeaderBytes), 32);
  image.writeUInt16LE(elfHeaderBytes, 52);
  image.writeUInt16LE(programHeaderBytes, 54);
  image.writeUInt16LE(3, 56);

  const segment = (index: number, type: number, flags: number, offset: number, address: bigint, bytes: number) => {
    const at = elfHeaderBytes + index * programHeaderBytes;
    image.writeUInt32LE(type, at);
    image.writeUInt32LE(flags, at + 4);
    image.writeBigUInt64LE(BigInt(offset), at + 8);
    for (const field of [16, 24]) image.writeBigUInt64LE(address, at + field);
    for (const field of [32, 40]) image.writeBigUInt64LE(BigInt(bytes), at + field);
    image.writeBigUInt64LE(BigInt(type === PT_LOAD ? page : 16), at + 48);
  };
  segment(0, PT_LOAD, PF_R | PF_X, 0, codeBase, codeEnd);
  segment(1, PT_LOAD, PF_R | PF_W, dataOffset, dataBase, data.length);
  segment(2, PT_GNU_STACK, PF_R | PF_W, 0, 0n, 0);
  code.copy(image, headers);
  data.copy(image, dataOffset);
  return image;
}
