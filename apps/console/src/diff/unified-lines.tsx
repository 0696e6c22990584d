import { exactText } from '../hostile/visible-text.ts';
import type { DiffPart } from './fold-lines.ts';
import type { DiffLine } from './line-diff.ts';

const STYLE: Readonly<Record<DiffLine['kind'], string>> = {
  same: '',
  added: 'bg-ok-soft',
  removed: 'bg-danger-soft',
};
const SIGN: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '−' };

/** A comparison in one column. */
export function UnifiedLines({ parts }: { readonly parts: readonly DiffPart[] }) {
  return (
    <table className="w-full border-collapse" dir="ltr">
      <tbody>
        {parts.map((part, index) =>
          part.kind === 'folded' ? (
            <tr key={index} className="bg-sunken text-muted">
              <td colSpan={3} className="px-3 py-0.5 font-sans text-xs">
                {part.count} unchanged {part.count === 1 ? 'line' : 'lines'}
              </td>
            </tr>
          ) : (
            part.lines.map((line) => (
              <tr key={keyOf(line)} className={STYLE[line.kind]}>
                <td className="w-px px-2 text-right text-xs text-muted select-none">
                  {line.kind === 'added' ? line.after : line.before}
                </td>
                <td className="w-px px-1 select-none">{SIGN[line.kind]}</td>
                <td className="pr-3 whitespace-pre-wrap wrap-anywhere">{exactText(line.text)}</td>
              </tr>
            ))
          ),
        )}
      </tbody>
    </table>
  );
}

/** Unique within a comparison. */
export function keyOf(line: DiffLine): string {
  return line.kind === 'added' ? `+${line.after}` : `-${line.before}`;
}
