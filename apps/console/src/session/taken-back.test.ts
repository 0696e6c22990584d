import { describe, expect, it } from 'vitest';
import { takenBackText, withTakenBack } from './taken-back.ts';

const prompt = (text: string, truncated = false) => ({ id: text, text, truncated, files: [], by: undefined });

describe('prompts that did not run', () => {
  it('stand behind what is written, each by itself, and those of files alone leave no gap', () => {
    expect(withTakenBack('half', [prompt('one'), prompt(''), prompt('two')])).toBe('half\n\none\n\ntwo');
    expect(withTakenBack(' ', [prompt('one')])).toBe('one');
    expect(withTakenBack('half', [])).toBe('half');
  });

  it('are told of, with what is missing of them', () => {
    expect(takenBackText([prompt('one')])).toBe('The queued prompt does not run: it stands in the field again.');
    expect(takenBackText([prompt('one'), prompt('two', true)])).toMatch(/^The queued prompts do not .* not all here/);
  });
});
