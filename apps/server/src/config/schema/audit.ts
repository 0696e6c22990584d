import { z } from 'zod';
import { ms, whole } from './values.ts';

export const audit = z
  .strictObject(
    {
      /** A checkpoint is signed after so many records. */
      checkpointRecords: whole('', 256, 1, 100_000),
      /** And so long after the first record that no checkpoint covers. */
      checkpointMs: ms(10_000, 10),
    },
    { error: 'an object {"checkpointRecords": …, "checkpointMs": …}' },
  )
  .prefault({});
