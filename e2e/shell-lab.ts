import { writeFileSync } from 'node:fs';
import { openReeveLab, type ReeveLab, type ReeveLabSetup } from './reeve-lab.ts';
import { SHELL_AGENT } from './shell-agent.ts';

/** A lab whose agent runs each prompt as a script in its sandbox. */
export interface ShellLab extends ReeveLab {
  /** A session in `project`, which may be read and written, with these roots beside it; `more`: of what it is created with. */
  open(roots?: readonly object[], more?: object): Promise<string>;
  /** What the agent prints that runs this in its sandbox. */
  run(session: string, prompt: string): Promise<string>;
  /** What the agent prints, or why there is none. */
  attempt(session: string, prompt: string): Promise<string>;
}

export interface ShellLabSetup extends Omit<ReeveLabSetup, 'agents'> {
  /** Sources of programs that every agent may read, in `programs`, by the names of their files. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Of the sandbox of the agent: what it reads beside `programs`, and what it keeps. */
  readonly sandbox?: (at: (name: string) => string) => { readOnly?: readonly string[]; state?: readonly string[] };
}

export async function openShellLab(setup: ShellLabSetup): Promise<ShellLab> {
  const programs = { 'agent.cjs': SHELL_AGENT, ...setup.programs };
  const lab = await openReeveLab({
    directories: [...setup.directories, 'programs'],
    fill(at) {
      for (const [name, source] of Object.entries(programs)) writeFileSync(at(`programs/${name}`), source);
      setup.fill?.(at);
    },
    agents(at) {
      const { readOnly = [], ...rest } = setup.sandbox?.(at) ?? {};
      const sandbox = { readOnly: [at('programs'), ...readOnly], ...rest, network: 'none' };
      return { shell: { command: process.execPath, args: [at('programs/agent.cjs')], sandbox } };
    },
    config: (at) => ({ defaultAgent: 'shell', ...setup.config?.(at) }),
  });
  const run = async (session: string, prompt: string): Promise<string> =>
    (await lab.api.sessions.prompt(session, { prompt })).text ?? '';
  return {
    ...lab,
    async open(roots = [], more = {}) {
      const cwd = lab.at('project');
      const boundary = { roots: [{ path: cwd, access: 'rw' }, ...roots] };
      return (await lab.api.sessions.create({ cwd, metadata: { boundary }, ...more })).session.sessionId;
    },
    run,
    attempt: (session, prompt) => run(session, prompt).catch(String),
  };
}
