import { describe, expect, it } from 'vitest';
import { DISTINCT_NAMES } from './file-names.ts';
import { assessRisk, type PathFacts } from './risk.ts';

const facts: PathFacts = {
  path: '/home/me/app',
  home: '/home/me',
  otherHomes: ['/home/her', '/root'],
  stateDirectory: '/home/me/.local/share/reeve',
  cloudFolders: ['/mnt/nas/synced'],
  project: '/home/me/app',
  repository: 'github.com/acme/app',
  projectRepository: 'github.com/acme/app',
  hardLinks: false,
  names: DISTINCT_NAMES,
};

function classes(change: Partial<PathFacts>): string[] {
  const assessed = assessRisk({ ...facts, ...change });
  return assessed.kind === 'never' ? ['never'] : assessed.risks.map(({ kind }) => kind);
}

const inside = { project: '/', projectRepository: 'github.com/acme/app' };

describe('the risk of a root', () => {
  it('of the project itself, and of what lies in it, is ordinary', () => {
    expect(assessRisk(facts)).toEqual({
      kind: 'assessed',
      risks: [{ kind: 'ordinary', words: expect.any(String) }],
      high: false,
    });
    expect(classes({ path: '/home/me/app/src' })).toEqual(['ordinary']);
  });

  it.each([
    ['/home/me', ['home_directory', 'credential_store']],
    ['/home', ['parent_of_home', 'credential_store', 'system_directory']],
    ['/etc', ['system_directory']],
    ['/usr/share/doc', ['system_directory']],
    ['/usr/src', ['system_directory']],
    ['/usr/src/app', ['ordinary']],
    ['/opt', ['system_directory']],
    ['/opt/app', ['ordinary']],
    ['/tmp', ['system_directory']],
    ['/tmp/job', ['ordinary']],
    ['/private/etc', ['system_directory']],
    ['/etcetera', ['ordinary']],
    ['/home/me/Dropbox', ['cloud_sync_folder']],
    ['/home/me/Dropbox (Acme)/x', ['cloud_sync_folder']],
    ['/home/me/OneDrive - Acme/x', ['cloud_sync_folder']],
    ['/home/me/Google Drive/x', ['cloud_sync_folder']],
    ['/home/me/Nextcloud', ['cloud_sync_folder']],
    ['/home/me/Library/Mobile Documents/com~apple~CloudDocs', ['cloud_sync_folder']],
    ['/home/me/Library/CloudStorage/Any', ['cloud_sync_folder']],
    ['/home/me/dropbox-client', ['cloud_sync_folder']],
    ['/home/me/my-dropbox', ['ordinary']],
    ['/mnt/nas/synced/x', ['cloud_sync_folder']],
    ['/mnt/nas', ['cloud_sync_folder']],
    ['/home/me/.ssh', ['credential_store']],
    ['/home/me/.SSH/keys', ['credential_store']],
    ['/home/me/.config/gcloud/x', ['credential_store']],
    ['/home/me/.config', ['ordinary']],
    ['/home/me/.sshx', ['ordinary']],
    ['/home/me/.local/share', ['credential_store']],
    ['/home/me/.claude', ['credential_store']],
    ['/home/me/.docker/x', ['credential_store']],
    ['/home/me/app/.claude/worktrees/x', ['ordinary']],
    ['/home/me/app/.docker', ['ordinary']],
    ['/home/me/app/.ssh', ['credential_store']],
  ] as const)('%s: %j', (path, expected) => {
    expect(classes({ path, ...inside })).toEqual(expected);
  });

  it('outside the project, in another repository, with hard links, is told and not high', () => {
    expect(classes({ path: '/home/me/lib' })).toEqual(['outside_project']);
    expect(classes({ path: '/home/me/app-evil' })).toEqual(['outside_project']);
    expect(classes({ path: '/home/me/app/vendor/x', repository: 'github.com/other/x' })).toEqual(['other_repository']);
    expect(classes({ hardLinks: true })).toEqual(['hard_links']);
    const { project: _, ...unknown } = facts;
    expect(assessRisk({ ...unknown, path: '/home/me/lib' })).toMatchObject({ high: false });
    const all = assessRisk({ ...facts, path: '/home/me/lib', repository: 'x', hardLinks: true });
    expect(all).toMatchObject({ high: false });
  });

  it.each(['/etc', '/home', '/home/me', '/home/me/.ssh', '/home/me/Dropbox'])('%s is high', (path) => {
    expect(assessRisk({ ...facts, path })).toMatchObject({ kind: 'assessed', high: true });
  });

  it.each([
    '/',
    '/proc',
    '/proc/self/root',
    '/sys/fs',
    '/dev/shm',
    '/run/user/1000',
    '/var/run',
    '/home/her',
    '/home/her/project',
    '/root',
    '/home/me/.local/share/reeve',
    '/home/me/.local/share/reeve/keys',
  ])('%s is never a root', (path) => {
    expect(assessRisk({ ...facts, ...inside, path })).toEqual({
      kind: 'never',
      words: expect.any(String),
      next: expect.stringContaining('Choose'),
    });
  });

  it('is seen in other letters and Unicode forms too, where the file system may take them for the same', () => {
    const { names: _, ...unknown } = facts;
    expect(assessRisk({ ...unknown, path: '/PROC/self' }).kind).toBe('never');
    expect(assessRisk({ ...unknown, path: '/Home/Her' }).kind).toBe('never');
    expect(assessRisk({ ...unknown, path: '/HOME/me' })).toMatchObject({ high: true });
    expect(assessRisk({ ...unknown, path: '/home/me/APP' })).toMatchObject({ risks: [{ kind: 'outside_project' }] });
    expect(assessRisk({ ...facts, path: '/PROC/self' }).kind).toBe('assessed');
  });

  it('does not take a home for a system directory, wherever it lies', () => {
    expect(classes({ path: '/var/lib/ci/job', home: '/var/lib/ci', project: '/var/lib/ci/job' })).toEqual(['ordinary']);
  });
});
