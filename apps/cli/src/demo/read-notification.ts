import type { AcpNotification } from '@reeve/client';
import { EXTENSION } from '@reeve/protocol';
import type { DemoEvent, FileDiff } from './demo-event.ts';

type Members = { readonly [member: string]: unknown };

/**
 * Makes events of what the server tells an ACP client; undefined for what the demonstration does not show. Remembers titles, which an
 * agent gives a tool call once. `askedTitle`: what the request with the id is about.
 */
export function createNotificationReader(
  askedTitle: (requestId: unknown) => string | undefined,
): (notification: AcpNotification) => DemoEvent | undefined {
  const titles = new Map<string, string>();
  return ({ method, params }) => {
    if (method === EXTENSION.requestResolved && typeof params.by === 'string')
      return { kind: 'answered', title: askedTitle(params.requestId), by: params.by, answer: undefined };
    if (method !== 'session/update') return undefined;
    const update = members(params.update);
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return { kind: 'said', text: String(members(update.content).text ?? '') };
      case 'plan':
        return {
          kind: 'planned',
          steps: list(update.entries).map(({ content, status }) => ({
            content: String(content),
            status: String(status),
          })),
        };
      case 'tool_call':
      case 'tool_call_update': {
        const id = String(update.toolCallId);
        const title = typeof update.title === 'string' ? update.title : (titles.get(id) ?? id);
        titles.set(id, title);
        const content = list(update.content);
        const texts = content.flatMap((block) =>
          block.type === 'content' ? [String(members(block.content).text)] : [],
        );
        const text = texts.length > 0 ? texts.join('\n') : undefined;
        return {
          kind: 'tool',
          id,
          title,
          status: String(update.status ?? 'pending'),
          text,
          diffs: content.flatMap(diffOf),
        };
      }
      default:
        return undefined;
    }
  };
}

function diffOf({ type, path, oldText, newText }: Members): readonly FileDiff[] {
  if (type !== 'diff') return [];
  return [{ path: String(path), oldText: String(oldText ?? ''), newText: String(newText ?? '') }];
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function list(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(members) : [];
}
