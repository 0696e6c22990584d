import type { SessionView, TimelineItem } from '@reeve/client';
import { useEffect, useRef, useState } from 'react';
import type { AttachedFile } from './read-files.ts';

/** A prompt that was sent, here or elsewhere, and whose turn has not begun. */
export interface WaitingPrompt {
  readonly id: string;
  readonly text: string;
  /** The text goes on: only who sent it has all of it. */
  readonly truncated: boolean;
  /** Files that this page sent with it. */
  readonly files: readonly AttachedFile[];
  /** Who sent it, as that says; undefined for this page. */
  readonly by: string | undefined;
}

export interface PromptQueue {
  /** In the order of their turns. */
  readonly waiting: readonly WaitingPrompt[];
  /** Settles when the server has taken it; sent again by itself, it never runs twice. */
  send(text: string, files: readonly AttachedFile[]): Promise<void>;
  /** Cancels the turn that runs, and gives back the prompts that waited behind it, which do not run any more. */
  cancel(): Promise<readonly WaitingPrompt[]>;
}

/** A prompt of this page. */
interface Sent extends WaitingPrompt {
  /** Its turn's events come after it; undefined while the server has not taken it. */
  readonly after: number | undefined;
}

/** The prompts that wait for their turn: what the server tells of them, and what this page has just sent. */
export function useQueuedPrompts(session: SessionView): PromptQueue {
  const [sent, setSent] = useState<readonly Sent[]>([]);
  /** Of this page's prompts, those that the server has told of as waiting. */
  const told = useRef<Set<string>>(new Set());
  const { info } = session;
  const { items, running } = session.timeline;
  // What is in the log after the server told of its queue has begun since.
  const queued = (info?.queuedPrompts ?? []).filter(({ text }) => !hasBegun(text, info?.lastSeq, items));
  const queuedIds = queued.map(({ id }) => id).join(' ');

  useEffect(() => {
    const ids = new Set(queuedIds.split(' '));
    for (const { id } of sent) if (ids.has(id)) told.current.add(id);
    const left = sent.filter(({ id, text, after }) => {
      if (ids.has(id) || after === undefined) return true;
      return running && !told.current.has(id) && !hasBegun(text, after, items);
    });
    if (left.length < sent.length) setSent(left);
  }, [sent, queuedIds, running, items]);

  const own = new Map(sent.map((prompt) => [prompt.id, prompt]));
  const known = queued.map(
    ({ id, text, by, truncated = false }): WaitingPrompt => own.get(id) ?? { id, text, by, truncated, files: [] },
  );
  // What begins at once is no queue.
  const fresh = running ? sent.filter(({ id }) => queued.every((prompt) => prompt.id !== id)) : [];
  const waiting = [...known, ...fresh];

  return {
    waiting,
    send: async (text, files) => {
      const id = crypto.randomUUID();
      const attachments = files.map(({ attachment }) => attachment);
      setSent((now) => [...now, { id, text, files, truncated: false, by: undefined, after: undefined }]);
      try {
        const turn = { prompt: text, ...(attachments.length > 0 ? { attachments } : {}), idempotencyKey: id };
        const { after } = await session.prompt(turn);
        setSent((now) => now.map((prompt) => (prompt.id === id ? { ...prompt, after } : prompt)));
      } catch (error) {
        setSent((now) => now.filter((prompt) => prompt.id !== id));
        throw error;
      }
    },
    cancel: async () => {
      await session.cancel();
      setSent([]);
      return waiting;
    },
  };
}

function hasBegun(text: string, after: number | undefined, items: readonly TimelineItem[]): boolean {
  if (after === undefined) return false;
  return items.some(
    (item) =>
      item.kind === 'user' &&
      item.firstSeq > after &&
      (text === '' || item.blocks.some((block) => typeof block.text === 'string' && block.text.startsWith(text))),
  );
}
