import { describe, expect, it } from 'vitest';
import { assembleBpf, type BpfStep } from './bpf-program.ts';

describe('the BPF assembler', () => {
  it('writes struct sock_filter, little-endian, and resolves labels to relative jumps', () => {
    const program = assembleBpf([
      { kind: 'load', offset: 4 },
      { kind: 'jump', when: 'equal', value: 0xc000_003e, yes: 'yes', no: 'no' },
      { kind: 'label', name: 'no' },
      { kind: 'return', value: 0x8000_0000 },
      { kind: 'label', name: 'yes' },
      { kind: 'return', value: 0x7fff_0000 },
    ]);
    expect(program.toString('hex').match(/.{16}/g)).toEqual([
      '2000000004000000',
      '150001003e0000c0',
      '0600000000000080',
      '060000000000ff7f',
    ]);
  });

  it('refuses a label that is missing, behind, doubled or too far away', () => {
    const jump: BpfStep = { kind: 'jump', when: 'equal', value: 1, yes: 'x' };
    const label: BpfStep = { kind: 'label', name: 'x' };
    const end: BpfStep = { kind: 'return', value: 0 };
    const many = (count: number) => Array.from({ length: count }, () => end);
    expect(() => assembleBpf([jump, end])).toThrow('"x"');
    expect(() => assembleBpf([label, jump, end])).toThrow('"x"');
    expect(() => assembleBpf([jump, label, label, end])).toThrow('defined twice');
    expect(() => assembleBpf([jump, ...many(255), label, end])).not.toThrow();
    expect(() => assembleBpf([jump, ...many(256), label, end])).toThrow('within 255');
    expect(() => assembleBpf(many(4_097))).toThrow('4096 at most');
  });
});
