import type { BoundaryPreview, NewSession } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useEffect, useState } from 'react';
import { useSettled } from '../data/use-settled.ts';

/** How long nobody changes anything before it is asked. */
const ASK_MS = 250;

export type PreviewState =
  /** There is nothing to ask about. */
  | { readonly kind: 'none' }
  /** `last`: of before the last change, to show until then. */
  | { readonly kind: 'asking'; readonly last: BoundaryPreview | undefined }
  | { readonly kind: 'ready'; readonly preview: BoundaryPreview }
  | { readonly kind: 'failed'; readonly error: unknown };

/** What is known of what was asked: the last answer while another one is awaited. */
export function previewIn(state: PreviewState): BoundaryPreview | undefined {
  if (state.kind === 'asking') return state.last;
  return state.kind === 'ready' ? state.preview : undefined;
}

interface Answer {
  readonly to: string;
  readonly state: Extract<PreviewState, { kind: 'ready' | 'failed' }>;
}

/** What a session would be that is made with this, asked of the server a moment after each change. Nothing starts. */
export function usePreview(wanted: NewSession | undefined): PreviewState {
  const reeve = useReeve();
  const asked = wanted && JSON.stringify(wanted);
  const settled = useSettled(asked, ASK_MS);
  const [answer, setAnswer] = useState<Answer>();
  useEffect(() => {
    if (settled === undefined) return;
    const left = new AbortController();
    const take = (state: Answer['state']): void => {
      if (!left.signal.aborted) setAnswer({ to: settled, state });
    };
    reeve.boundaries.preview(JSON.parse(settled) as NewSession, left.signal).then(
      (preview) => take({ kind: 'ready', preview }),
      (error: unknown) => take({ kind: 'failed', error }),
    );
    return () => left.abort();
  }, [reeve, settled]);
  if (asked === undefined) return { kind: 'none' };
  if (answer?.to === asked) return answer.state;
  return { kind: 'asking', last: answer?.state.kind === 'ready' ? answer.state.preview : undefined };
}
