import type { AuditEntry } from '@reeve/client';
import { objectMember, textMember } from '../data/json-members.ts';
import { exactText } from '../hostile/visible-text.ts';

/** With which tool, as the records of Reeve name it: `other` is one that the server does not list. */
export function toolWords(facts: unknown): string {
  const tool = textMember(facts, 'tool');
  if (tool === undefined) return '';
  return tool === 'other' ? ', with a tool that it does not list' : `, with the tool “${exactText(tool)}”`;
}

/** An alarm as a sentence. It names no path: the audit log reveals one to whoever asks, and records that. */
export function alarmText({ facts }: AuditEntry): string {
  const server = textMember(objectMember(facts, 'server'), 'name') ?? 'unknown';
  const what = facts.from === 'agent' ? 'was asked by the agent to touch' : 'asked for';
  const times = typeof facts.count === 'number' && facts.count > 1 ? `, ${facts.count} times` : '';
  return exactText(`Server “${server}” ${what} what it was not given${toolWords(facts)}${times}.`);
}
