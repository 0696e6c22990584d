import { assembleBpf, type BpfStep } from './bpf-program.ts';
import { type ArgumentTest, errno, type SeccompRule, seccompRules } from './seccomp-rules.ts';
import { firstUnjudgedSyscall, type SyscallArchitecture, syscallNames, syscallNumber } from './syscall-numbers.ts';

export interface SeccompOptions {
  readonly arch: SyscallArchitecture;
  /** Lets mounts and namespaces through, for a program that builds a sandbox of its own. Visibly weaker. */
  readonly nestedSandbox?: boolean;
}

/** linux/seccomp.h: struct seccomp_data { int nr; u32 arch; u64 instruction_pointer; u64 args[6]; } */
const numberOffset = 0;
const architectureOffset = 4;
const argumentOffset = (argument: number): number => 16 + argument * 8;

const killProcess = 0x8000_0000;
const allow = 0x7fff_0000;
const refuseWith = (code: number): number => 0x0005_0000 | code;

/** linux/audit.h */
const auditArchitecture = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
/** asm/unistd.h of x86: the bit of the x32 calls, which share the architecture and have numbers of their own. */
const x32Bit = 0x4000_0000;
/** syscall(-1), by which programs ask whether a filter is there. The kernel answers ENOSYS. */
const noSyscall = 0xffff_ffff;

/**
 * The filter for `bwrap --seccomp FD`: an array of `struct sock_filter`. What the rules refuse fails with an errno;
 * so does, with ENOSYS, every call that is newer than the rules. Calls of another architecture, which have other numbers,
 * end the process. The rest is allowed: the filter narrows what the namespaces hold, it does not replace them.
 */
export function seccompFilter({ arch, nestedSandbox = false }: SeccompOptions): Buffer {
  return assembleBpf([
    { kind: 'load', offset: architectureOffset },
    { kind: 'jump', when: 'equal', value: auditArchitecture[arch], yes: 'native' },
    { kind: 'return', value: killProcess },
    { kind: 'label', name: 'native' },
    { kind: 'load', offset: numberOffset },
    { kind: 'jump', when: 'at-least', value: firstUnjudgedSyscall, no: 'judged' },
    { kind: 'jump', when: 'equal', value: noSyscall, yes: 'unjudged' },
    ...(arch === 'x64' ? refuseX32 : []),
    { kind: 'label', name: 'unjudged' },
    { kind: 'return', value: refuseWith(errno.ENOSYS) },
    { kind: 'label', name: 'judged' },
    ...judgements(arch, seccompRules({ nestedSandbox })),
    { kind: 'return', value: allow },
  ]);
}

/** The architecture that the filter must speak on this machine; undefined where there is none of ours. */
export function seccompArchitecture(arch: string = process.arch): SyscallArchitecture | undefined {
  return arch === 'x64' || arch === 'arm64' ? arch : undefined;
}

const refuseX32: readonly BpfStep[] = [
  { kind: 'jump', when: 'at-least', value: x32Bit, no: 'unjudged' },
  { kind: 'return', value: killProcess },
];

function judgements(arch: SyscallArchitecture, rules: readonly SeccompRule[]): readonly BpfStep[] {
  return syscallNames.flatMap((name): BpfStep[] => {
    const number = syscallNumber(name, arch);
    const own = rules.filter((rule) => rule.calls.includes(name));
    if (number === undefined || own.length === 0) return [];
    const next = `after ${name}`;
    const steps: BpfStep[] = [{ kind: 'jump', when: 'equal', value: number, no: next }];
    for (const [at, rule] of own.entries()) steps.push(...judgement(rule, `${name} rule ${at}`));
    // The number is no longer in the accumulator once an argument was looked at.
    if (own.every((rule) => rule.when !== undefined)) steps.push({ kind: 'return', value: allow });
    return [...steps, { kind: 'label', name: next }];
  });
}

function judgement(rule: SeccompRule, label: string): readonly BpfStep[] {
  const spared = `${label} spares`;
  return [
    ...(rule.when ?? []).flatMap((test, at) => argumentSteps(test, `${label} test ${at} holds`, spared)),
    { kind: 'return', value: refuseWith(errno[rule.refuse]) },
    { kind: 'label', name: spared },
  ];
}

/** Goes on below where the test holds, jumps to `fails` where it does not. */
function argumentSteps(test: ArgumentTest, holds: string, fails: string): readonly BpfStep[] {
  const load: BpfStep = { kind: 'load', offset: argumentOffset(test.argument) };
  switch (test.kind) {
    case 'any-bit':
      return [load, { kind: 'jump', when: 'any-bit', value: test.bits, no: fails }];
    case 'none-of':
      return [load, ...test.values.map((value): BpfStep => ({ kind: 'jump', when: 'equal', value, yes: fails }))];
    case 'one-of': {
      const steps = test.values.map((value, at): BpfStep => {
        const last = at === test.values.length - 1;
        return { kind: 'jump', when: 'equal', value, yes: holds, ...(last ? { no: fails } : {}) };
      });
      return [load, ...steps, { kind: 'label', name: holds }];
    }
  }
}
