/** What is made by the kernel and running programs: neither these nor anything below them is ever a root. */
export const NEVER_ROOTS: readonly string[] = ['/proc', '/sys', '/dev', '/run', '/var/run', '/private/var/run'];

/** The operating system's, with everything below. */
const SYSTEM_TREES: readonly string[] = [
  ...['/bin', '/boot', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/nix', '/sbin', '/snap', '/usr', '/var'],
  ...['/Applications', '/Library', '/System', '/private/etc', '/private/var'],
];

/** Places below those where people keep work. */
const PEOPLES_PLACES: readonly string[] = [
  '/usr/src',
  '/usr/local/src',
  '/var/tmp',
  '/var/folders',
  '/private/var/folders',
];

/** Shared by all users: the directory itself, not what lies below. */
const SHARED: readonly string[] = [
  ...['/home', '/media', '/mnt', '/opt', '/srv', '/tmp', '/var/tmp', '/usr/src', '/usr/local/src'],
  ...['/Users', '/Users/Shared', '/Volumes', '/private', '/private/tmp', '/private/var/folders', '/var/folders'],
];

export function isSystemDirectory(path: string): boolean {
  if (SHARED.includes(path)) return true;
  return SYSTEM_TREES.some((tree) => isBelow(tree, path)) && !PEOPLES_PLACES.some((place) => isBelow(place, path));
}

/** Folders of synchronising programs, by their names in small letters; what follows a dash or parenthesis is an account. */
const CLOUD_NAME =
  /^(?:dropbox|onedrive|google ?drive|googledrive|my drive|icloud ?drive|nextcloud|owncloud|pcloud ?drive|proton ?drive|megasync)(?: ?[-(@].*)?$/;
const CLOUD_PATHS: readonly string[] = ['library/cloudstorage', 'library/mobile documents'];

/** Whether a path is such a folder or lies in one. */
export function isCloudFolder(path: string): boolean {
  const names = namesOf(path);
  return names.some((name) => CLOUD_NAME.test(name)) || CLOUD_PATHS.some((place) => holds(path.toLowerCase(), place));
}

/** Where programs keep keys and logins, wherever it lies; by their names in small letters. */
const CREDENTIALS: readonly string[] = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.netrc', '.pgpass', '.pypirc', '.git-credentials'],
  ...['.password-store', '.vault-token', '.config/gcloud', '.config/gh', '.config/op', '.local/share/keyrings'],
  ...['library/keychains'],
];

/** The same, where it lies in a home directory: elsewhere these names mean other things. */
const CREDENTIALS_IN_HOME: readonly string[] = [
  ...['.docker', '.npmrc', '.terraform.d', '.oci', '.m2/settings.xml', '.cargo/credentials.toml', '.mozilla'],
  ...['.config/hub', '.config/rclone', '.config/doctl', '.config/sops', '.config/google-chrome', '.config/chromium'],
  ...['.thunderbird', '.claude', '.claude.json', '.codex', '.gemini', '.qwen', '.local/share/opencode'],
];

/** Whether a path is such a place or lies in one. */
export function isCredentialStore(path: string, home: string | undefined): boolean {
  const small = path.toLowerCase();
  if (CREDENTIALS.some((place) => holds(small, place))) return true;
  const inHome = home !== undefined && isBelow(home.toLowerCase(), small);
  if (!inHome) return false;
  const own = namesOf(path).slice(namesOf(home).length).join('/');
  return CREDENTIALS_IN_HOME.some((place) => `${own}/`.startsWith(`${place}/`));
}

/** In small letters, since some file systems ignore case. */
function namesOf(path: string): string[] {
  return path.toLowerCase().split('/').slice(1);
}

/** Whether the names of `place` stand somewhere in a path, one after another. Both in small letters. */
function holds(path: string, place: string): boolean {
  return `${path}/`.includes(`/${place}/`);
}

function isBelow(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
