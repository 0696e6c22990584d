import type { ButtonHTMLAttributes } from 'react';
import { classNames } from './class-names.ts';

export type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
  readonly small?: boolean;
  /** Its words may be long, as those of others are: they go on in lines below. */
  readonly wraps?: boolean;
  /** Under way: it stays where it is, keeps the focus, and does nothing. */
  readonly busy?: boolean;
}

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'border-transparent bg-accent text-on-accent hover:opacity-90',
  plain: 'border-edge bg-raised hover:bg-sunken',
  danger: 'border-danger bg-raised text-danger hover:bg-danger-soft',
  quiet: 'border-transparent hover:bg-sunken',
};

export function Button({
  kind = 'plain',
  small,
  wraps,
  busy,
  className,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
      className={classNames(
        'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium transition-colors',
        wraps ? 'max-w-full py-1 text-left wrap-anywhere' : 'whitespace-nowrap',
        small ? 'min-h-7 px-2 text-sm' : 'min-h-9 px-3.5',
        KINDS[kind],
        'disabled:opacity-50 aria-busy:opacity-60',
        className,
      )}
    />
  );
}
