import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  fakeAgentCommand,
  type SpawnedReeve,
  saySlowly,
  sayText,
  script,
  startReeve,
  writeFileThenSay,
} from '@reeve/testkit';
import { openRealAgentLab } from '../real-agent-lab.ts';

export type SubjectName = 'fake' | 'codex' | 'claude' | 'opencode';

export const SUBJECT_NAMES: readonly SubjectName[] = ['fake', 'codex', 'claude', 'opencode'];

/** A Reeve with one agent behind it, and how to make that agent do what the checks need. */
export interface Subject extends AsyncDisposable {
  readonly name: SubjectName;
  readonly reeve: SpawnedReeve;
  /** A directory to work in. */
  readonly cwd: string;
  /** A directory beside it. */
  readonly extra: string;
  readonly prompts: Prompts;
  /** An agent that is logged in to by this method, where that needs no vendor. */
  readonly login?: { readonly agent: string; readonly methodId: string };
}

/** Texts of prompts, each for one kind of turn. */
export interface Prompts {
  /** The agent says some text, `ANSWER` among it, and ends. */
  readonly plain: string;
  /** The agent begins to say something and does not end for many seconds. */
  readonly slow: string;
  /** The agent makes a file with what it has, and uses everything of a client that it is able to use. */
  readonly edit: string;
}

/** What a plain turn says: beyond ASCII and beyond the basic plane, for UTF-8 to show. */
export const ANSWER = 'It was said: é ⚙ 🦉.';

export function openSubject(name: SubjectName): Promise<Subject> {
  return name === 'fake' ? openFake() : openReal(name);
}

async function openFake(): Promise<Subject> {
  await using opened = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-conformance-')));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const flags = ['--resume', '--list=2', '--close', '--delete', '--add-dirs', '--config-options', '--boolean-option'];
  const fake = fakeAgentCommand([...flags, `--state-dir=${join(folder, 'state')}`]);
  const agents = { fake, locked: fakeAgentCommand(['--require-auth']) };
  // What no client can be asked waits for somebody else, who never comes.
  const config = { agents, defaultAgent: 'fake', timeouts: { questionMs: 200 } };
  const reeve = opened.use(await startReeve({ config }));
  const cwd = join(folder, 'work');
  await mkdir(cwd);
  const path = join(cwd, 'new.txt');
  const resources = opened.move();
  return {
    name: 'fake',
    reeve,
    cwd,
    extra: await besides(cwd),
    login: { agent: 'locked', methodId: 'fake-login' },
    prompts: {
      plain: script({ say: 'First. ' }, { title: 'A title' }, { say: ANSWER }),
      slow: script({ say: 'begun' }, { untilCancel: { say: 'last words' } }),
      edit: script(
        { fsRead: path },
        { fsWrite: { path, content: 'one' } },
        { terminal: { command: 'true' } },
        { elicit: {} },
        { question: {} },
        { permission: {} },
        { say: 'done' },
      ),
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function openReal(name: Exclude<SubjectName, 'fake'>): Promise<Subject> {
  const lab = await openRealAgentLab(name);
  lab.model.script(
    sayText('greet me', ANSWER),
    saySlowly('talk slowly', 'word '.repeat(400)),
    writeFileThenSay('write the file', { path: join(lab.cwd, 'new.txt'), content: 'one\n' }, 'It is written.'),
  );
  return {
    name,
    reeve: lab.reeve,
    cwd: lab.cwd,
    extra: await besides(lab.cwd),
    prompts: {
      plain: 'Please greet me',
      slow: 'Please talk slowly',
      edit: 'Please write the file',
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

/** It goes with the folder that the directory of work stands in. */
async function besides(cwd: string): Promise<string> {
  const extra = join(dirname(cwd), 'extra');
  await mkdir(extra);
  return extra;
}
