import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, memo, type ReactNode, useMemo } from 'react';
import { OutsideLink } from '../hostile/outside-link.tsx';

/**
 * Markdown of an agent as elements of ours: there is no way from its text to HTML. Raw HTML in it is shown as the text that it is,
 * pictures are links, since loading one would tell others that somebody looks.
 */
function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => lexer(text, { gfm: true }), [text]);
  return <div className="prose">{tokens.map(block)}</div>;
}

/** Drawn again only when its text changes: a message that grows is drawn in pieces, and all but the last stay. */
export default memo(Markdown);

function block(token: Token, key: number): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading key={key} token={token as Tokens.Heading} />;
    case 'paragraph':
      return <p key={key}>{inline(token.tokens)}</p>;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard (WCAG 2.1.1)
        <pre key={key} tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote key={key}>{token.tokens?.map(block)}</blockquote>;
    case 'list':
      return <List key={key} token={token as Tokens.List} />;
    case 'table':
      return <Table key={key} token={token as Tokens.Table} />;
    case 'hr':
      return <hr key={key} />;
    case 'space':
    case 'def':
      return null;
    case 'text':
      return token.tokens ? (
        <Fragment key={key}>{inline(token.tokens)}</Fragment>
      ) : (
        <Fragment key={key}>{plain(token)}</Fragment>
      );
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

/** A heading of a message is none of the page: whoever goes through a page by its headings finds the page's own. */
function Heading({ token }: { readonly token: Tokens.Heading }) {
  return <p className={token.depth === 1 ? 'heading heading-first' : 'heading'}>{inline(token.tokens)}</p>;
}

function List({ token }: { readonly token: Tokens.List }) {
  const items = token.items.map((item, index) => (
    <li key={index}>
      {item.task && <span>{item.checked ? '☑ ' : '☐ '}</span>}
      {item.tokens.filter(({ type }) => type !== 'checkbox').map(block)}
    </li>
  ));
  if (!token.ordered) return <ul>{items}</ul>;
  return <ol start={typeof token.start === 'number' ? token.start : 1}>{items}</ol>;
}

function Table({ token }: { readonly token: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard (WCAG 2.1.1)
    <table tabIndex={0}>
      <thead>
        <tr>
          {token.header.map((cell, index) => (
            <th key={index}>{inline(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inline(tokens: readonly Token[] | undefined): ReactNode {
  return (tokens ?? []).map((token, key) => {
    switch (token.type) {
      case 'strong':
        return <strong key={key}>{inline(token.tokens)}</strong>;
      case 'em':
        return <em key={key}>{inline(token.tokens)}</em>;
      case 'del':
        return <del key={key}>{inline(token.tokens)}</del>;
      case 'codespan':
        return <code key={key}>{token.text}</code>;
      case 'br':
        return <br key={key} />;
      case 'link':
      case 'image':
        return (
          <OutsideLink key={key} href={String(token.href)}>
            {token.type === 'image' ? `picture: ${token.text || 'without words'}` : plainText(token)}
          </OutsideLink>
        );
      default:
        return <Fragment key={key}>{plain(token)}</Fragment>;
    }
  });
}

/** A link's own words without what is in them: a link in a link, or a picture, would hide where it leads. */
function plainText(token: Token): string {
  return 'text' in token ? String(token.text) : token.raw;
}

/** Text as it was written: nothing in it is markup any more. */
function plain(token: Token): string {
  return token.type === 'text' || token.type === 'escape' ? String(token.text) : token.raw;
}
