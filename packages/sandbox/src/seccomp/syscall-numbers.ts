export type SyscallArchitecture = 'x64' | 'arm64';

/**
 * The system calls that a rule speaks of, as [x64, arm64] of Linux' own tables (arch/x86/entry/syscalls/syscall_64.tbl,
 * include/uapi/asm-generic/unistd.h). Undefined where the architecture has no such call.
 */
const numbers = {
  _sysctl: [156, undefined],
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chmod: [90, undefined],
  chroot: [161, 51],
  clone: [56, 220],
  clone3: [435, 435],
  creat: [85, undefined],
  create_module: [174, undefined],
  delete_module: [176, 106],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177, undefined],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, undefined],
  iopl: [172, undefined],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mknod: [133, undefined],
  mknodat: [259, 33],
  modify_ldt: [154, undefined],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  name_to_handle_at: [303, 264],
  nfsservctl: [180, 42],
  open: [2, undefined],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  openat: [257, 56],
  openat2: [437, 437],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  query_module: [178, undefined],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, undefined],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
} as const satisfies Readonly<Record<string, readonly [x64: number | undefined, arm64: number | undefined]>>;

export type SyscallName = keyof typeof numbers;

export const syscallNames = Object.keys(numbers) as readonly SyscallName[];

/** One past the newest call that the rules have judged: file_setattr, Linux 6.17. Both architectures number alike here. */
export const firstUnjudgedSyscall = 470;

export function syscallNumber(name: SyscallName, architecture: SyscallArchitecture): number | undefined {
  return numbers[name][architecture === 'x64' ? 0 : 1];
}
