import { X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { visibleText } from '../hostile/visible-text.ts';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';
import { nextStep } from './next-step.ts';

interface Notice {
  readonly id: number;
  readonly tone: 'said' | 'failed';
  readonly text: string;
}

export interface Notices {
  /** Tells what was done; it goes by itself. */
  say(text: string): void;
  /** Tells what went wrong; it stays until it is closed. */
  fail(what: string, error: unknown): void;
}

const NoticeContext = createContext<Notices | undefined>(undefined);
const SAID_MS = 6000;
let nextId = 1;

/** Where it is told what came of what somebody did; on a phone at the top, away from the buttons that decide. */
export function NoticeBoard({ children }: { readonly children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const remove = useCallback((id: number) => setNotices((now) => now.filter((notice) => notice.id !== id)), []);
  const board = useMemo<Notices>(() => {
    const add = (tone: Notice['tone'], text: string): number => {
      const id = nextId++;
      setNotices((now) => [...now.slice(-3), { id, tone, text }]);
      return id;
    };
    return {
      say: (text) => {
        const id = add('said', text);
        setTimeout(() => remove(id), SAID_MS);
      },
      fail: (what, error) => {
        const next = nextStep(error);
        add(
          'failed',
          `${what}: ${error instanceof Error ? error.message : String(error)}.${next === undefined ? '' : ` ${next}`}`,
        );
      },
    };
  }, [remove]);
  return (
    <NoticeContext value={board}>
      {children}
      <div
        aria-live="polite"
        className="pointer-events-none fixed inset-x-0 top-0 z-50 grid justify-items-center gap-2 p-3 md:top-auto md:bottom-2"
      >
        {notices.map(({ id, tone, text }) => (
          <div
            key={id}
            className={classNames(
              'pointer-events-auto flex max-w-xl items-start gap-2 rounded-md border bg-raised py-1.5 pr-1.5 pl-3 text-sm shadow-pop',
              tone === 'failed' && 'border-danger text-danger',
            )}
          >
            <p className="py-1.5 wrap-anywhere">{visibleText(text)}</p>
            <IconButton icon={X} label="Close this notice" onClick={() => remove(id)} />
          </div>
        ))}
      </div>
    </NoticeContext>
  );
}

export function useNotices(): Notices {
  const board = useContext(NoticeContext);
  if (!board) throw new Error('useNotices needs a NoticeBoard above it');
  return board;
}
