import type { JsonObject } from '@reeve/protocol';
import { lazy, Suspense } from 'react';
import { objectMember, readableJson, textMember } from '../data/json-members.ts';
import { OutsideLink } from '../hostile/outside-link.tsx';
import { visibleText } from '../hostile/visible-text.ts';
import { later } from '../later-files.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { PictureView } from './picture-view.tsx';

const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 30_000;

const loadMarkdown = later('markdown/markdown.tsx', () => import('../markdown/markdown.tsx'));

/** Tried until the server answers: what was said stands there as plain text for so long. */
const Markdown = lazy(async () => {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS)) {
    try {
      return await loadMarkdown();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
});

interface ContentBlockProps {
  /** An ACP content block. */
  readonly block: JsonObject;
  /** Text stands as it is, not as Markdown. */
  readonly plain?: boolean;
}

/** One content block of a message or a tool call. */
export function ContentBlockView({ block, plain }: ContentBlockProps) {
  switch (block.type) {
    case 'text': {
      const text = visibleText(String(block.text ?? ''));
      if (plain) return <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>;
      return (
        <Suspense fallback={<p className="whitespace-pre-wrap wrap-anywhere">{text}</p>}>
          <Markdown text={text} />
        </Suspense>
      );
    }
    case 'image':
      return <PictureView data={textMember(block, 'data') ?? ''} mimeType={textMember(block, 'mimeType') ?? ''} />;
    case 'resource_link':
      return (
        <p className="text-sm">
          <OutsideLink href={textMember(block, 'uri') ?? ''}>
            {visibleText(textMember(block, 'name') ?? 'a file')}
          </OutsideLink>
        </p>
      );
    case 'resource': {
      const resource = objectMember(block, 'resource');
      const uri = textMember(resource, 'uri') ?? 'a resource';
      return <CodeBlock label={uri}>{textMember(resource, 'text') ?? `${uri} (not text)`}</CodeBlock>;
    }
    default:
      return <CodeBlock label="Content">{readableJson(block)}</CodeBlock>;
  }
}
