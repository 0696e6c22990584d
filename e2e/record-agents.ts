/**
 * Records a session of each real agent without Reeve, for e2e/recorded-agents.test.ts to replay:
 * `node e2e/record-agents.ts [NAME…]` writes e2e/recordings/NAME.jsonl. What depends on the machine, and the long
 * descriptions that belong to the agents' makers, are replaced by placeholders of ours.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import {
  JsonRpcPeer,
  lineTransport,
  runCommandThenSay,
  saySlowly,
  sayText,
  startModelEndpoint,
  writeFileThenSay,
} from '@reeve/testkit';
import { REAL_AGENT_NAMES, type RealAgentName, realAgent } from './real-agents.ts';

/** A description of more than 40 characters, as JSON text. */
const LONG = /("description":")(?:[^"\\]|\\.){41,}"/g;

const asked = process.argv.slice(2);
for (const name of REAL_AGENT_NAMES) if (asked.length === 0 || asked.includes(name)) await record(name);

async function record(name: RealAgentName): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-record-')));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [home, cwd] = [join(folder, 'home'), join(folder, 'work')];
  await mkdir(home);
  await mkdir(cwd);
  const model = opened.use(await startModelEndpoint());
  model.script(
    // The older Claude agent takes U+2028 for the end of a line of its own child, and fails.
    sayText('greet me', `Hello, scripted: é ⚙ 🦉 "quoted" \\ / <tag>${name === 'claude-code' ? '' : '\u2028'}.`),
    writeFileThenSay('write the file', { path: join(cwd, 'new.txt'), content: 'one\ntwo\n' }, 'It is written.'),
    runCommandThenSay('run the command', `echo refused > ${join(cwd, 'refused.txt')}`, 'It did not run.'),
    saySlowly('talk slowly', 'word '.repeat(400)),
  );
  const { command, args, env } = await realAgent(name, { modelUrl: model.url, home });
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  opened.defer(async () => {
    const gone = once(child, 'exit');
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await gone;
  });
  const peer = new JsonRpcPeer(lineTransport(child.stdout, child.stdin));
  await converse(peer, cwd);

  const machine: readonly (readonly [text: string, placeholder: string])[] = [
    [cwd, '$CWD'],
    [cwd.slice(1), '$CWD'],
    [home, '$HOME'],
    [folder, '$TEMP'],
    [folder.slice(1), '$TEMP'],
    [resolve(import.meta.dirname, '..'), '$TOP'],
    [process.execPath, '$NODE'],
    [model.url, '$MODEL'],
    [hostname(), '$HOST'],
    [userInfo().homedir, '$USERHOME'],
  ];
  const lines = peer.log.map(({ direction, raw }) => {
    const line = machine
      .reduce((text, [from, to]) => text.replaceAll(from, to), raw)
      .replaceAll(LONG, '$1of the agent"');
    return JSON.stringify({ from: direction === 'in' ? 'agent' : 'client', line });
  });
  await writeFile(join(import.meta.dirname, 'recordings', `${name}.jsonl`), `${lines.join('\n')}\n`);
}

/** A text turn, an edit that is allowed, a command that is refused, a turn that is cancelled. */
async function converse(peer: JsonRpcPeer, cwd: string): Promise<void> {
  let kind = 'allow_once';
  peer.onRequest('session/request_permission', (params) => {
    const { options } = params as { options: { optionId: string; kind: string }[] };
    const optionId = options.find((option) => option.kind === kind)?.optionId;
    return { outcome: { outcome: 'selected', optionId } };
  });
  const clientInfo = { name: 'recorder', version: '1.0.0' };
  await peer.request('initialize', { protocolVersion: 1, clientInfo, clientCapabilities: {} });
  const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
  await quiet();
  const prompt = async (text: string): Promise<void> => {
    await peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    await quiet();
  };
  await prompt('Please greet me');
  await prompt('Please write the file');
  kind = 'reject_once';
  await prompt('Please run the command');
  const slow = prompt('Please talk slowly');
  await peer.waitFor(({ params }) => JSON.stringify(params ?? null).includes('"word'), { timeoutMs: 20_000 });
  peer.notify('session/cancel', { sessionId });
  await slow;
}

/** Whatever an agent says behind an answer stands in the recording before the client's next message. */
function quiet(): Promise<void> {
  return new Promise((done) => setTimeout(done, 2_000));
}
