import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessHolder, type Launch } from '@reeve/sandbox';
import { attemptEscapes, type EscapeOptions } from '@reeve/sandbox/examine';
import { createAgentSandbox } from './agent-sandbox.ts';
import { PLAIN_RULES } from './agent-sandbox-rules.ts';

/**
 * Run as a user by the test: `agent-escapes.rig.ts confined|bare`. Tries to get out of the sandbox that the agent of a session without
 * network runs in, or makes the same attempts without one. Prints the verdicts as JSON.
 */
const confined = process.argv[2] === 'confined';
const { SERVER_SECRET: secret } = process.env;
const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-agent-escapes-')));
const sandbox = createAgentSandbox({ dataDir: join(base, 'data'), hidden: [], home: homedir(), enabled: true });

const asAgent: EscapeOptions['launch'] = async (program, roots): Promise<Launch> => {
  const cwd = roots[0]?.path ?? '/';
  const entry = { ...program, name: 'agent', env: { ...program.env, HOME: homedir() }, sandbox: PLAIN_RULES };
  const boundary = { roots: [...roots], revision: 1, network: 'none' } as const;
  const { command, args, env, profile } = await sandbox.confine(entry, { cwd, boundary });
  if (profile === undefined) throw new Error('the sandbox is on');
  return { command, args, env, cwd, profile };
};

try {
  await using holder = createProcessHolder(confined ? {} : { sandbox: 'none' });
  const secrets = secret === undefined ? [] : [secret];
  process.stdout.write(JSON.stringify(await attemptEscapes(holder, { confined, secrets, launch: asAgent })));
} finally {
  rmSync(base, { recursive: true, force: true });
}
