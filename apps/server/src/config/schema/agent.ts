import { z } from 'zod';
import { agentSandbox } from './sandbox.ts';
import { text, variable } from './values.ts';

const AGENT_NAME = 'an agent name: a letter or digit, then at most 63 letters, digits, spaces, "-", "_" or "."';
const PACKAGE = 'the name of a package of the npm registry, without a version';

/** How to start one agent. */
export const agent = z.strictObject(
  {
    /** Zed writes it; nothing else is known. */
    type: z.literal('custom', { error: '"custom"' }).optional(),
    command: text('a program: a name on the PATH or a path'),
    args: z.array(z.string({ error: 'text' }), { error: 'a list of arguments' }).default([]),
    env: z
      .record(variable, z.string({ error: 'text' }), { error: 'an object of environment variables and their text' })
      .default({}),
    /** Variables of the server's own environment that the agent is given too. */
    passEnv: z.array(variable, { error: 'a list of names of environment variables' }).default([]),
    /** Where other versions of it come from. */
    npm: z
      .strictObject(
        {
          package: z
            .string({ error: PACKAGE })
            .max(214, { error: PACKAGE })
            .regex(/^(@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/, { error: PACKAGE }),
          /** Which program of the package, where it is not plain. */
          bin: text('the name of a program of the package').optional(),
          /** The entry's own unless told. */
          args: z.array(z.string({ error: 'text' }), { error: 'a list of arguments' }).optional(),
        },
        { error: 'an object {"package": …}' },
      )
      .optional(),
    /** What its sandbox shows and lets it reach, beside what is known of it. */
    sandbox: agentSandbox.optional(),
  },
  { error: 'an agent: {"command": …, "args": […], "env": {…}}' },
);

export const agents = z
  .record(z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, { error: AGENT_NAME }), agent, {
    error: 'an object of agents by name',
  })
  .default({});
