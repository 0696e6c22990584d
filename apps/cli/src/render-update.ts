import type { AcpNotification } from '@reeve/client';
import { safeLine } from './safe-text.ts';
import type { Terminal } from './terminal.ts';

type Members = { readonly [member: string]: unknown };

/** Shows a session to a person: the agent's words on stdout, what it does on stderr. */
export interface Renderer {
  update(notification: AcpNotification): void;
  /** Ends the line that words left open. */
  finish(): void;
}

/** `history` also shows what people asked, for those who did not type it themselves. */
export function createRenderer(terminal: Terminal, options: { readonly history: boolean }): Renderer {
  const titles = new Map<unknown, string>();
  let lineOpen = false;
  let messageId: unknown;
  const words = (text: string): void => {
    if (text === '') return;
    terminal.text(text);
    lineOpen = !text.endsWith('\n');
  };
  const finish = (): void => {
    if (lineOpen) terminal.text('\n');
    lineOpen = false;
  };
  const note = (text: string): void => {
    finish();
    terminal.note(text);
  };

  const show = (update: Members): void => {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        // Two messages in a row say by their ids alone that they are two.
        if (update.messageId !== messageId) finish();
        messageId = update.messageId;
        words(blockText(update.content));
        return;
      case 'user_message_chunk':
        if (options.history) note(`> ${safeLine(blockText(update.content))}`);
        return;
      case 'tool_call':
      case 'tool_call_update': {
        const title = typeof update.title === 'string' ? update.title : titles.get(update.toolCallId);
        if (title !== undefined) titles.set(update.toolCallId, title);
        if (update.sessionUpdate === 'tool_call' || update.status === 'completed' || update.status === 'failed') {
          note(`· ${safeLine(title ?? String(update.toolCallId))} [${String(update.status ?? 'pending')}]`);
        }
        return;
      }
      case 'plan': {
        const entries = Array.isArray(update.entries) ? (update.entries as Members[]) : [];
        note(
          `plan: ${entries.map((entry) => `${safeLine(String(entry.content))} [${String(entry.status)}]`).join(' · ')}`,
        );
        return;
      }
      case 'current_mode_update':
        note(`mode: ${String(update.currentModeId)}`);
        return;
      default:
        return;
    }
  };

  return {
    finish,
    update({ method, params }) {
      const { update } = params;
      if (method === 'session/update' && typeof update === 'object' && update !== null) show(update as Members);
      else if (method === '_sandboxagent/session/request_resolved') {
        note(typeof params.by === 'string' ? `answered by ${params.by}` : 'the request was taken back');
      } else if (method === '_sandboxagent/session/ended') note(`the session ended: ${String(params.reason)}`);
    },
  };
}

/** What a content block says, or its kind where it is not text. */
function blockText(content: unknown): string {
  const block = (typeof content === 'object' && content !== null ? content : {}) as Members;
  if (block.type === 'text') return typeof block.text === 'string' ? block.text : '';
  return block.type === undefined
    ? ''
    : `[${String(block.type)}${typeof block.uri === 'string' ? ` ${block.uri}` : ''}]`;
}
