import { CallError, type RequestAnswer, type RequestInfo } from '@reeve/client';
import { useInbox } from '@reeve/client/react';
import { useState } from 'react';
import { useNotices } from '../ui/notice-board.tsx';
import { rememberOwnAnswer } from './own-answers.ts';

export interface Answering {
  /** The answer is on its way: no other can be given. */
  readonly busy: boolean;
  answer(answer: RequestAnswer): void;
}

/** Answers a request once. What was taken is told where the request stands then; that somebody else was first, and what went wrong, at once. */
export function useAnswer(request: RequestInfo): Answering {
  const inbox = useInbox();
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
  const send = async (answer: RequestAnswer): Promise<void> => {
    setBusy(true);
    const own = rememberOwnAnswer(request.id);
    try {
      await inbox.answer(request.id, answer);
    } catch (error) {
      own.undo();
      if (error instanceof CallError && error.code === 'already_resolved') {
        notices.say('Somebody else answered before you; your answer changed nothing.');
      } else notices.fail('The answer was not taken', error);
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    answer: (answer) => {
      if (!busy) void send(answer);
    },
  };
}
