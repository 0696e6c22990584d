import type { NewTurn, SessionView, TimelineItem } from '@reeve/client';
import { useEffect, useState } from 'react';

/** A prompt that was sent and has not begun. */
export interface QueuedPrompt {
  readonly key: string;
  readonly text: string;
  /** Its turn's events come after it; undefined while the server has not taken it. */
  readonly after: number | undefined;
}

export interface PromptQueue {
  readonly waiting: readonly QueuedPrompt[];
  /** Settles when the server has taken it; sent again by itself, it never runs twice. */
  send(turn: NewTurn & { readonly prompt: string }): Promise<void>;
}

/** The prompts of this page that wait for their turn: each goes from here to the timeline. */
export function useQueuedPrompts(session: SessionView): PromptQueue {
  const [waiting, setWaiting] = useState<readonly QueuedPrompt[]>([]);
  const { items, running } = session.timeline;

  useEffect(() => {
    setWaiting((now) => {
      const left = now.filter((prompt) => !hasBegun(prompt, items));
      return left.length === now.length ? now : left;
    });
  }, [items]);

  return {
    // What is begun at once is no queue.
    waiting: running ? waiting : [],
    send: async (turn) => {
      const key = crypto.randomUUID();
      setWaiting((now) => [...now, { key, text: turn.prompt, after: undefined }]);
      try {
        const { after } = await session.prompt({ ...turn, idempotencyKey: key });
        setWaiting((now) => now.map((prompt) => (prompt.key === key ? { ...prompt, after } : prompt)));
      } catch (error) {
        setWaiting((now) => now.filter((prompt) => prompt.key !== key));
        throw error;
      }
    },
  };
}

function hasBegun({ text, after }: QueuedPrompt, items: readonly TimelineItem[]): boolean {
  if (after === undefined) return false;
  return items.some(
    (item) =>
      item.kind === 'user' &&
      item.firstSeq > after &&
      (text === '' || item.blocks.some((block) => block.text === text)),
  );
}
