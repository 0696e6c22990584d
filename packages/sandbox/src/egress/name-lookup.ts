import { lookup } from 'node:dns/promises';

/** The addresses of a name, in the order to try; rejects if there are none. */
export type NameLookup = (name: string) => Promise<readonly string[]>;

/** As programs of the host resolve names: its hosts file, its name services. */
export const systemLookup: NameLookup = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

/** Shares one lookup among those who wait for the same name, and rejects a further name above `maxLookups`. */
export function boundedLookup(lookup: NameLookup, maxLookups: number): NameLookup {
  const running = new Map<string, Promise<readonly string[]>>();
  return (name) => {
    const shared = running.get(name);
    if (shared !== undefined) return shared;
    if (running.size >= maxLookups) return Promise.reject(new Error('too many names are being looked up'));
    const started = lookup(name).finally(() => running.delete(name));
    running.set(name, started);
    return started;
  };
}
