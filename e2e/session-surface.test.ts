import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { surfaceRows } from './requirements/session-surface.ts';
import { sessionSurfacePage } from './session-surface-page.ts';

describe('docs/session-surface.md', () => {
  it('is what the requirements say: "npm run docs:surface" writes it', () => {
    const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'session-surface.md'), 'utf8');
    expect(page).toBe(sessionSurfacePage(surfaceRows));
  });
});
