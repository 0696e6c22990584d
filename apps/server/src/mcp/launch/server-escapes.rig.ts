import { createProcessHolder } from '@reeve/sandbox';
import { attemptEscapes } from '@reeve/sandbox/examine';
import { serverLaunch } from './server-profile.ts';

/** Run as a user by the test: tries to get out of the sandbox of an MCP server. Prints the verdicts as JSON. */
await using holder = createProcessHolder();
const verdicts = await attemptEscapes(holder, {
  secrets: process.env.SERVER_SECRET === undefined ? [] : [process.env.SERVER_SECRET],
  launch: (program, roots) =>
    serverLaunch(program, {
      scope: { revision: 1, roots, ...(roots[0] && { cwd: roots[0].path }), network: 'none', undecided: 0 },
      baseEnv: program.env,
      closed: [],
      hidden: [],
      limits: {},
      anteroom: '/tmp',
    }),
});
process.stdout.write(JSON.stringify(verdicts));
