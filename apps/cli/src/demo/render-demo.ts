import type { AuditEntry } from '@reeve/client';
import { describeBoundary } from '../describe-boundary.ts';
import { describeReview } from '../describe-review.ts';
import { safeLine } from '../safe-text.ts';
import { type Terminal, table } from '../terminal.ts';
import type { DemoEvent, FileDiff, OutsideAttempt, TellDemo } from './demo-event.ts';

/** Facts of a record that are shown, in this order; all of them are told by `reeve audit tail --json`. */
const TOLD = ['asked', 'agent', 'server', 'tool', 'outcome', 'option', 'scope', 'enforcement', 'initiator', 'revision'];

/** Of what a tool answered: a refusal ends with the command that is the next step, which must be whole to be of use. */
const LONGEST = 2000;

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
        ...(event.text === undefined ? [] : [`    ${safeLine(event.text, LONGEST)}`]),
        ...event.diffs.flatMap(diffLines),
      ];
    case 'asked':
      return [
        `? ${event.asked}: ${safeLine(event.title)} (${event.options.map((name) => safeLine(name)).join(', ')})`,
        ...(event.review === undefined ? [] : describeReview(event.review).map((text) => `  ${text}`)),
      ];
    case 'answered':
      return [answeredLine(event)];
    case 'ended':
      return event.stopReason === 'end_turn' ? [''] : [`the turn ended with "${event.stopReason}"`, ''];
    case 'held':
      return [...describeBoundary(event.boundary), ...serverLines(event.boundary), ''];
    case 'outside':
      return ['attempts to read outside the project', ...event.attempts.map(attemptLine), ''];
    case 'alarmed':
      return event.alarms.length === 0 ? [] : ['alarms', ...event.alarms.map(alarmLine), ''];
    case 'recorded':
      return [
        'audit log of the session',
        ...table(['SEQ', 'KIND', 'BY', 'DECISION', 'FACTS'], event.records.map(recordRow)).split('\n'),
      ];
    case 'verified': {
      const { kind, records, problems } = event.verdict;
      return [`audit log: ${kind}, ${records} records checked`, ...problems.map(({ message }) => `  ${message}`)];
    }
  }
}

function answeredLine({ title, by, answer }: Extract<DemoEvent, { kind: 'answered' }>): string {
  const what = title === undefined ? 'answered' : `${safeLine(title)}: answered`;
  return `  ${what} by ${safeLine(by)}${answer === undefined ? '' : `: ${safeLine(answer)}`}`;
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

/** Who holds each MCP server, and how well. */
function serverLines(boundary: unknown): readonly string[] {
  const { servers } = (boundary as { readonly enforcement?: { readonly servers?: object } } | null)?.enforcement ?? {};
  return Object.entries(servers ?? {}).map(
    ([name, { backend, fs, network }]) =>
      `  MCP server ${JSON.stringify(name)}: held by ${backend}, files ${fs}, network ${network}`,
  );
}

function alarmLine({ seq, facts }: AuditEntry): string {
  const { server, tool, from } = facts as {
    readonly server?: { readonly name?: string };
    tool?: string;
    from?: string;
  };
  const reached = `MCP server ${JSON.stringify(server?.name)} was asked by the ${from} to touch what it was not given`;
  return `  record ${seq}: ${reached} (${tool}); the path itself is sealed: reeve audit reveal ${seq}`;
}

function recordRow({ seq, kind, by, decision, facts }: AuditEntry): readonly unknown[] {
  const told = TOLD.flatMap((name) => (facts[name] === undefined ? [] : [`${name}=${shown(facts[name])}`]));
  return [seq, kind, by, decision, told.join(' ')];
}

/** Of an object its name, or what holds it. */
function shown(fact: unknown): string {
  if (typeof fact !== 'object' || fact === null) return String(fact);
  const { name, backend, kind } = fact as {
    readonly name?: unknown;
    readonly backend?: unknown;
    readonly kind?: unknown;
  };
  return String(name ?? backend ?? kind ?? '…');
}

function mark(status: string): string {
  return status === 'completed' ? '[x]' : '[ ]';
}
