import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createProcessHolder, type Launch, type StopOptions } from '../index.ts';

/**
 * A program that holds processes for a test, so that the test can run it as another user and kill it. Each line of its
 * stdin is a HostRequest; each line of its stdout the answer to the next one.
 */
export interface HostRequest {
  readonly launch: Launch;
  /** `end`: wait for its end. `leave`: answer as soon as it has written a line. Else stop it once it has. */
  readonly then: 'end' | 'leave' | StopOptions;
  readonly input?: string;
}

const holder = createProcessHolder();
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answer(JSON.parse(line) as HostRequest)));
}
await holder[Symbol.asyncDispose]();

async function answer({ launch, then, input }: HostRequest): Promise<object> {
  const decisions: object[] = [];
  const result = await holder.start(launch, { onEgress: (decision) => decisions.push(decision) });
  if (result.kind === 'failed') return result;
  const { process: held } = result;
  const { pid, enforcement } = held;
  if (then === 'end') {
    held.stdin.end(input);
    const stdout = await text(held.stdout);
    const exit = await held.exited;
    const made = held.protectedPathsMade();
    return { kind: 'ended', pid, enforcement, stdout, stderr: held.stderrTail(), exit, made, decisions };
  }
  const stdout = await new Promise((resolve) => held.stdout.once('data', (chunk) => resolve(String(chunk))));
  if (then === 'leave') return { kind: 'left', pid, enforcement, stdout };
  return { kind: 'ended', pid, enforcement, stdout, exit: await held.stop(then), stderr: held.stderrTail() };
}
