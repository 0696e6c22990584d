import { createProcessHolder } from '../process-holder.ts';
import { attemptEscapes } from './attempt-escapes.ts';

/** Run as another user by the test: `escape-run.rig.ts confined|bare`. Prints the verdicts as JSON. */
const confined = process.argv[2] === 'confined';
const secret = process.env.SERVER_SECRET ?? '';
await using holder = createProcessHolder(confined ? {} : { sandbox: 'none' });
process.stdout.write(
  JSON.stringify(await attemptEscapes(holder, { confined, secrets: secret === '' ? [] : [secret] })),
);
