import { z } from 'zod';
import { absolute, mcpServers } from './session-input.ts';

/* What callers of the control API may send a session as a prompt. */

const about = { filename: z.string().max(1024).optional(), mimeType: z.string().max(256).optional() };
const ATTACHMENT = 'an attachment: one of "path", "uri", "text" and "data" (base64), with "filename" and "mimeType"';
const attachment = z.union(
  [
    z.strictObject({ ...about, path: absolute }),
    z.strictObject({ ...about, uri: z.url() }),
    z.strictObject({ ...about, text: z.string() }),
    z.strictObject({ ...about, data: z.base64() }),
  ],
  { error: ATTACHMENT },
);

const PROMPT = 'text, or a list of ACP content blocks';
const KEY = 'text of 1 to 256 characters';
/** `POST /v1/sessions/{id}/prompt` */
export const newTurn = z.strictObject(
  {
    prompt: z.union(
      [
        z.string().min(1, { error: PROMPT }),
        z.array(z.looseObject({ type: z.string({ error: PROMPT }) }, { error: PROMPT })).min(1, { error: PROMPT }),
      ],
      { error: PROMPT },
    ),
    attachments: z.array(attachment).optional(),
    idempotencyKey: z
      .string({ error: KEY })
      .min(1, { error: KEY })
      .max(256, { error: KEY })
      .optional()
      .describe('The same key never runs twice'),
    whenBusy: z.enum(['queue', 'refuse'], { error: '"queue" or "refuse"' }).optional(),
    wait: z
      .boolean({ error: 'true or false' })
      .default(true)
      .describe('Answer when the turn has ended; otherwise at once, and the turn is followed by its events'),
    mcpServers: mcpServers.optional().describe('Given to the agent if it must be started again'),
  },
  { error: 'an object {"prompt": …, "wait"?: …, "idempotencyKey"?: …}' },
);
