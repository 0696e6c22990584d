import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type EscapeAttempt, shellWord as q } from './escape-attempt.ts';

const mark = 'changed-from-inside';

/** What lies outside of the roots, and what in them may not be changed. */
export const fileEscapes: readonly EscapeAttempt[] = [
  {
    id: 'read-sibling',
    what: 'read a file beside the root, by a relative path',
    language: 'sh',
    script: ({ project }) => `cd ${q(project)} && cat ../sibling/secret`,
  },
  {
    id: 'read-absolute',
    what: 'read a file outside of the root, by its absolute path',
    language: 'sh',
    script: ({ sibling }) => `cat ${q(join(sibling, 'secret'))}`,
  },
  {
    id: 'read-lookalike',
    what: "read in a directory whose name begins with the root's",
    language: 'sh',
    script: ({ lookalike }) => `cat ${q(join(lookalike, 'secret'))}`,
  },
  {
    id: 'list-parent',
    what: 'list the directory around the root',
    language: 'sh',
    script: ({ base }) => `ls -a ${q(base)}`,
  },
  {
    id: 'list-home',
    what: "list the home directory of the server's user",
    language: 'sh',
    script: () => `[ -n "$(ls -A ${q(homedir())})" ] && echo ESCAPED`,
  },
  {
    id: 'read-shadow',
    what: 'read the password hashes of the host',
    language: 'sh',
    script: () => 'grep -q . /etc/shadow && echo ESCAPED',
  },
  {
    id: 'symlink-read',
    what: 'read outside through a symlink made inside',
    language: 'sh',
    script: ({ project, sibling }) =>
      `ln -s ${q(join(sibling, 'secret'))} ${q(join(project, 'way'))}; cat ${q(join(project, 'way'))}`,
  },
  {
    id: 'symlink-write',
    what: 'write outside through a symlink made inside',
    language: 'sh',
    script: ({ project, sibling }) =>
      `ln -s ${q(sibling)} ${q(join(project, 'way'))}; echo ${mark} >${q(join(project, 'way/new'))}`,
    trace: ({ sibling }) => found(join(sibling, 'new')),
  },
  {
    id: 'hard-link',
    what: 'make a hard link to a file outside',
    language: 'sh',
    script: ({ project, sibling }) => `ln ${q(join(sibling, 'secret'))} ${q(join(project, 'hard'))}`,
    trace: ({ sibling }) => (statSync(join(sibling, 'secret')).nlink > 1 ? 'it has a second name now' : undefined),
  },
  {
    id: 'write-read-only',
    what: 'make a file in a read-only root',
    language: 'sh',
    script: ({ library }) => `echo ${mark} >${q(join(library, 'new'))}`,
    trace: ({ library }) => found(join(library, 'new')),
  },
  {
    id: 'change-read-only',
    what: 'change a file in a read-only root',
    language: 'sh',
    script: ({ library }) => `chmod u+w ${q(join(library, 'text'))}; echo ${mark} >${q(join(library, 'text'))}`,
    trace: ({ library }) => changed(join(library, 'text')),
  },
  {
    id: 'write-hook',
    what: 'change a hook of git in a read-write root',
    language: 'sh',
    script: ({ project }) => {
      const hook = q(join(project, '.git/hooks/pre-commit'));
      return `echo ${mark} >${hook}; rm -f ${hook}; echo ${mark} >${hook}`;
    },
    trace: ({ project }) => changed(join(project, '.git/hooks/pre-commit')),
  },
  {
    id: 'write-git-config',
    what: 'change the configuration of git in a read-write root',
    language: 'sh',
    script: ({ project }) =>
      `cd ${q(join(project, '.git'))}; echo ${mark} >new; mv -f new config; echo ${mark} >>config`,
    trace: ({ project }) => changed(join(project, '.git/config')),
  },
  {
    id: 'write-agent-settings',
    what: 'change the settings of an agent in a read-write root',
    language: 'sh',
    script: ({ project }) => `echo ${mark} >${q(join(project, '.claude/settings.json'))}`,
    trace: ({ project }) => changed(join(project, '.claude/settings.json')),
  },
  {
    id: 'rename-around-protected',
    what: 'move the directory around protected files away, and put others in their place',
    language: 'sh',
    script: ({ project }) =>
      `cd ${q(project)}; mv .git away; mkdir -p .git/hooks; echo ${mark} >.git/hooks/pre-commit; echo ${mark} >.git/config`,
    trace: ({ project }) => changed(join(project, '.git/hooks/pre-commit')) ?? changed(join(project, '.git/config')),
  },
  {
    id: 'setuid-file',
    what: "make a program that runs as the server's user whoever calls it",
    language: 'sh',
    script: ({ project }) => `cd ${q(project)}; cp /bin/sh own; chmod 4755 own`,
    trace: ({ project }) => {
      const file = join(project, 'own');
      return existsSync(file) && (statSync(file).mode & 0o4000) !== 0 ? 'it has the setuid bit' : undefined;
    },
  },
  {
    id: 'inherited-descriptor',
    what: 'read from a descriptor that was left open',
    language: 'sh',
    script: () =>
      'for n in 3 4 5 6 7 8 9; do timeout 1 cat <&$n; done; for f in /proc/self/fd/*; do [ -f "$f" ] && cat "$f"; done',
  },
];

function found(path: string): string | undefined {
  return existsSync(path) ? 'the file is there' : undefined;
}

/** Also when it is gone: then it was moved away. */
function changed(path: string): string | undefined {
  if (!existsSync(path)) return 'the file is gone';
  return readFileSync(path, 'utf8').includes(mark) ? 'the file was changed' : undefined;
}
