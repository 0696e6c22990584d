import { expect, it } from 'vitest';
import { startReeve } from './spawn-reeve.ts';

it('says why a server did not start', async () => {
  await expect(startReeve({ args: ['--no-such-option'] })).rejects.toThrow(/did not start: it ended with exit code/);
});
