/**
 * Plays every agent that announces itself in `DIRECTORY/hello` (played-agent.sh): `node player.ts DIRECTORY`, with an IPC channel.
 * Any message on the channel is answered with the `Lateness` since the answer before; the channel's end is its own.
 */
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { splitLines } from '@reeve/testkit';
import { quantile } from '../statistics.ts';
import { createPacer, type Lateness } from './pacer.ts';
import { playAgent } from './play-agent.ts';

const late: number[] = [];
const pacer = createPacer((lateMs) => late.push(lateMs));
// To write as well, so that the FIFO does not end when an agent has said its line.
const fd = openSync(join(process.argv[2] as string, 'hello'), constants.O_RDWR | constants.O_NONBLOCK);
new Socket({ fd, writable: false }).on(
  'data',
  splitLines((line) => playAgent(line.toString('utf8'), pacer.start)),
);

process.on('message', () => {
  const told: Lateness = { p50Ms: quantile(late, 0.5), p99Ms: quantile(late, 0.99) };
  late.length = 0;
  process.send?.(told);
});
process.on('disconnect', () => process.exit(0));
