import { exactText } from '../hostile/visible-text.ts';
import { classNames } from './class-names.ts';

/** A piece of code, a path, a name: shown exactly, with all that cannot be seen marked. */
export function Code({ children, className }: { readonly children: string; readonly className?: string }) {
  return (
    <code className={classNames('rounded-sm bg-sunken px-1 py-0.5 font-mono text-[0.86em] wrap-anywhere', className)}>
      <bdi dir="ltr">{exactText(children)}</bdi>
    </code>
  );
}
