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
  | { readonly kind: 'failed'; readonly error: unknown; readonly last: BoundaryPreview | undefined };

/** What is known of what was asked: the last answer while another one is awaited, or none was to be had. */
export function previewIn(state: PreviewState): BoundaryPreview | undefined {
  switch (state.kind) {
    case 'none':
      return undefined;
    case 'ready':
      return state.preview;
    case 'asking':
    case 'failed':
      return state.last;
  }
}

interface Answer {
  readonly to: string;
  readonly told: BoundaryPreview | { readonly error: unknown };
}

/** What a session would be that is made with this, asked of the server a moment after each change. Nothing starts. */
export function usePreview(wanted: NewSession | undefined): PreviewState {
  const reeve = useReeve();
  const asked = wanted && JSON.stringify(wanted);
  const settled = useSettled(asked, ASK_MS);
  const [answer, setAnswer] = useState<Answer>();
  const [last, setLast] = useState<BoundaryPreview>();
  useEffect(() => {
    if (settled === undefined) return;
    const left = new AbortController();
    const take = (told: Answer['told']): void => {
      if (left.signal.aborted) return;
      setAnswer({ to: settled, told });
      if (!('error' in told)) setLast(told);
    };
    reeve.boundaries
      .preview(JSON.parse(settled) as NewSession, left.signal)
      .then(take, (error: unknown) => take({ error }));
    return () => left.abort();
  }, [reeve, settled]);
  if (asked === undefined) return { kind: 'none' };
  if (answer?.to !== asked) return { kind: 'asking', last };
  if ('error' in answer.told) return { kind: 'failed', error: answer.told.error, last };
  return { kind: 'ready', preview: answer.told };
}
