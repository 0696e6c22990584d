import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from '@reeve/protocol';

/** The archive of a package that a server ran with. */
export interface PackagePin {
  readonly version: string;
  /** sha512. */
  readonly integrity: string;
}

/**
 * Which archive stands behind a range or a tag (`npx server@latest`) for a server of one fingerprint: that of its first start. What was
 * approved is what runs, also when the tag has moved.
 */
export interface PackagePins {
  find(fingerprint: string, spec: string): Promise<PackagePin | undefined>;
  /** Durable once resolved. */
  keep(fingerprint: string, spec: string, pin: PackagePin): Promise<void>;
  /** All of a server's: what it is approved with next is what counts then. Durable once resolved. */
  forget(fingerprint: string): Promise<void>;
}

/** Pins in a JSON file, which may be removed: the next starts resolve anew. A file that cannot be read counts as empty. */
export function openPackagePins(file: string): PackagePins {
  let writing: Promise<void> = Promise.resolve();

  async function read(): Promise<Record<string, unknown>> {
    try {
      const said: unknown = JSON.parse(await readFile(file, 'utf8'));
      return isObject(said) ? { ...said } : {};
    } catch {
      return {};
    }
  }

  function change(edit: (pins: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
    const write = async (): Promise<void> => {
      const before = await read();
      const after = edit(before);
      if (after === before) return;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.${randomUUID()}`;
      await writeFile(draft, JSON.stringify(after, undefined, 2), { mode: 0o600 });
      await rename(draft, file);
    };
    const written = writing.then(write);
    writing = written.catch(() => {});
    return written;
  }

  return {
    async find(fingerprint, spec) {
      await writing;
      const pins = await read();
      const key = keyOf(fingerprint, spec);
      const pin = Object.hasOwn(pins, key) ? pins[key] : undefined;
      if (!isObject(pin) || typeof pin.version !== 'string' || typeof pin.integrity !== 'string') return undefined;
      return { version: pin.version, integrity: pin.integrity };
    },
    keep: (fingerprint, spec, pin) => change((pins) => ({ ...pins, [keyOf(fingerprint, spec)]: pin })),
    forget: (fingerprint) =>
      change((pins) => {
        const others = Object.entries(pins).filter(([key]) => !key.startsWith(keyOf(fingerprint, '')));
        return others.length === Object.keys(pins).length ? pins : Object.fromEntries(others);
      }),
  };
}

function keyOf(fingerprint: string, spec: string): string {
  return `${fingerprint} ${spec}`;
}
