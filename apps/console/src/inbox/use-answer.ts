import { CallError, type RequestAnswer, type RequestInfo } from '@reeve/client';
import { useInbox } from '@reeve/client/react';
import { useState } from 'react';
import { useNotices } from '../ui/notice-board.tsx';
import { outcomeText } from './outcome-text.ts';

export interface Answering {
  /** The answer is on its way: no other can be given. */
  readonly busy: boolean;
  answer(answer: RequestAnswer): void;
}

/** Answers a request once, and says what came of it: that somebody else was first, too. */
export function useAnswer(request: RequestInfo): Answering {
  const inbox = useInbox();
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
  const send = async (answer: RequestAnswer): Promise<void> => {
    setBusy(true);
    try {
      notices.say(outcomeText(await inbox.answer(request.id, answer)));
    } catch (error) {
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
