import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { badInput } from './api-problems.ts';
import { readAs } from './control-input.ts';

const body = z.strictObject({
  text: z.string().max(3).optional(),
  count: z.int().min(1).max(9).optional(),
  list: z.array(z.boolean()).min(1).max(2).optional(),
  word: z.enum(['on', 'off']).optional(),
  any: z.union([z.literal(true), z.string()]).optional(),
  file: z.strictObject({ name: z.string() }).optional(),
  own: z.string({ error: 'the id of a session' }).optional(),
});

async function refusal(value: unknown, schema: z.ZodType = body): Promise<{ detail: string; next: string }> {
  const read = readAs(schema, value);
  if (read.kind === 'ok') throw new Error('it was taken');
  return badInput(read, 'body').json() as Promise<{ detail: string; next: string }>;
}

describe('the next step after input that is none', () => {
  it.each([
    [{ text: 1 }, 'Send text.'],
    [{ text: 'long' }, 'Send at most 3 characters.'],
    [{ count: 0 }, 'Send at least 1.'],
    [{ count: 10 }, 'Send at most 9.'],
    [{ count: 'x' }, 'Send a number.'],
    [{ list: [] }, 'Send at least 1 items.'],
    [{ list: [1] }, 'Send true or false.'],
    [{ word: 'x' }, 'Send "on" or "off".'],
    [{ any: 1 }, 'Send true or text.'],
    [{ file: {} }, 'Send text.'],
    [{ own: 1 }, 'Send the id of a session.'],
    ['x', 'Send a JSON object.'],
  ])('says what to send: %j', async (value, next) => {
    expect(await refusal(value)).toMatchObject({ next });
  });

  it('names a member that nobody knows, and says to leave it out', async () => {
    expect(await refusal({ odd: 1 })).toMatchObject({
      detail: 'the body: expected no other members',
      next: 'Leave "odd" out: there is no such member.',
    });
    expect(await refusal({ file: { name: 'a', path: 'b' } })).toMatchObject({
      detail: '"file" of the body: expected no other members',
      next: 'Leave "path" out: there is no such member.',
    });
    const words = z.strictObject({ path: z.string() }, { error: 'a JSON object with "path"' });
    expect(await refusal({ path: '/a', sesion: 'x' }, words)).toMatchObject({
      detail: 'the body: expected a JSON object with "path"',
      next: 'Leave "sesion" out: there is no such member.',
    });
  });

  it('names no more of them, and no more of each, than is read', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${at}${'x'.repeat(1000)}\ud800`, at]));
    expect((await refusal(many)).next.length).toBeLessThan(500);
  });
});
