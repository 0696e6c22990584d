import type { NoteItem } from '@reeve/client';
import { isObject } from '@reeve/protocol';
import { toolWords } from '../../boundary/alarm-text.ts';
import { objectMember, objectsIn, textMember } from '../../data/json-members.ts';
import { exactText, visibleText } from '../../hostile/visible-text.ts';

type Facts = NoteItem['facts'];

/** A note for people. `alarm`: something reached further than it may. */
export interface NoteWords {
  readonly tone: 'plain' | 'warn' | 'alarm';
  readonly text: string;
}

const plain = (text: string): NoteWords => ({ tone: 'plain', text });
const warn = (text: string): NoteWords => ({ tone: 'warn', text });

/** What each note of a session's log says (docs/boundary.md and the session surface). */
const WORDS: ReadonlyMap<string, (facts: Facts) => NoteWords> = new Map<string, (facts: Facts) => NoteWords>([
  ['agent_started', () => plain('The agent was started')],
  ['agent_exited', (facts) => plain(`The agent process ended${howItEnded(facts)}`)],
  ['agent_replaced', (facts) => plain(`The agent process was replaced${because(facts)}`)],
  ['agent_restored', () => plain('The agent took up the session again')],
  ['forked', () => plain('Forked from another session')],
  ['adopted', (facts) => plain(`Taken over from the agent${byWhom(facts)}`)],
  ['cancel', () => plain('Somebody cancelled')],
  ['metadata_changed', () => plain('Something of the session was changed')],
  ['choices_applied', () => plain('What was chosen while no agent ran was told to it')],
  ['choice_lost', () => warn('The agent did not take up again what was chosen before')],
  ['egress', egressWords],
  ['mcp_server', serverWords],
  ['mcp_server_left_out', (facts) => warn(`An MCP server was left out: ${member(facts, 'problem')}`)],
  ['root_exposed', exposedWords],
  [
    'root_lost',
    (facts) => warn(`Directory ${path(facts)} ${LOSSES.get(member(facts, 'how')) ?? 'is lost'}: nobody has it now`),
  ],
  [
    'protection_lost',
    (facts) =>
      warn(`${path(facts)} was replaced from outside: a process that ran can write it until it is started again`),
  ],
  [
    'protected_made',
    (facts) =>
      warn(`${path(facts)} was made, and could not be protected: look at it before you run git or an editor there`),
  ],
  ['root_back', (facts) => plain(`Directory ${path(facts)} is back`)],
  [
    'boundary_changed',
    (facts) => plain(`The boundary was changed${byWhom(facts)}${revision(objectMember(facts, 'boundary'))}`),
  ],
  ['boundary_carried_out', (facts) => plain(`The change of the boundary is in force everywhere${revision(facts)}`)],
  ['alarm', alarmWords],
  [
    'review_asked',
    (facts) =>
      plain(`${askedWords(facts)} waits for ${facts.approval === 'administrator' ? 'an administrator' : 'a person'}`),
  ],
  ['review_settled', settledWords],
  ['session_ended', (facts) => plain(ENDS.get(textMember(facts, 'reason')) ?? 'The session ended')],
  ['unknown', () => plain('An update that this console does not know')],
]);

/** What became of a root. */
const LOSSES: ReadonlyMap<string, string> = new Map([
  ['deleted', 'was deleted'],
  ['replaced', 'is another one than was approved'],
  ['moved', 'was moved, or a link leads elsewhere'],
]);

/** How an MCP server stands. */
const STATES: ReadonlyMap<string, string> = new Map([
  ['waiting', 'waits for approval'],
  ['refused', 'was refused'],
  ['starting', 'is starting'],
  ['running', 'runs'],
  ['restarting', 'is being started again'],
  ['failed', 'failed'],
  ['stopped', 'was stopped'],
  ['unknown', 'is out of sight'],
]);

