/** What the kernel hands to a filter (linux/seccomp.h); arguments are 64-bit. */
export interface SeccompData {
  readonly number: number;
  readonly architecture: number;
  readonly args: readonly bigint[];
}

export type SeccompVerdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'kill' }
  | { readonly kind: 'errno'; readonly errno: number };

/** Runs a filter as the kernel would, from the instructions' own bytes; throws on what the kernel would not load. */
export function runSeccompFilter(program: Buffer, { number, architecture, args }: SeccompData): SeccompVerdict {
  const data = Buffer.alloc(64);
  data.writeInt32LE(number | 0, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [at, value] of args.entries()) data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + at * 8);

  const length = program.length / 8;
  if (!Number.isInteger(length) || length === 0) throw new Error('not an array of struct sock_filter');
  let accumulator = 0;
  for (let at = 0; at < length; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const jumpTrue = program.readUInt8(at * 8 + 2);
    const jumpFalse = program.readUInt8(at * 8 + 3);
    const k = program.readUInt32LE(at * 8 + 4);
    switch (code) {
      case 0x20: // ld [k]
        if (k % 4 !== 0 || k > 60) throw new Error(`load outside of seccomp_data: ${k}`);
        accumulator = data.readUInt32LE(k);
        break;
      case 0x15: // jeq
        at += accumulator === k ? jumpTrue : jumpFalse;
        break;
      case 0x35: // jge
        at += accumulator >= k ? jumpTrue : jumpFalse;
        break;
      case 0x45: // jset
        at += (accumulator & k) !== 0 ? jumpTrue : jumpFalse;
        break;
      case 0x06: // ret
        return verdictOf(k);
      default:
        throw new Error(`unknown instruction ${code}`);
    }
  }
  throw new Error('the program ended without a verdict');
}

function verdictOf(value: number): SeccompVerdict {
  const action = (value & 0xffff_0000) >>> 0;
  if (action === 0x7fff_0000) return { kind: 'allow' };
  if (action === 0x8000_0000) return { kind: 'kill' };
  if (action === 0x0005_0000) return { kind: 'errno', errno: value & 0xffff };
  throw new Error(`unknown action ${action}`);
}
