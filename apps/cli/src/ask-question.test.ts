import type { Question } from '@reeve/client';
import { describe, expect, it } from 'vitest';
import { askQuestion, askToVisit, readTyped, safeUrl } from './ask-question.ts';
import type { Terminal } from './terminal.ts';

const options = [
  { id: 'r', label: 'Red', description: 'like a \u001b]0;title\u0007rose' },
  { id: 'g', label: 'Green' },
];
const single: Question = { prompt: 'Which?', options, multiSelect: false, freeText: false };
const several: Question = { ...single, multiSelect: true };
const open: Question = { ...single, freeText: true };
const chose = (...ids: string[]) => ({ outcome: 'answered', answers: ids.map((optionId) => ({ optionId })) });
const wrote = (text: string) => ({ outcome: 'answered', answers: [{ text }] });

function seat(...typed: string[]) {
  const notes: string[] = [];
  const asked: string[] = [];
  const nothing = (): void => {};
  const terminal: Terminal = {
    text: nothing,
    line: nothing,
    json: nothing,
    raw: nothing,
    note: (text) => notes.push(text),
    interactive: true,
  };
  const ask = async (question: string): Promise<string | undefined> => {
    asked.push(question);
    return typed.shift();
  };
  return { terminal, ask, notes, asked, signal: new AbortController().signal };
}

describe('what is typed to a question', () => {
  it.each<[Question, string, unknown]>([
    [single, '2', chose('g')],
    [single, '3', undefined],
    [single, '0', undefined],
    [single, '1,2', undefined],
    [single, 'Red', undefined],
    [single, '', undefined],
    [several, '2, 1', chose('g', 'r')],
    [several, '1,1', chose('r')],
    [several, '0', chose()],
    [several, '0,1', undefined],
    [open, '1', chose('r')],
    [open, '7', wrote('7')],
    [open, 'blue', wrote('blue')],
    [open, '1,2', wrote('1,2')],
    [{ ...open, options: [] }, '1', wrote('1')],
    [open, '/reject', { outcome: 'rejected' }],
    [single, '/reject not now', { outcome: 'rejected', reason: 'not now' }],
    [open, '/rejected', wrote('/rejected')],
  ])('%j: %j is %j', (question, typed, result) => {
    expect(readTyped(question, typed)).toEqual(result);
  });
});

describe('a question on a terminal', () => {
  it('is asked until the answer fits, and brings no escape sequence along', async () => {
    const { terminal, ask, notes, asked, signal } = seat('x', ' 2 ');
    expect(await askQuestion(terminal, ask, single, signal)).toEqual(chose('g'));
    expect(asked).toEqual(Array(2).fill('choose 1 to 2 (/reject turns it down): '));
    expect(notes).toEqual(['question: Which?', '  1 Red: like a rose', '  2 Green']);
  });

  it('is left open when nobody types any more', async () => {
    const { terminal, ask, notes, signal } = seat();
    expect(await askQuestion(terminal, ask, open, signal)).toBeUndefined();
    expect(notes.at(-1)).toBe('answered elsewhere, or left open');
  });
});

describe('a page to open', () => {
  const url = 'https://example.org/login?state=%20#x';

  it('is shown as it came, and answered by who was there', async () => {
    const { terminal, ask, notes, signal } = seat('what', 'yes');
    expect(await askToVisit(terminal, ask, { message: 'Log \u001b[2Jin', url }, signal)).toEqual({ action: 'accept' });
    expect(notes).toEqual(['the agent asks you to open a page: Log in', `  ${url}`]);
    const other = seat('n');
    expect(await askToVisit(other.terminal, other.ask, { message: '', url }, signal)).toEqual({ action: 'decline' });
  });

  it.each([
    'https://example.org/\u001b[2J',
    'https://example.org/\n https://other.example',
    'https://exаmple.org/',
    'https://example.org@other.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://',
    `https://example.org/${'x'.repeat(3000)}`,
    7,
    undefined,
  ])('is declined unseen when its address could deceive: %j', async (bad) => {
    expect(safeUrl(bad)).toBeUndefined();
    const { terminal, ask, notes, asked, signal } = seat('yes');
    expect(await askToVisit(terminal, ask, { message: 'm', url: bad }, signal)).toEqual({ action: 'decline' });
    expect(asked).toEqual([]);
    expect(notes.join()).not.toContain('example');
  });
});
