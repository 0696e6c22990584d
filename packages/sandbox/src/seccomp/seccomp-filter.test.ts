import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSeccompFilter, type SeccompVerdict } from './bpf-interpreter.rig.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { seccompRules } from './seccomp-rules.ts';
import { type SyscallArchitecture, type SyscallName, syscallNames, syscallNumber } from './syscall-numbers.ts';

const architectures = ['x64', 'arm64'] as const;
const audit = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const filters = { x64: seccompFilter({ arch: 'x64' }), arm64: seccompFilter({ arch: 'arm64' }) } as const;

const allowed: SeccompVerdict = { kind: 'allow' };
const killed: SeccompVerdict = { kind: 'kill' };
const EPERM: SeccompVerdict = { kind: 'errno', errno: 1 };
const ENOSYS: SeccompVerdict = { kind: 'errno', errno: 38 };
const EPROTONOSUPPORT: SeccompVerdict = { kind: 'errno', errno: 93 };
const EAFNOSUPPORT: SeccompVerdict = { kind: 'errno', errno: 97 };

function verdict(arch: SyscallArchitecture, number: number, ...args: readonly (number | bigint)[]): SeccompVerdict {
  return runSeccompFilter(filters[arch], { number, architecture: audit[arch], args: args.map(BigInt) });
}

function onEach(name: SyscallName, ...args: readonly (number | bigint)[]): SeccompVerdict[] {
  return architectures.flatMap((arch) => {
    const number = syscallNumber(name, arch);
    return number === undefined ? [] : [verdict(arch, number, ...args)];
  });
}

function expectOnEach(name: SyscallName, args: readonly (number | bigint)[], expected: SeccompVerdict): void {
  for (const answer of onEach(name, ...args)) expect(answer, `${name}(${args.join(', ')})`).toEqual(expected);
}

