import type { Question, QuestionResult } from '@reeve/client';
import { safeLine } from './safe-text.ts';
import type { Terminal } from './terminal.ts';

/** Asks a person one question; undefined when the signal aborted or the input ended. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks a person until the answer fits the question; undefined when it was answered elsewhere or nobody types any more. */
export async function askQuestion(
  terminal: Terminal,
  ask: Ask,
  question: Question,
  signal: AbortSignal,
): Promise<QuestionResult | undefined> {
  const { prompt, options } = question;
  terminal.note(`question: ${safeLine(prompt, 2000)}`);
  for (const [index, { label, description }] of options.entries()) {
    const more = description ? `: ${safeLine(description)}` : '';
    terminal.note(`  ${index + 1} ${safeLine(label, 80)}${more}`);
  }
  while (!signal.aborted) {
    const typed = await ask(howToAnswer(question), signal);
    if (typed === undefined) break;
    const result = readTyped(question, typed.trim());
    if (result) return result;
  }
  terminal.note('answered elsewhere, or left open');
  return undefined;
}

/**
 * What was typed, as an answer; undefined when it is none. Numbers choose options, several are separated by commas and 0 is
 * none of them; `/reject`, with a reason or without, turns the question down; all else is a text where one is taken.
 */
export function readTyped(question: Question, typed: string): QuestionResult | undefined {
  const { options, multiSelect, freeText } = question;
  const rejected = /^\/reject(?:\s+(.*))?$/s.exec(typed);
  if (rejected) return { outcome: 'rejected', ...(rejected[1] ? { reason: rejected[1] } : {}) };
  if (typed === '') return undefined;
  if (options.length > 0 && /^\d+(\s*,\s*\d+)*$/.test(typed)) {
    const numbers = [...new Set(typed.split(',').map(Number))];
    if (multiSelect && numbers.length === 1 && numbers[0] === 0) return { outcome: 'answered', answers: [] };
    const chosen = numbers.map((number) => options[number - 1]);
    if (chosen.every((option) => option !== undefined) && (multiSelect || chosen.length === 1))
      return { outcome: 'answered', answers: chosen.map(({ id }) => ({ optionId: id })) };
  }
  return freeText ? { outcome: 'answered', answers: [{ text: typed }] } : undefined;
}

/** Shows a URL and asks whether it was dealt with. It is never opened here; one that could deceive is not shown. */
export async function askToVisit(
  terminal: Terminal,
  ask: Ask,
  { message, url }: { readonly message: unknown; readonly url: unknown },
  signal: AbortSignal,
): Promise<{ readonly action: 'accept' | 'decline' } | undefined> {
  const shown = safeUrl(url);
  if (shown === undefined) {
    terminal.note('the agent wants a page opened whose address cannot be shown safely: declined');
    return { action: 'decline' };
  }
  terminal.note(`the agent asks you to open a page: ${safeLine(String(message ?? ''), 2000)}`);
  terminal.note(`  ${shown}`);
  while (!signal.aborted) {
    const typed = (await ask('done with it? yes or no: ', signal))?.trim().toLowerCase();
    if (typed === undefined) break;
    if (typed === 'yes' || typed === 'y') return { action: 'accept' };
    if (typed === 'no' || typed === 'n') return { action: 'decline' };
  }
  terminal.note('answered elsewhere, or left open');
  return undefined;
}

/** The address as it came, if it is one of the web and can neither steer a terminal nor look like another. */
export function safeUrl(url: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > 3000 || !/^https?:\/\/[\x21-\x7e]+$/i.test(url)) return undefined;
  return URL.canParse(url) && new URL(url).username === '' ? url : undefined;
}

function howToAnswer({ options, multiSelect, freeText }: Question): string {
  const range = options.length === 1 ? '1' : `1 to ${options.length}`;
  const choose = multiSelect ? `any of ${range} with commas between, 0 for none` : `choose ${range}`;
  const how = [...(options.length > 0 ? [choose] : []), ...(freeText ? ['type your answer'] : [])].join(', or ');
  return `${how} (/reject turns it down): `;
}
