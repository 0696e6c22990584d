import type { ThoughtItem } from '@reeve/client';
import { ContentBlockView } from '../../content/content-block-view.tsx';

/** What the agent thought, folded. */
export function ThoughtFold({ item }: { readonly item: ThoughtItem }) {
  return (
    <details className="text-sm text-muted">
      <summary>Thought</summary>
      <div className="mt-1 border-l-2 pl-3">
        {item.blocks.map((block, index) => (
          <ContentBlockView key={index} block={block} />
        ))}
      </div>
    </details>
  );
}
