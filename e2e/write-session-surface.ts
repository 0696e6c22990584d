import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { surfaceRows } from './requirements/session-surface.ts';
import { sessionSurfacePage } from './session-surface-page.ts';

writeFileSync(join(import.meta.dirname, '..', 'docs', 'session-surface.md'), sessionSurfacePage(surfaceRows));
