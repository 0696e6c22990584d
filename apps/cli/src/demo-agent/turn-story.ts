import { setTimeout as wait } from 'node:timers/promises';
import type { JsonRpcPeer, Params } from './json-rpc-peer.ts';

/** What a turn tells the client as it goes (ACP, prompt turn). */
export interface TurnStory {
  /** Word by word, as a model's answer comes. */
  say(text: string): Promise<void>;
  /** The step before `done` counts as completed, the one at it as running. */
  plan(done: number): void;
  tool(update: { readonly toolCallId: string; readonly title: string } & Params): void;
  toolChanged(update: { readonly toolCallId: string } & Params): void;
}

const WORD_MS = 12;

export function tellStory(
  peer: JsonRpcPeer,
  sessionId: string,
  steps: readonly string[],
  signal: AbortSignal,
): TurnStory {
  const tell = (update: Params): void => peer.notify('session/update', { sessionId, update });
  return {
    async say(text) {
      for (const word of text.match(/\S+\s*/g) ?? []) {
        tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: word } });
        await wait(WORD_MS, undefined, { signal });
      }
    },
    plan(done) {
      const status = (step: number): string => (step < done ? 'completed' : step === done ? 'in_progress' : 'pending');
      const entries = steps.map((content, step) => ({ content, priority: 'medium', status: status(step) }));
      tell({ sessionUpdate: 'plan', entries });
    },
    tool: (update) => tell({ sessionUpdate: 'tool_call', ...update }),
    toolChanged: (update) => tell({ sessionUpdate: 'tool_call_update', ...update }),
  };
}

/** What a tool call gave, as ACP has it. */
export function textContent(text: string): readonly Params[] {
  return [{ type: 'content', content: { type: 'text', text } }];
}
