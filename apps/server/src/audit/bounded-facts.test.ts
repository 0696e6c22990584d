import { describe, expect, it } from 'vitest';
import { toolName } from './bounded-facts.ts';

describe('the name of a tool or method in a record', () => {
  it.each(['read_file', 'a.b:c@d-1', 'tools/call', 'resources/templates/list', 'logging/setLevel'])(
    'is kept: %s',
    (name) => {
      expect(toolName(name)).toBe(name);
    },
  );

  it.each(['/etc/passwd', '../a', 'two words', 'a'.repeat(129), 'a/b/c/d', 'home/.ssh', '', 'x\n'])(
    'is not kept where it may be something else: %j',
    (name) => {
      expect(toolName(name)).toBeUndefined();
    },
  );
});
