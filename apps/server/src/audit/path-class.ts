/** What kind of place a path is, by its name alone. */
export type PathClass = 'home' | 'above-home' | 'system' | 'cloud-sync' | 'credentials' | 'ordinary';

const SYSTEM: ReadonlySet<string> = new Set(
  ['bin', 'boot', 'dev', 'etc', 'lib', 'lib32', 'lib64', 'proc', 'root', 'run', 'sbin', 'sys', 'usr', 'var'].concat([
    'Applications',
    'Library',
    'System',
    'private',
  ]),
);
const CREDENTIALS: ReadonlySet<string> = new Set([
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker',
  '.azure',
  '.password-store',
]);
const CLOUD =
  /^(Dropbox|OneDrive|Google Drive|GoogleDrive|iCloud Drive|CloudStorage|Mobile Documents|Nextcloud|ownCloud)( |$)/i;

/** `path` as `plainPath` gives it; `home`: of the user of the server. */
export function pathClass(path: string, home: string): PathClass {
  if (path === home) return 'home';
  if (path === '/' || home.startsWith(`${path}/`)) return 'above-home';
  const names = path.split('/').slice(1);
  if (names.some((name, index) => CREDENTIALS.has(name) || (name === 'gcloud' && names[index - 1] === '.config'))) {
    return 'credentials';
  }
  if (names.some((name) => CLOUD.test(name))) return 'cloud-sync';
  if (!path.startsWith(`${home}/`) && SYSTEM.has(names[0] ?? '')) return 'system';
  return 'ordinary';
}
