import type { SyscallName } from './syscall-numbers.ts';

/** errno(3), the same on x64 and arm64. */
export const errno = {
  EPERM: 1,
  ENOSYS: 38,
  EPROTONOSUPPORT: 93,
  EOPNOTSUPP: 95,
  EAFNOSUPPORT: 97,
} as const;

/**
 * A test of one argument, 0 to 5, by its low 32 bits. That is the whole argument for the calls here, which the kernel
 * itself cuts to an int (ioctl's command, socket's family, modes, personality) or reads no flag above (clone, unshare).
 */
export type ArgumentTest =
  | { readonly kind: 'any-bit'; readonly argument: number; readonly bits: number }
  | { readonly kind: 'one-of'; readonly argument: number; readonly values: readonly number[] }
  | { readonly kind: 'none-of'; readonly argument: number; readonly values: readonly number[] };

/** The named calls answer with `refuse`: always, or when every test of their arguments holds. */
export interface SeccompRule {
  readonly calls: readonly SyscallName[];
  readonly refuse: keyof typeof errno;
  readonly when?: readonly ArgumentTest[];
}

/** linux/sched.h CLONE_NEW*: ns, cgroup, uts, ipc, user, pid, net; unshare(2) knows the time namespace besides. */
const cloneNamespaces = 0x7e02_0000;
const unshareNamespaces = cloneNamespaces | 0x80;

const setuidBit = 0o4000;
/** open(2) reads its mode only with O_CREAT or __O_TMPFILE; without them the register may hold anything. */
const creatingFlags = 0o100 | 0o20000000;

const family = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
const netlinkRoute = 0;

/** asm-generic/ioctls.h */
const terminalCommands = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c, TIOCSETD: 0x5423 } as const;

/** Other processes, and the kernel's rarely used doors; nothing an agent, a compiler or a package manager needs. */
const always: readonly SeccompRule[] = [
  {
    calls: ['ptrace', 'process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd', 'userfaultfd'],
    refuse: 'EPERM',
  },
  // Keyrings belong to the user, not to a namespace: they would be shared with the host.
  { calls: ['keyctl', 'add_key', 'request_key'], refuse: 'EPERM' },
  { calls: ['bpf', 'perf_event_open', 'syslog', 'acct', 'quotactl', 'quotactl_fd'], refuse: 'EPERM' },
  { calls: ['kexec_load', 'kexec_file_load', 'reboot', 'swapon', 'swapoff', 'vhangup'], refuse: 'EPERM' },
  { calls: ['init_module', 'finit_module', 'delete_module'], refuse: 'EPERM' },
  { calls: ['sethostname', 'setdomainname', 'iopl', 'ioperm', 'modify_ldt'], refuse: 'EPERM' },
  // A handle opens a file by its inode, past every mount. Programs take "not supported" for the file system's answer.
  { calls: ['open_by_handle_at'], refuse: 'EPERM' },
  { calls: ['name_to_handle_at'], refuse: 'EOPNOTSUPP' },
  // Gone from new kernels, whose answer this is.
  {
    calls: ['nfsservctl', 'lookup_dcookie', 'uselib', '_sysctl', 'create_module', 'get_kernel_syms', 'query_module'],
    refuse: 'ENOSYS',
  },
  // A ring would make the calls of this list where no filter sees them. Programs fall back on epoll and threads.
  { calls: ['io_uring_setup', 'io_uring_enter', 'io_uring_register'], refuse: 'ENOSYS' },
  // Only the default and the question "which one?": others switch address randomisation off or map page zero.
  { calls: ['personality'], refuse: 'EPERM', when: [{ kind: 'none-of', argument: 0, values: [0, 0xffff_ffff] }] },
  // Input into the terminal of another, the console's selection, and the line disciplines of modems.
  {
    calls: ['ioctl'],
    refuse: 'EPERM',
    when: [{ kind: 'one-of', argument: 1, values: Object.values(terminalCommands) }],
  },
  // The others are not all held by the network namespace (vsock reaches the hypervisor), and few are well trodden.
  {
    calls: ['socket'],
    refuse: 'EAFNOSUPPORT',
    when: [{ kind: 'none-of', argument: 0, values: Object.values(family) }],
  },
  { calls: ['socketpair'], refuse: 'EAFNOSUPPORT', when: [{ kind: 'none-of', argument: 0, values: [family.unix] }] },
  // Routes, by which programs list their interfaces; not audit, diagnostics of sockets or the netfilter.
  {
    calls: ['socket'],
    refuse: 'EPROTONOSUPPORT',
    when: [
      { kind: 'one-of', argument: 0, values: [family.netlink] },
      { kind: 'none-of', argument: 2, values: [netlinkRoute] },
    ],
  },
  // A file that runs as its owner, made inside and run outside by another user, would act for the server's user.
  { calls: ['chmod', 'fchmod', 'creat', 'mknod'], refuse: 'EPERM', when: [anyBit(1, setuidBit)] },
  { calls: ['fchmodat', 'fchmodat2', 'mknodat'], refuse: 'EPERM', when: [anyBit(2, setuidBit)] },
  { calls: ['open'], refuse: 'EPERM', when: [anyBit(1, creatingFlags), anyBit(2, setuidBit)] },
  { calls: ['openat'], refuse: 'EPERM', when: [anyBit(2, creatingFlags), anyBit(3, setuidBit)] },
  // Its mode lies in memory, where a filter cannot look. Programs fall back on openat.
  { calls: ['openat2'], refuse: 'ENOSYS' },
];

/** What a sandbox inside the sandbox is made of, and what would take ours apart. */
const namespaces: readonly SeccompRule[] = [
  { calls: ['mount', 'umount2', 'pivot_root', 'chroot', 'mount_setattr', 'move_mount'], refuse: 'EPERM' },
  { calls: ['open_tree', 'open_tree_attr', 'fsopen', 'fspick', 'fsconfig', 'fsmount'], refuse: 'EPERM' },
  { calls: ['setns'], refuse: 'EPERM' },
  { calls: ['unshare'], refuse: 'EPERM', when: [anyBit(0, unshareNamespaces)] },
  { calls: ['clone'], refuse: 'EPERM', when: [anyBit(0, cloneNamespaces)] },
  // Its flags lie in memory. The C libraries fall back on clone.
  { calls: ['clone3'], refuse: 'ENOSYS' },
];

export function seccompRules({ nestedSandbox }: { readonly nestedSandbox: boolean }): readonly SeccompRule[] {
  return nestedSandbox ? always : [...always, ...namespaces];
}

function anyBit(argument: number, bits: number): ArgumentTest {
  return { kind: 'any-bit', argument, bits };
}
