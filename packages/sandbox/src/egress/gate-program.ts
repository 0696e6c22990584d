import { isIPv4 } from 'node:net';
import { type Assembler, createAssembler } from './assembler.ts';
import { buildElfImage } from './elf-image.ts';
import type { Machine } from './encoder.ts';
import { formatEndpoint } from './host.ts';

/** Where something inside listens for connections that are carried outside. */
export interface GateEndpoint {
  /** A loopback address. */
  readonly address: string;
  readonly port: number;
}

export interface GateOptions {
  readonly machine: Machine;
  /** Opened in this order. */
  readonly endpoints: readonly GateEndpoint[];
  /** The descriptor of Node's IPC channel in the process that runs the gate. */
  readonly channel: number;
}

/** The exit code with which the gate ends if it cannot listen or cannot execute the command; stderr says which. */
export const gateFailureCode = 126;

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_NOSIGNAL = 0x4000;
const backlog = 4_096;

/**
 * The first program in a sandbox with a network of its own: `gate COMMAND ARG…`. It listens on each endpoint, hands the
 * listening sockets to the server through the IPC channel, closes the channel, and becomes the command. So the sockets
 * are open before the command runs, and the channel is closed before it could say anything there.
 *
 * A static Linux executable without a library, since what lies in the sandbox may be anything: it reads no file and no
 * variable, and costs less than a millisecond and no memory once it has become the command.
 */
export function buildGateProgram({ machine, endpoints, channel }: GateOptions): Buffer {
  const code = createAssembler(machine);
  for (const [index, endpoint] of endpoints.entries()) handOver(code, channel, index, endpoint);
  code.syscall('close', channel);
  code.executeArguments();
  fail(
    code,
    'the sandbox cannot execute the command it was to run: is the program, and its interpreter, shown inside?',
  );
  return buildElfImage(code.finish());
}

function handOver(code: Assembler, channel: number, index: number, { address, port }: GateEndpoint): void {
  const endpoint = formatEndpoint(address, port);
  const refused = code.block((stub) => fail(stub, `the sandbox cannot listen on ${endpoint}`));
  const unsent = code.block((stub) => fail(stub, 'the sandbox has lost the channel to its server'));
  const sockaddr = socketAddress(address, port);

  code.syscall('socket', isIPv4(address) ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  code.jumpIfFailed(refused);
  code.keepResult();
  code.syscall('bind', 'kept', code.data(sockaddr), sockaddr.length);
  code.jumpIfFailed(refused);
  code.syscall('listen', 'kept', backlog);
  code.jumpIfFailed(refused);

  // One message each: Node takes one handle from what it reads at once, and the kernel ends a read behind a descriptor.
  const line = code.data(Buffer.from(handleMessage(index)));
  const control = code.data(controlMessage());
  code.storeKept(control, controlHeaderBytes);
  const iov = code.data(words(line, BigInt(Buffer.byteLength(handleMessage(index)))));
  code.syscall('sendmsg', channel, code.data(words(0n, 0n, iov, 1n, control, 24n, 0n)), MSG_NOSIGNAL);
  code.jumpIfFailed(unsent);
  code.syscall('close', 'kept');
}

/** The message with which Node's IPC passes a handle (lib/internal/child_process.js), of the kind that is not wrapped. */
function handleMessage(index: number): string {
  return `${JSON.stringify({ cmd: 'NODE_HANDLE', type: 'net.Native', msg: { listener: index } })}\n`;
}

function fail(code: Assembler, message: string): void {
  const text = Buffer.from(`reeve: ${message}\n`);
  code.syscall('write', 2, code.data(text), text.length);
  code.syscall('exit_group', gateFailureCode);
}

/** sockaddr_in or sockaddr_in6 (ip(7), ipv6(7)) of 127.x.y.z or ::1. */
function socketAddress(address: string, port: number): Buffer {
  const bytes = Buffer.alloc(isIPv4(address) ? 16 : 28);
  bytes.writeUInt16LE(isIPv4(address) ? AF_INET : AF_INET6, 0);
  bytes.writeUInt16BE(port, 2);
  if (isIPv4(address)) bytes.set(address.split('.').map(Number), 4);
  else bytes.writeUInt8(1, 8 + 15);
  return bytes;
}

const controlHeaderBytes = 16;

/** cmsghdr with one descriptor (cmsg(3)), which is stored behind the header when it is known. */
function controlMessage(): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeBigUInt64LE(BigInt(controlHeaderBytes + 4), 0);
  bytes.writeUInt32LE(SOL_SOCKET, 8);
  bytes.writeUInt32LE(SCM_RIGHTS, 12);
  return bytes;
}

function words(...values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(value, index * 8);
  return bytes;
}
