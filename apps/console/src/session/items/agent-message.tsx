import type { AgentMessageItem } from '@reeve/client';
import { ContentBlockView } from '../../content/content-block-view.tsx';

interface AgentMessageProps {
  readonly item: AgentMessageItem;
  /** The part of a long message that this row shows. */
  readonly piece: string | undefined;
}

/** What the agent said. */
export function AgentMessage({ item, piece }: AgentMessageProps) {
  const blocks = piece === undefined ? item.blocks : [{ type: 'text', text: piece }];
  return (
    <article aria-label="Agent" className="grid grid-cols-1 gap-2">
      {blocks.map((block, index) => (
        <ContentBlockView key={index} block={block} />
      ))}
    </article>
  );
}
