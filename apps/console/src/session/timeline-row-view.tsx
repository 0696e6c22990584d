import type { TimelineItem } from '@reeve/client';
import { Braces } from 'lucide-react';
import { memo } from 'react';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ItemView } from './items/item-view.tsx';
import type { TimelineRow } from './timeline-rows.ts';

interface TimelineRowViewProps {
  readonly row: TimelineRow;
  /** Somebody jumped to it. */
  readonly marked: boolean;
  readonly onRaw: (item: TimelineItem) => void;
  readonly sessionId: string;
}

/** A row of the timeline, with the way to the messages that made it. */
export const TimelineRowView = memo(function TimelineRowView({ row, marked, onRaw, sessionId }: TimelineRowViewProps) {
  return (
    <div
      data-seq={row.item.firstSeq}
      className={classNames(
        'group flex items-start gap-1 py-1.5 pr-1 pl-3 sm:pr-2 sm:pl-4',
        marked && 'bg-accent-soft',
        !row.first && 'pt-0',
      )}
    >
      <div className="min-w-0 flex-1">
        <ItemView row={row} sessionId={sessionId} />
      </div>
      {row.first && (
        <IconButton
          icon={Braces}
          label={`Raw messages of event ${row.item.firstSeq}`}
          onClick={() => onRaw(row.item)}
          className="size-7 opacity-45 group-hover:opacity-100 focus-visible:opacity-100"
        />
      )}
    </div>
  );
});
