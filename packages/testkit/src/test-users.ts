import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const NOBODY = { uid: 65_534, gid: 65_534 };

/** A user of this machine that tests can start a program as. */
export interface TestUser {
  readonly name: string;
  /** None for whoever runs the tests. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

/** Whoever runs the tests; where that is root and others can read the program, nobody too. A repository in the home of root is not read. */
export function testUsers(program: string): readonly TestUser[] {
  const root = process.getuid?.() === 0;
  const readable = root && spawnSync(process.execPath, ['--check', program], { ...NOBODY, cwd: '/' }).status === 0;
  return [
    { name: root ? 'root' : 'an unprivileged user', ids: {} },
    ...(readable ? [{ name: 'an unprivileged user', ids: NOBODY }] : []),
  ];
}

/** What a program prints as JSON when it runs in this Node as a user, from `/`, with `secret` in its environment. */
export async function printedBy(
  [program, ...args]: readonly [string, ...string[]],
  ids: TestUser['ids'],
  secret: string,
): Promise<unknown> {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', SERVER_SECRET: secret };
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [program, ...args], { ...ids, env, cwd: '/', stdio: [...stdio] });
  if (!child.stdout) throw new Error('it has no stdout');
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(said);
}
