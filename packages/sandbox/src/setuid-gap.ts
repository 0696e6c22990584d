/** Of a backend without a filter of ours: only the filter keeps chmod from setting the bit on a file of the user. */
export function setuidGap(writes: boolean): readonly string[] {
  return writes
    ? ["files: a program that runs as the server's user, whoever calls it (setuid), can be left in a read-write root"]
    : [];
}
