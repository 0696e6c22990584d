import { promptTexts, readScript } from './script.ts';
import { performStep } from './steps.ts';
import type { Turn, TurnOutcome } from './turn.ts';

export type TurnStart = Omit<Turn, 'signal' | 'refuseCancel' | 'respondWith' | 'end' | 'afterResponse'>;

export interface RunningTurn {
  /** `session/cancel`: without effect on a turn that refuses. */
  cancel(): void;
  /** `$/cancel_request` of the prompt: the turn ends with error -32800. */
  cancelRequest(): void;
  /** What to answer the prompt with; `afterResponse` is to be called once that is sent. */
  readonly done: Promise<{
    readonly outcome: TurnOutcome;
    readonly fields: object;
    readonly afterResponse: () => void;
  }>;
}

/** Starts the steps of a prompt: its script's, or else an echo of its text. */
export function runTurn(start: TurnStart): RunningTurn {
  const controller = new AbortController();
  const later: (() => void)[] = [];
  let refusing = false;
  let withdrawn = false;
  let ended: TurnOutcome | undefined;
  let fields: object = {};

  const turn: Turn = {
    ...start,
    signal: controller.signal,
    refuseCancel: () => {
      refusing = true;
    },
    respondWith: (more) => {
      fields = { ...fields, ...more };
    },
    end: (outcome) => {
      ended ??= outcome;
    },
    afterResponse: (action) => later.push(action),
  };

  const run = async (): Promise<TurnOutcome> => {
    const { prompt } = start.received.prompt;
    const steps = readScript(prompt) ?? [{ say: promptTexts(prompt).join('\n') }];
    try {
      for (const step of steps) {
        await performStep(step, turn);
        if (ended !== undefined || controller.signal.aborted) break;
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { kind: 'failed', error: { code: -32603, message: 'Internal error', data: { details: message } } };
    }
    if (withdrawn) return { kind: 'failed', error: { code: -32800, message: 'Request cancelled' } };
    if (controller.signal.aborted) return { kind: 'stopped', stopReason: 'cancelled' };
    return ended ?? { kind: 'stopped', stopReason: 'end_turn' };
  };

  return {
    cancel: () => {
      if (!refusing) controller.abort();
    },
    cancelRequest: () => {
      withdrawn = true;
      controller.abort();
    },
    done: run().then((outcome) => ({
      outcome,
      fields,
      afterResponse: () => {
        for (const action of later) action();
      },
    })),
  };
}
