/**
 * One step of a classic BPF program over `struct seccomp_data`: the accumulator is loaded, tested, and a verdict
 * returned. A jump names a label further down; without a label it goes on with the next step.
 */
export type BpfStep =
  /** Loads the 32-bit word at a byte offset that is a multiple of 4. */
  | { readonly kind: 'load'; readonly offset: number }
  | {
      readonly kind: 'jump';
      /** `equal`: the accumulator is the value; `at-least`: it is as great, unsigned; `any-bit`: it shares a bit. */
      readonly when: 'equal' | 'at-least' | 'any-bit';
      readonly value: number;
      readonly yes?: string;
      readonly no?: string;
    }
  | { readonly kind: 'label'; readonly name: string }
  | { readonly kind: 'return'; readonly value: number };

/** linux/bpf_common.h: class | size | mode, class | test | source, class | source. */
const loadWordAbsolute = 0x20;
const jumpCodes = { equal: 0x15, 'at-least': 0x35, 'any-bit': 0x45 } as const;
const returnConstant = 0x06;

/** linux/filter.h BPF_MAXINSNS */
const maxInstructions = 4_096;
/** Offsets of conditional jumps are one unsigned byte. */
const maxJump = 255;
const instructionBytes = 8;

/**
 * The program as an array of `struct sock_filter` (u16 code, u8 jt, u8 jf, u32 k), little-endian.
 * Throws when a label is missing, defined twice, behind its jump or too far ahead of it: a mistake in the program.
 */
export function assembleBpf(steps: readonly BpfStep[]): Buffer {
  const labels = new Map<string, number>();
  let length = 0;
  for (const step of steps) {
    if (step.kind !== 'label') length += 1;
    else if (labels.has(step.name)) throw new Error(`BPF label "${step.name}" is defined twice`);
    else labels.set(step.name, length);
  }
  if (length > maxInstructions) throw new Error(`BPF program of ${length} instructions: ${maxInstructions} at most`);

  const bytes = Buffer.alloc(length * instructionBytes);
  let at = 0;
  const distance = (name: string | undefined): number => {
    if (name === undefined) return 0;
    const jump = (labels.get(name) ?? Number.NaN) - at - 1;
    if (jump >= 0 && jump <= maxJump) return jump;
    throw new Error(`BPF label "${name}" is missing, or not within ${maxJump} instructions after its jump`);
  };
  const emit = (code: number, jumpTrue: number, jumpFalse: number, operand: number): void => {
    const offset = at * instructionBytes;
    bytes.writeUInt16LE(code, offset);
    bytes.writeUInt8(jumpTrue, offset + 2);
    bytes.writeUInt8(jumpFalse, offset + 3);
    bytes.writeUInt32LE(operand >>> 0, offset + 4);
    at += 1;
  };
  for (const step of steps) {
    switch (step.kind) {
      case 'load':
        emit(loadWordAbsolute, 0, 0, step.offset);
        break;
      case 'jump':
        emit(jumpCodes[step.when], distance(step.yes), distance(step.no), step.value);
        break;
      case 'return':
        emit(returnConstant, 0, 0, step.value);
        break;
      case 'label':
        break;
    }
  }
  return bytes;
}
