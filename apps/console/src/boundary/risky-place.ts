const SYSTEM = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib64',
  '/opt',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/usr',
  '/var',
];
const KEYS = /\/(\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.config\/gcloud|\.azure|\.netrc)(\/|$)/;

/**
 * A warning beforehand about a path that somebody types; undefined where its words raise none. The server decides by what the
 * path really is.
 */
export function riskyPlace(typed: string): string | undefined {
  const path = typed.length > 1 ? typed.replace(/\/+$/, '') : typed;
  if (!path.startsWith('/')) return 'a whole path is needed, from /';
  if (path.split('/').includes('..')) return 'where ".." leads is seen only by the server';
  if (path === '/' || path === '') return 'the whole machine';
  if (path === '/home' || path === '/Users') return 'everybody’s home directories';
  if (/^\/(home|Users)\/[^/]+$/.test(path)) return 'a whole home directory, with its keys and passwords';
  if (KEYS.test(path)) return 'holds keys or passwords';
  if (SYSTEM.includes(path)) return 'part of the system';
  return undefined;
}
