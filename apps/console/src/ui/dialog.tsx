import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

/**
 * A dialog over the page. Its backdrop is our own: Radix's overlay writes a style element, which the page's policy forbids.
 */
export function Dialog({ title, open, onOpenChange, children, wide }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <div className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          className={classNames(
            'fixed inset-x-0 bottom-0 z-40 mx-auto flex max-h-[92dvh] w-full flex-col rounded-t-lg bg-surface shadow-pop outline-none',
            'sm:top-[6dvh] sm:bottom-auto sm:max-h-[88dvh] sm:rounded-lg',
            wide ? 'sm:max-w-4xl' : 'sm:max-w-xl',
          )}
        >
          <header className="flex items-center justify-between gap-2 border-b py-2 pr-2 pl-4">
            <Radix.Title className="text-lg">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon={X} label="Close" />
            </Radix.Close>
          </header>
          <div className="overflow-y-auto p-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
