import { seccompArchitecture } from '../seccomp/seccomp-filter.ts';
import type { SyscallName } from '../seccomp/syscall-numbers.ts';
import { syscallNumber } from '../seccomp/syscall-numbers.ts';
import { type EscapeAttempt, shellWord as q } from './escape-attempt.ts';

const ptraceAttach = 16;
const keyringOfUser = -4;

/** Other processes, and what the kernel keeps for all of them. */
export const processEscapes: readonly EscapeAttempt[] = [
  {
    id: 'own-root',
    what: 'read outside through /proc/self/root',
    language: 'sh',
    script: ({ sibling }) => `cat ${q(`/proc/self/root${sibling}/secret`)}`,
  },
  {
    id: 'first-root',
    what: 'read outside through the root of process 1',
    language: 'sh',
    script: ({ sibling }) => `cat ${q(`/proc/1/root${sibling}/secret`)}`,
  },
  {
    id: 'other-directories',
    what: 'read outside through the root or working directory of another process',
    language: 'sh',
    script: ({ sibling }) =>
      `for p in /proc/[0-9]*; do timeout 1 cat "$p/cwd/secret" "$p/root"${q(`${sibling}/secret`)}; done`,
  },
  {
    id: 'other-environment',
    what: 'read a secret in the environment of another process, the server included',
    language: 'sh',
    script: () => `env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'`,
  },
  {
    id: 'signal',
    what: 'end a process of the host',
    language: 'sh',
    script: ({ victim }) => `kill -KILL ${victim}`,
    trace: (stage) => (stage.victimLives() ? undefined : 'the process is gone'),
  },
  {
    id: 'signal-all',
    what: 'end every process that can be seen',
    language: 'sh',
    script: () => 'kill -KILL -1',
    trace: (stage) => (stage.victimLives() ? undefined : 'the process is gone'),
    onlyConfined: true,
  },
  {
    id: 'ptrace',
    what: 'trace a process of the host',
    language: 'perl',
    script: ({ victim }) => call('ptrace', `${ptraceAttach}, ${victim}, 0, 0`, '== 0'),
  },
  {
    id: 'keyring',
    what: "reach the keyring of the server's user",
    language: 'perl',
    script: () => call('keyctl', `0, ${keyringOfUser}, 1`, '> 0'),
  },
  {
    id: 'shared-memory',
    what: 'see System V shared memory of the host',
    language: 'sh',
    needs: { sharedMemory: true },
    script: ({ sharedMemory }) =>
      sharedMemory === undefined ? undefined : `ipcs -m | awk '$2 == ${sharedMemory} { print "ESCAPED" }'`,
  },
  {
    id: 'terminal-input',
    what: 'type into a terminal (TIOCSTI)',
    language: 'sh',
    script: () =>
      `command -v script >/dev/null && command -v perl >/dev/null || exit 0
      script -qec ${q(`perl -e 'exit(ioctl(STDIN, 0x5412, "x") ? 0 : 1)'`)} /dev/null && echo ESCAPED`,
  },
  {
    id: 'core-pattern',
    what: 'open for writing which program the host runs after a crash',
    language: 'sh',
    script: () => '(: >>/proc/sys/kernel/core_pattern) && echo ESCAPED',
  },
  {
    id: 'device',
    what: 'open a disk or the memory of the machine',
    language: 'sh',
    script: () =>
      'for d in /dev/mem /dev/kmsg /dev/sd? /dev/vd? /dev/nvme?n? /dev/kvm; do [ -e "$d" ] && (: <"$d") && echo ESCAPED "$d"; done',
  },
];

/** Perl that makes one system call by its number. */
function call(name: SyscallName, args: string, success: string): string | undefined {
  const arch = seccompArchitecture();
  const number = arch === undefined ? undefined : syscallNumber(name, arch);
  return number === undefined
    ? undefined
    : `my $r = syscall(${number}, ${args}); print "ESCAPED $r\\n" if $r ${success};`;
}
