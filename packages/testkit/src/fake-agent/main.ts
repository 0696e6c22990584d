/**
 * An ACP v1 agent over stdio whose every act is scripted by the prompt (script.ts) and whose abilities and bad manners
 * are flags (flags.ts): `node main.ts [flags]`. It leaves with 0 at the end of stdin, unless told to ignore it.
 */
import { createAgent } from './agent.ts';
import { parseFlags } from './flags.ts';
import { misbehave } from './misbehave.ts';
import { openSessionStore } from './session-store.ts';
import { openStdioConnection } from './stdio-connection.ts';

const flags = parseFlags(process.argv.slice(2));
misbehave(flags);

const store = openSessionStore(flags.stateDir);
const receive = createAgent(flags, store, () => connection);
const connection = openStdioConnection({
  input: process.stdin,
  output: process.stdout,
  requestIds: flags.requestIds,
  onMessage: receive,
});

// A reader that went away is the end of this process, not an error to report.
process.stdout.on('error', () => process.exit(0));
process.stdin.on('end', () => {
  if (flags.ignoreEof) setInterval(() => undefined, 60_000);
  else process.exit(0);
});
