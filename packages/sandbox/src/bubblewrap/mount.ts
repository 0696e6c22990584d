/** One thing that stands at `path` inside. `descriptor` is a number in bubblewrap's own process. */
export type Mount =
  | { readonly kind: 'bind'; readonly path: string; readonly access: 'ro' | 'rw'; readonly descriptor: number }
  /** `bytes`: undefined is the kernel's own bound, half of the memory. */
  | { readonly kind: 'tmpfs'; readonly path: string; readonly mode: string; readonly bytes?: number | undefined }
  | { readonly kind: 'empty-directory'; readonly path: string }
  /** Read-only; `mode`: 0444 unless given. */
  | { readonly kind: 'file'; readonly path: string; readonly descriptor: number; readonly mode?: string };

/** Whether `path` is `ancestor` or lies below it; both absolute and normal. */
export function isWithin(path: string, ancestor: string): boolean {
  return path === ancestor || path.startsWith(ancestor === '/' ? '/' : `${ancestor}/`);
}

/** Outer before inner: a mount covers what was mounted below its path before. Those at one depth keep their order. */
export function outerFirst<T extends { readonly path: string }>(mounts: readonly T[]): readonly T[] {
  return mounts.toSorted((one, other) => depth(one.path) - depth(other.path));
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}