/** Why a session left memory (session surface, `ended`). */
const ENDS: ReadonlyMap<string | undefined, string> = new Map([
  ['closed', 'The session was closed'],
  ['idle', 'Nobody used the session: it rests until the next prompt'],
  ['terminated', 'Somebody ended what ran here at once'],
  ['shutdown', 'The server stopped'],
  ['failed', 'The log of the session could not be written'],
]);

/** What a note says, as a sentence; one of a kind that is not known by the name that it has. */
export function noteWords({ type, facts }: Pick<NoteItem, 'type' | 'facts'>): NoteWords {
  return WORDS.get(type)?.(facts) ?? plain(visibleText(type).replaceAll('_', ' '));
}

function howItEnded(facts: Facts): string {
  const signal = textMember(facts, 'signal');
  if (signal !== undefined) return `, by ${visibleText(signal)}`;
  return typeof facts.exitCode === 'number' ? ` with exit code ${facts.exitCode}` : '';
}

function serverWords(facts: Facts): NoteWords {
  const state = member(facts, 'state');
  const said = `${serverName(facts)} ${STATES.get(state) ?? visibleText(state)}`;
  const error = textMember(facts, 'lastError');
  return state === 'failed' || state === 'refused'
    ? warn(error === undefined ? said : `${said}: ${visibleText(error)}`)
    : plain(said);
}

function exposedWords(facts: Facts): NoteWords {
  const paths = objectsIn(facts, 'roots').map((root) => textMember(root, 'path') ?? '');
  if (paths.length === 0) return plain(`${serverName(facts)} is shown no directory`);
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : '';
  return plain(`${serverName(facts)} is shown ${exactText(paths.slice(0, 3).join(', '))}${more}`);
}

function alarmWords(facts: Facts): NoteWords {
  const what = facts.by === 'agent' ? 'was asked by the agent to' : 'asked to';
  const how = facts.access === 'ro' ? 'read' : 'read or write';
  const times = typeof facts.count === 'number' && facts.count > 1 ? `, ${facts.count} times` : '';
  const text = `Alarm: ${serverName(facts)} ${what} ${how} ${path(facts)}, which it was not given`;
  return { tone: 'alarm', text: `${text}${toolWords(facts)}${times}` };
}

function egressWords(facts: Facts): NoteWords {
  const place = exactText(`${member(facts, 'host')}${typeof facts.port === 'number' ? `:${facts.port}` : ''}`);
  return facts.decision === 'denied'
    ? warn(`The agent was kept from reaching ${place}`)
    : plain(`The agent reached ${place}`);
}

const REVIEWS: ReadonlyMap<string, string> = new Map([
  ['server', 'to be started'],
  ['root', 'to see a directory'],
  ['call', 'to run one call'],
]);

function askedWords(facts: Facts): string {
  return `${serverName(facts)} asks ${REVIEWS.get(member(facts, 'review')) ?? 'for a review'} and`;
}

function settledWords(facts: Facts): NoteWords {
  const outcome = objectMember(facts, 'outcome');
  const decision = isObject(outcome.result) ? textMember(outcome.result, 'decision') : undefined;
  if (outcome.kind !== 'answered') return plain(`A review ended without an answer${because(outcome, 'reason')}`);
  return decision === 'approve'
    ? plain(`A review was approved${byWhom(facts)}`)
    : warn(`A review was denied${byWhom(facts)}`);
}

function because(facts: Facts, name = 'why'): string {
  const why = textMember(facts, name);
  return why === undefined ? '' : `: ${visibleText(why)}`;
}

function byWhom(facts: Facts): string {
  const by = textMember(facts, 'by');
  return by === undefined ? '' : `, by ${visibleText(by)}`;
}

function revision({ revision }: Facts): string {
  return typeof revision === 'number' ? `, revision ${revision}` : '';
}

function serverName(facts: Facts): string {
  return `MCP server “${exactText(member(facts, 'server'))}”`;
}

function path(facts: Facts): string {
  return exactText(member(facts, 'path'));
}

function member(facts: Facts, name: string): string {
  return textMember(facts, name) ?? 'unknown';
}
