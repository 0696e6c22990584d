import type { UserMessageItem } from '@reeve/client';
import { ContentBlockView } from '../../content/content-block-view.tsx';

/** What somebody said to the agent. */
export function UserMessage({ item }: { readonly item: UserMessageItem }) {
  return (
    <article aria-label="Prompt" className="mt-2 ml-auto w-fit max-w-[92%] rounded-lg bg-accent-soft px-3 py-2">
      {item.blocks.map((block, index) => (
        <ContentBlockView key={index} block={block} plain />
      ))}
    </article>
  );
}