describe('the seccomp filter', () => {
  it('knows the calls by the numbers of the kernel', () => {
    // x64: 101 ptrace, 165 mount, 310 process_vm_readv, 250 keyctl · arm64: 117, 40, 270, 219
    for (const number of [101, 165, 310, 250]) expect(verdict('x64', number)).toEqual(EPERM);
    for (const number of [117, 40, 270, 219]) expect(verdict('arm64', number)).toEqual(EPERM);
    // x64: 0 read, 1 write, 59 execve, 202 futex, 318 getrandom · arm64: 63, 64, 221, 98, 278
    for (const number of [0, 1, 59, 202, 318]) expect(verdict('x64', number)).toEqual(allowed);
    for (const number of [63, 64, 221, 98, 278]) expect(verdict('arm64', number)).toEqual(allowed);
    for (const arch of architectures) {
      const known = syscallNames.map((name) => syscallNumber(name, arch)).filter((number) => number !== undefined);
      expect(new Set(known).size).toBe(known.length);
    }
  });

  it('ends a process that calls by another architecture, the 32-bit ones included', () => {
    const i386 = 0x4000_0003;
    const arm = 0x4000_0028;
    const call = (arch: SyscallArchitecture, architecture: number) =>
      runSeccompFilter(filters[arch], { number: 0, architecture, args: [] });
    for (const other of [i386, arm, audit.arm64, 0]) expect(call('x64', other)).toEqual(killed);
    for (const other of [i386, arm, audit.x64, 0]) expect(call('arm64', other)).toEqual(killed);
  });

  it('ends a process that uses the x32 numbers, but answers the question whether a filter is there', () => {
    for (const number of [0x4000_0000, 0x4000_0000 | 101, 0x4000_0000 | 521, 0xffff_fffe])
      expect(verdict('x64', number)).toEqual(killed);
    expect(verdict('x64', 0x3fff_ffff)).toEqual(ENOSYS);
    for (const arch of architectures) expect(verdict(arch, -1)).toEqual(ENOSYS);
  });

  it('refuses what its rules have not judged yet', () => {
    for (const arch of architectures) {
      expect(verdict(arch, 469)).toEqual(allowed);
      expect(verdict(arch, 470)).toEqual(ENOSYS);
      expect(verdict(arch, 0x3fff_ffff)).toEqual(ENOSYS);
    }
  });

  it.each([
    ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd', 'keyctl', 'add_key'] as const),
    ...(['request_key', 'mount', 'umount2', 'pivot_root', 'move_mount', 'open_tree', 'fsopen', 'fsmount'] as const),
    ...(['fsconfig', 'mount_setattr', 'setns', 'chroot', 'bpf', 'perf_event_open', 'userfaultfd'] as const),
    ...(['kexec_load', 'init_module', 'finit_module', 'delete_module', 'swapon', 'swapoff', 'reboot'] as const),
    ...(['sethostname', 'acct', 'quotactl', 'open_by_handle_at', 'modify_ldt', 'syslog'] as const),
  ])('refuses %s', (name) => {
    for (const args of [[], [0, 0, 0], [-1, -1, -1, -1, -1, -1]]) expectOnEach(name, args, EPERM);
  });

  it('answers as an older kernel where programs fall back on calls that can be judged', () => {
    for (const name of ['clone3', 'openat2', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const)
      expectOnEach(name, [], ENOSYS);
  });

  it('lets threads and processes be made, but no namespace by any flag', () => {
    const fork = 0x0120_0011; // CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD
    const thread = 0x003d_0f00;
    for (const flags of [17, fork, thread]) expectOnEach('clone', [flags], allowed);
    for (const flag of [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]) {
      expectOnEach('clone', [17 | flag], EPERM);
      expectOnEach('unshare', [flag], EPERM);
      expectOnEach('unshare', [(1n << 40n) | BigInt(flag)], EPERM);
    }
    expectOnEach('unshare', [0x80], EPERM); // CLONE_NEWTIME
    expectOnEach('unshare', [0x600], allowed); // CLONE_FS | CLONE_FILES
  });

  it('refuses input into a terminal, however the upper half of the command is filled', () => {
    for (const command of [0x5412, 0x541c, 0x5423]) {
      expectOnEach('ioctl', [0, command], EPERM);
      expectOnEach('ioctl', [0, (1n << 32n) | BigInt(command)], EPERM);
    }
    for (const command of [0x5401, 0x5413, 0x541b]) expectOnEach('ioctl', [0, command], allowed); // TCGETS, TIOCGWINSZ, FIONREAD
  });

  it('has sockets of unix, IPv4, IPv6 and the list of routes, and no other', () => {
    for (const family of [1, 2, 10]) expectOnEach('socket', [family, 1, 6], allowed);
    expectOnEach('socket', [16, 3, 0], allowed);
    for (const protocol of [4, 9, 12, 15]) expectOnEach('socket', [16, 3, protocol], EPROTONOSUPPORT);
    for (const family of [0, 17, 29, 31, 38, 40, 44]) expectOnEach('socket', [family, 1, 0], EAFNOSUPPORT);
    expectOnEach('socketpair', [1, 1, 0], allowed);
    expectOnEach('socketpair', [30, 1, 0], EAFNOSUPPORT);
  });

  it('refuses a file that would run as its owner, by every call that makes one', () => {
    const setuid = 0o4755;
    const creat = 0o101;
    const temporary = 0o20200002;
    for (const name of ['chmod', 'fchmod', 'creat', 'mknod'] as const) {
      expectOnEach(name, [0, setuid], EPERM);
      expectOnEach(name, [0, 0o2755], allowed);
    }
    for (const name of ['fchmodat', 'fchmodat2', 'mknodat'] as const) {
      expectOnEach(name, [0, 0, setuid], EPERM);
      expectOnEach(name, [0, 0, 0o755], allowed);
    }
    for (const flags of [creat, temporary]) {
      expectOnEach('open', [0, flags, setuid], EPERM);
      expectOnEach('openat', [0, 0, flags, setuid], EPERM);
      expectOnEach('openat', [0, 0, flags, 0o644], allowed);
    }
    expectOnEach('openat', [0, 0, 0, setuid], allowed); // No mode is read here: the register holds what it happens to.
  });

  it('keeps the default personality, and answers the question for it', () => {
    for (const wanted of [0, 0xffff_ffff]) expectOnEach('personality', [wanted], allowed);
    for (const wanted of [8, 0x0004_0000, 0x0010_0000]) expectOnEach('personality', [wanted], EPERM);
  });

  it('lets a sandbox be built inside when that is asked for, and still nothing else', () => {
    for (const arch of architectures) {
      const nested = seccompFilter({ arch, nestedSandbox: true });
      const judge = (name: SyscallName, ...args: readonly number[]) =>
        runSeccompFilter(nested, {
          number: syscallNumber(name, arch) as number,
          architecture: audit[arch],
          args: args.map(BigInt),
        });
      for (const name of ['mount', 'umount2', 'pivot_root', 'chroot', 'setns', 'clone3'] as const)
        expect(judge(name)).toEqual(allowed);
      for (const name of ['unshare', 'clone'] as const) expect(judge(name, 0x7e02_0000)).toEqual(allowed);
      for (const name of ['ptrace', 'keyctl', 'bpf', 'perf_event_open'] as const) expect(judge(name)).toEqual(EPERM);
      expect(judge('ioctl', 0, 0x5412)).toEqual(EPERM);
    }
  });

  it('gives every call and all arguments a verdict, and allows whatever no rule names', () => {
    const argument = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(
        fc.constantFrom(...architectures),
        fc.oneof(fc.integer({ min: 0, max: 480 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
        fc.array(argument, { minLength: 6, maxLength: 6 }),
        (arch, number, args) => {
          const named = syscallNames.some((name) => syscallNumber(name, arch) === number);
          const answer = verdict(arch, number, ...args);
          if (number >= 0 && number < 470 && !named) expect(answer).toEqual(allowed);
          if (number < 0 || number >= 470) expect(answer).not.toEqual(allowed);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('has a rule for every call in its table, and none twice without a condition', () => {
    const rules = seccompRules({ nestedSandbox: false });
    for (const name of syscallNames) {
      const own = rules.filter((rule) => rule.calls.includes(name));
      expect(own.length, name).toBeGreaterThan(0);
      if (own.length > 1) expect(own.every((rule) => rule.when !== undefined)).toBe(true);
    }
  });
});
