import { exactText } from '../hostile/visible-text.ts';
import { classNames } from '../ui/class-names.ts';
import type { DiffPart } from './fold-lines.ts';
import type { DiffLine } from './line-diff.ts';

interface Pair {
  readonly left: DiffLine | undefined;
  readonly right: DiffLine | undefined;
}

/** A comparison in two columns: what was, and what will be. */
export function SplitLines({ parts }: { readonly parts: readonly DiffPart[] }) {
  return (
    <table className="w-full table-fixed border-collapse" dir="ltr">
      <colgroup>
        <col className="w-10" />
        <col />
        <col className="w-10" />
        <col />
      </colgroup>
      <tbody>
        {parts.map((part, index) =>
          part.kind === 'folded' ? (
            <tr key={index} className="bg-sunken text-muted">
              <td colSpan={4} className="px-3 py-0.5 font-sans text-xs">
                {part.count} unchanged {part.count === 1 ? 'line' : 'lines'}
              </td>
            </tr>
          ) : (
            pairs(part.lines).map(({ left, right }, row) => (
              <tr key={`${index}/${row}`}>
                <Half line={left} changed="bg-danger-soft" />
                <Half line={right} changed="bg-ok-soft" />
              </tr>
            ))
          ),
        )}
      </tbody>
    </table>
  );
}

function Half({ line, changed }: { readonly line: DiffLine | undefined; readonly changed: string }) {
  const tone = line === undefined ? 'bg-sunken' : line.kind === 'same' ? '' : changed;
  return (
    <>
      <td className={classNames('px-1 text-right align-top text-xs text-muted select-none', tone)}>
        {line && (line.kind === 'added' ? line.after : line.before)}
      </td>
      <td className={classNames('px-1 align-top whitespace-pre-wrap wrap-anywhere', tone)}>
        {line && exactText(line.text)}
      </td>
    </>
  );
}

/** Removed lines beside the lines that stand in their place. */
function pairs(lines: readonly DiffLine[]): readonly Pair[] {
  const rows: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      rows.push({ left: removed[at], right: added[at] });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}
