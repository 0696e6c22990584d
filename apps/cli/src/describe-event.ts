import type { WireEvent } from '@reeve/protocol';
import { safeLine } from './safe-text.ts';
import { timeText } from './terminal.ts';

type Members = { readonly [member: string]: unknown };

/** One event of a log as one line: seq, time, who, what, and as much of it as fits. */
export function describeEvent({ seq, at, source, kind, message }: WireEvent): string {
  const start = `${String(seq).padStart(7)}  ${timeText(at)}  ${source.padEnd(6)}  ${kind.padEnd(8)}`;
  return `${start}  ${safeLine(gist(asMembers(message)), 160)}`;
}

function gist(message: Members): string {
  const params = asMembers(message.params);
  const update = asMembers(params.update);
  if (typeof update.sessionUpdate === 'string') return `${update.sessionUpdate} ${rest(update)}`;
  if (Array.isArray(params.prompt)) return params.prompt.map((block) => rest(asMembers(block))).join(' ');
  if (typeof message.method === 'string') return `${message.method} ${rest(params)}`;
  if ('result' in message) return `result ${JSON.stringify(message.result)}`;
  if ('error' in message) return `error ${JSON.stringify(message.error)}`;
  return JSON.stringify(message);
}

/** What a person wants to see of it first: its text or title, else all but what the line says already. */
function rest(part: Members): string {
  const content = asMembers(part.content);
  const words = part.text ?? content.text ?? part.title ?? asMembers(part.toolCall).title;
  if (typeof words === 'string') return [words, part.status].filter(Boolean).join(' · ');
  const { sessionUpdate: _, sessionId: __, _meta: ___, ...others } = part;
  return JSON.stringify(others);
}

function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}
