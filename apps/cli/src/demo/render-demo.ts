import { auditRow } from '../audit-row.ts';
import { describeBoundary } from '../describe-boundary.ts';
import { safeLine } from '../safe-text.ts';
import { type Terminal, table } from '../terminal.ts';
import type { DemoEvent, FileDiff, OutsideAttempt, TellDemo } from './demo-event.ts';

const ATTEMPTS: Readonly<Record<OutsideAttempt['by'], string>> = {
  tool: 'by the MCP tool',
  agent: 'by the agent itself',
  'fs/read_text_file': 'by asking Reeve',
};

/** Shows a demonstration to a person, on stdout. */
export function createDemoRenderer(terminal: Terminal): TellDemo {
  let lineOpen = false;
  let plan = '';
  const line = (text: string): void => {
    if (lineOpen) terminal.text('\n');
    lineOpen = false;
    terminal.line(text);
  };
  const lines = (all: readonly string[]): void => {
    for (const text of all) line(text);
  };
  return (event) => {
    switch (event.kind) {
      case 'said':
        terminal.text(event.text);
        lineOpen = !event.text.endsWith('\n');
        return;
      case 'planned': {
        const now = event.steps.map(({ content, status }) => `  ${mark(status)} ${safeLine(content)}`);
        const first = plan === '';
        plan = now.join('\n');
        // Once as a whole; later on each step says for itself that it is done.
        if (first) lines(['plan', ...now]);
        return;
      }
      default:
        lines(linesOf(event));
    }
  };
}

function linesOf(event: Exclude<DemoEvent, { kind: 'said' | 'planned' }>): readonly string[] {
  switch (event.kind) {
    case 'started':
      return [
        'A demonstration: no key, no network, and only directories that it made for itself.',
        `  console  ${event.console}`,
        `  project  ${event.project}, which the agent may read and write`,
        `  outside  ${event.outside}, which it was not given`,
        `  bounds   ${event.bounds}`,
        '',
      ];
    case 'prompted':
      return [`> ${safeLine(event.text)}`];
    case 'tool':
      if (event.status === 'in_progress') return [];
      return [
        `· ${safeLine(event.title)} [${event.status}]`,
        ...(event.text === undefined ? [] : [`    ${safeLine(event.text, 400)}`]),
        ...event.diffs.flatMap(diffLines),
      ];
    case 'asked':
      return [`? ${event.asked}: ${safeLine(event.title)} (${event.options.map((name) => safeLine(name)).join(', ')})`];
    case 'answered':
      return [event.answer === undefined ? `  answered by ${event.by}` : `  answered by ${event.by}: ${event.answer}`];
    case 'ended':
      return event.stopReason === 'end_turn' ? [''] : [`the turn ended with "${event.stopReason}"`, ''];
    case 'held':
      return [...describeBoundary(event.boundary), ''];
    case 'outside':
      return ['attempts to read outside the project', ...event.attempts.map(attemptLine), ''];
    case 'recorded':
      return [
        'audit log of the session',
        ...table(['SEQ', 'TIME', 'KIND', 'BY', 'DECISION', 'FACTS'], event.records.map(withoutSession)).split('\n'),
      ];
    case 'verified': {
      const { kind, records, problems } = event.verdict;
      return [`audit log: ${kind}, ${records} records checked`, ...problems.map(({ message }) => `  ${message}`)];
    }
  }
}

function attemptLine({ by, refused, text, heldBy }: OutsideAttempt): string {
  const outcome = refused ? `refused, held by ${heldBy ?? 'nothing that is known'}` : `NOT refused: ${safeLine(text)}`;
  return `  ${ATTEMPTS[by].padEnd(20)} ${outcome}`;
}

function diffLines({ oldText, newText }: FileDiff): readonly string[] {
  const changed = (sign: string, text: string): string[] =>
    text
      .split('\n')
      .filter((part) => part !== '')
      .map((part) => `    ${sign} ${safeLine(part)}`);
  return [...changed('-', oldText), ...changed('+', newText)];
}

function withoutSession(entry: Parameters<typeof auditRow>[0]): readonly unknown[] {
  return auditRow(entry).filter((_, column) => column !== 3);
}

function mark(status: string): string {
  return status === 'completed' ? '[x]' : '[ ]';
}
