import type { SessionView, TimelineItem } from '@reeve/client';
import { useCallback, useRef } from 'react';
import { useResource } from '../data/use-resource.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';

interface RawDialogProps {
  readonly item: TimelineItem;
  readonly session: SessionView;
  readonly onClose: () => void;
}

/** The messages of an item as they crossed the wire. */
export function RawDialog({ item, session, onClose }: RawDialogProps) {
  const view = useRef(session);
  const load = useCallback(() => view.current.rawOf(item), [item]);
  const { resource } = useResource(load);
  return (
    <Dialog title={`Events ${item.firstSeq} to ${item.lastSeq}`} open onOpenChange={onClose} wide>
      {resource.kind === 'loading' && <Loading what="the messages" />}
      {resource.kind === 'failed' && <ErrorNotice what="The messages could not be loaded" error={resource.error} />}
      {resource.kind === 'ready' && (
        <ol className="grid grid-cols-1 gap-3">
          {resource.value.map((event) => (
            <li key={event.seq}>
              <p className="mb-1 text-sm text-muted">
                {event.seq} · {event.kind} · from {event.source} · {new Date(event.at).toISOString()}
              </p>
              <CodeBlock label={`Event ${event.seq}`}>{JSON.stringify(event.message, undefined, 2)}</CodeBlock>
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}
