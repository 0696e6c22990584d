import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EscapeAttempt, shellWord as q } from './escape-attempt.ts';

/** Ways to take the walls down: mounts, namespaces, another root. */
export const namespaceEscapes: readonly EscapeAttempt[] = [
  {
    id: 'chroot',
    what: 'change the root directory',
    language: 'sh',
    script: () => 'chroot / /bin/sh -c "echo ESCAPED"',
  },
  {
    id: 'mount',
    what: 'mount a file system',
    language: 'sh',
    script: ({ project }) => {
      const place = q(join(project, 'mounted'));
      return `mkdir ${place} && mount -t tmpfs none ${place} && echo ESCAPED && umount ${place}`;
    },
  },
  {
    id: 'remount',
    what: 'make a read-only root writable by mounting it again',
    language: 'sh',
    script: ({ library }) =>
      `mount -o remount,bind,rw ${q(library)}; mount -o remount,rw ${q(library)}; echo changed >${q(join(library, 'text'))}`,
    trace: ({ library }) => (readFileSync(join(library, 'text'), 'utf8') === 'text' ? undefined : 'it was written'),
    onlyConfined: true,
  },
  {
    id: 'unmount',
    what: 'take a read-only mount away from over protected files',
    language: 'sh',
    script: ({ project }) => {
      const hooks = join(project, '.git/hooks');
      return `umount ${q(hooks)}; umount -l ${q(hooks)}; echo changed >${q(join(hooks, 'pre-commit'))}`;
    },
    trace: hookChanged,
    onlyConfined: true,
  },
  {
    id: 'pivot-root',
    what: 'swap the root directory for another',
    language: 'sh',
    script: ({ project }) => `mkdir ${q(join(project, 'old'))}; cd ${q(project)}; pivot_root . old && echo ESCAPED`,
    onlyConfined: true,
  },
  {
    id: 'user-namespace',
    what: 'make a user namespace, in which to be root',
    language: 'sh',
    script: () => 'unshare --user --map-root-user /bin/sh -c "echo ESCAPED"',
  },
  {
    id: 'undo-in-namespace',
    what: 'take mounts away in a namespace of its own',
    language: 'sh',
    script: ({ project }) => {
      const hooks = join(project, '.git/hooks');
      const undo = `umount ${q(hooks)}; echo changed >${q(join(hooks, 'pre-commit'))}`;
      return `unshare --user --map-root-user --mount /bin/sh -c ${q(undo)}; unshare --mount /bin/sh -c ${q(undo)}`;
    },
    trace: hookChanged,
    onlyConfined: true,
  },
  {
    id: 'enter-namespace',
    what: 'enter the namespaces of process 1',
    language: 'sh',
    script: () => 'nsenter --target 1 --mount --net --pid /bin/sh -c "echo ESCAPED"',
  },
];

function hookChanged({ project }: { readonly project: string }): string | undefined {
  return readFileSync(join(project, '.git/hooks/pre-commit'), 'utf8') === 'kept' ? undefined : 'it was written';
}
