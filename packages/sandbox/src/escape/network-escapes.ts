import type { EscapeAttempt } from './escape-attempt.ts';
import type { EscapeStage, ReachedPlace } from './escape-stage.ts';

/** Everything that listens on the host. For a profile without network. */
export const networkEscapes: readonly EscapeAttempt[] = [
  connecting('unix', 'connect to a unix socket outside of the roots', ({ unixSocket }) => ({ path: unixSocket })),
  connecting('abstract', 'connect to an abstract unix socket of the host', ({ abstractSocket }) => ({
    path: `\0${abstractSocket}`,
  })),
  connecting('tcp', 'connect by TCP to the loopback of the host', ({ tcpPort }) => ({
    host: '127.0.0.1',
    port: tcpPort,
  })),
  {
    id: 'connect-udp',
    what: 'send by UDP to the loopback of the host',
    language: 'node',
    script: ({ udpPort }) =>
      `const s = require('dgram').createSocket('udp4'); s.send('x', ${udpPort}, '127.0.0.1', () => s.close());`,
    trace: reachedAt('udp'),
  },
];

function connecting(place: ReachedPlace, what: string, options: (stage: EscapeStage) => object): EscapeAttempt {
  return {
    id: `connect-${place}`,
    what,
    language: 'node',
    script: (stage) =>
      `const s = require('net').connect(${JSON.stringify(options(stage))});
      for (const e of ['connect', 'error']) s.on(e, () => s.destroy());`,
    trace: reachedAt(place),
  };
}

function reachedAt(place: ReachedPlace): (stage: EscapeStage) => string | undefined {
  return ({ reached }) => (reached.has(place) ? 'the host was reached' : undefined);
}
