import { randomUUID } from 'node:crypto';

/** The variable that every process of one tree inherits, by which those that left the process group are found. */
export const markerVariable = 'REEVE_PROCESS';

/** A random UUID: hexadecimal digits and hyphens only, so that it can stand in a line of the guard's protocol. */
export function createMarker(): string {
  return randomUUID();
}

/** @param environ the bytes of /proc/PID/environ: `NAME=value` pairs, each ended by NUL. */
export function markerIn(environ: Buffer): string | undefined {
  const text = environ.toString('latin1');
  const name = `${markerVariable}=`;
  const at = text.startsWith(name) ? 0 : text.indexOf(`\0${name}`) + 1;
  if (at === 0 && !text.startsWith(name)) return undefined;
  const end = text.indexOf('\0', at);
  return text.slice(at + name.length, end === -1 ? undefined : end);
}
