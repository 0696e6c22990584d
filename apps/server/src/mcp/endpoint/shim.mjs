// Passes stdin and stdout of an agent on to the unix socket of its MCP server, given as the only argument. Dials again when the
// connection ends; what the agent writes meanwhile waits. Plain JavaScript without dependencies: any Node runs it.
import { connect } from 'node:net';

const [path] = process.argv.slice(2);
let pause = 20;

/** While there is no socket, stdin is read as far as its buffer goes, or its end would go unseen. */
function watchStdin() {
  process.stdin.read(0);
}

function dial() {
  const socket = connect(path);
  socket.once('connect', () => {
    pause = 20;
    process.stdin.off('readable', watchStdin);
    process.stdin.pipe(socket, { end: false });
  });
  socket.on('data', (chunk) => {
    if (!process.stdout.write(chunk)) {
      socket.pause();
      process.stdout.once('drain', () => socket.resume());
    }
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    process.stdin.unpipe(socket);
    process.stdin.off('readable', watchStdin).on('readable', watchStdin);
    setTimeout(dial, pause);
    pause = Math.min(pause * 2, 2000);
  });
}

process.stdin.once('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
dial();
