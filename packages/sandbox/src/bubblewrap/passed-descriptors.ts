import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The descriptors that bubblewrap gets beside its stdio, each for one purpose; it closes all of them before the program
 * runs. They are open here until dispose, which is due as soon as bubblewrap has been started.
 */
export interface PassedDescriptors extends Disposable {
  /** Takes `descriptor` over and answers its number in the child, the same one each time. */
  pass(descriptor: number): number;
  /** The number in the child of a descriptor from which `data` can be read to its end. */
  passData(data: string | Uint8Array): number;
  /** In the order of their numbers in the child. */
  readonly all: readonly number[];
}

/** @param first the number in the child of the first one. */
export function createPassedDescriptors(first: number): PassedDescriptors {
  const all: number[] = [];
  const pass = (descriptor: number) => {
    const at = all.indexOf(descriptor);
    return first + (at === -1 ? all.push(descriptor) - 1 : at);
  };
  return {
    all,
    pass,
    passData: (data) => pass(openData(typeof data === 'string' ? Buffer.from(data) : data)),
    [Symbol.dispose]() {
      for (const descriptor of all.splice(0)) closeSync(descriptor);
    },
  };
}

/** `O_TMPFILE` of open(2): a file without a name. Its bits contain O_DIRECTORY, which differs between architectures. */
const withoutName = 0o20000000 | (constants.O_DIRECTORY ?? 0);

/** A nameless file that holds `data`, to be read from its start. */
function openData(data: Uint8Array): number {
  const descriptor = openNameless();
  for (let at = 0; at < data.length; ) at += writeSync(descriptor, data, at, data.length - at, at);
  return descriptor;
}

function openNameless(): number {
  for (const directory of ['/dev/shm', tmpdir()]) {
    try {
      return openSync(directory, withoutName | constants.O_RDWR, 0o600);
    } catch {
      // No such directory, or its file system has no nameless files.
    }
  }
  const path = join(tmpdir(), `reeve-${randomUUID()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return descriptor;
}
