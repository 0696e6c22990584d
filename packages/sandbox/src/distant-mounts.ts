import { readFileSync } from 'node:fs';

/** File systems whose answers may not come: those of other machines, and those that programs make. */
const DISTANT = /^(?:nfs|cifs|smb|fuse|9p|afs|ceph|autofs|glusterfs|lustre)/;

/** Mount points below which a look may wait without end, absolute. Empty where the system has no /proc. */
export function distantMounts(): readonly string[] {
  let table: string;
  try {
    table = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return [];
  }
  return distantIn(table);
}

/** @param table as /proc/PID/mountinfo has it (proc(5)): octal escapes in paths, the type after a lone dash */
export function distantIn(table: string): readonly string[] {
  return table.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ', 2);
    const path = before.split(' ')[4];
    if (path === undefined || !DISTANT.test(after)) return [];
    return [path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))];
  });
}
