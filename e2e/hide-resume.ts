import { spawn } from 'node:child_process';
import { splitLines } from '@reeve/testkit';

/**
 * Runs the agent `process.argv.slice(2)` behind this process's stdio and takes `resume` out of what it offers, for agents
 * that all have it: so Reeve must restore their sessions by `session/load`. Every other line passes as it is.
 */
const [command = '', ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(agent.stdin);
agent.stdout.on(
  'data',
  splitLines((line) => {
    process.stdout.write(withoutResume(line));
    process.stdout.write('\n');
  }),
);
agent.on('exit', (code) => process.exit(code ?? 1));

function withoutResume(line: Buffer): Buffer | string {
  if (!line.includes('"agentCapabilities"')) return line;
  const message = JSON.parse(line.toString('utf8')) as {
    result?: { agentCapabilities?: { sessionCapabilities?: { resume?: unknown } } };
  };
  delete message.result?.agentCapabilities?.sessionCapabilities?.resume;
  return JSON.stringify(message);
}
