import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** Run as `node copying-relay-program.ts SOCKET COMMAND ARGS…`; says `listening` on stdout, and ends with its stdin. */
const [path, command, ...args] = process.argv.slice(2);
if (path === undefined || command === undefined) throw new Error('which socket, and which server?');

const server = createServer((near) => {
  const far = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  near.on('data', (bytes: Buffer) => far.stdin.write(bytes));
  far.stdout.on('data', (bytes: Buffer) => near.write(bytes));
  near.on('error', () => near.destroy()).on('close', () => far.kill());
  far.stdin.on('error', () => near.destroy());
});
server.listen(path, () => process.stdout.write('listening\n'));
process.stdin.resume().on('end', () => process.exit());
