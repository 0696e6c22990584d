import type { Profile } from './profile.ts';

/** A boundary in which nothing is but an empty HOME and what `parts` name: no root, no network, no limit. */
export function bareProfile(parts: Partial<Profile> = {}): Profile {
  return {
    roots: [],
    readOnly: [],
    home: { path: '/home/agent' },
    state: [],
    files: [],
    sockets: [],
    network: 'none',
    limits: {},
    ...parts,
  };
}
