import { z } from 'zod';
import { headers, webAddress } from './mcp-server.ts';
import { text, whole } from './values.ts';

const become = (when: 'finish' | 'cancel') =>
  z.enum(['finish', 'cancel', 'ask'], { error: `"finish", "cancel" or "ask" (default "${when}")` }).default(when);

/** What decides before a person is asked. */
export const policy = z
  .strictObject(
    {
      /** Cedar, all together; without any the policies that Reeve comes with. */
      files: z.array(text('a file'), { error: 'a list of files' }).default([]),
      /** Decisions that are remembered. */
      maxRemembered: whole('', 4096, 0, 1_000_000),
      /** What becomes of calls that began before a change of what their server may have. */
      callsAfterChange: z
        .strictObject(
          {
            /** Something was taken: calls that may depend on it. */
            narrowed: become('cancel'),
            /** Something was only given: every call in flight. */
            widened: become('finish'),
          },
          { error: 'an object {"narrowed": …, "widened": …}' },
        )
        .prefault({}),
    },
    { error: 'an object {"files": […], "maxRemembered": …, "callsAfterChange": {…}}' },
  )
  .prefault({});

/** Who is told at once when a server or an agent reaches for what it was not given. */
export const alarms = z
  .strictObject(
    {
      webhook: z
        .strictObject(
          { url: webAddress, headers: headers.default({}) },
          { error: 'an object {"url": …, "headers": {…}}' },
        )
        .optional(),
    },
    { error: 'an object {"webhook": {"url": …}}' },
  )
  .prefault({});
