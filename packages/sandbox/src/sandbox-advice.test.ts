import { describe, expect, it } from 'vitest';
import { distributionsIn, type Machine, nextStepFor } from './sandbox-advice.ts';

const machine: Machine = {
  distributions: ['debian'],
  isRoot: true,
  inContainer: false,
  appArmorRestricts: false,
  namespacesDisabled: false,
};

describe('the advice for a machine without a sandbox', () => {
  it.each([
    [['debian'], 'apt-get install bubblewrap'],
    [['linuxmint', 'ubuntu', 'debian'], 'apt-get install bubblewrap'],
    [['fedora'], 'dnf install bubblewrap'],
    [['rocky', 'rhel', 'centos', 'fedora'], 'dnf install bubblewrap'],
    [['alpine'], 'apk add bubblewrap'],
    [['manjaro', 'arch'], 'pacman -S bubblewrap'],
    [['opensuse-leap', 'suse', 'opensuse'], 'zypper install bubblewrap'],
    [['unheard-of'], 'install the package "bubblewrap"'],
  ])('names the command that installs bubblewrap on %j', (distributions, command) => {
    expect(nextStepFor('missing', { ...machine, distributions })).toContain(command);
    expect(nextStepFor('too-old', { ...machine, distributions })).toContain(command);
  });

  it('asks for sudo only of who is not root', () => {
    expect(nextStepFor('missing', machine)).not.toContain('sudo');
    expect(nextStepFor('missing', { ...machine, isRoot: false })).toContain('sudo apt-get');
  });

  it('says what forbids user namespaces: a container, AppArmor, or a setting', () => {
    const step = (changes: Partial<Machine>) => nextStepFor('no-namespaces', { ...machine, ...changes });
    expect(step({ inContainer: true, appArmorRestricts: true })).toContain('--security-opt');
    expect(step({ appArmorRestricts: true })).toContain('apparmor');
    expect(step({ namespacesDisabled: true })).toContain('unprivileged_userns_clone=1');
    expect(step({})).toContain('max_user_namespaces');
  });

  it('has a step for every other cause', () => {
    for (const cause of ['not-linux', 'leaks', 'failed'] as const)
      expect(nextStepFor(cause, machine)).toMatch(/\w+.*\./);
  });
});

it('reads the distribution and those it is like', () => {
  expect(distributionsIn('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n')).toEqual([
    'linuxmint',
    'ubuntu',
    'debian',
  ]);
  expect(distributionsIn('ID="fedora"\n')).toEqual(['fedora']);
  expect(distributionsIn('')).toEqual([]);
});
