import type { SessionView } from '@reeve/client';
import { FolderLock, Hash } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { EnforcementBadge } from '../boundary/enforcement-badge.tsx';
import { exactText, visibleText } from '../hostile/visible-text.ts';
import { SessionMenu } from '../sessions/session-menu.tsx';
import { StateBadge } from '../sessions/state-badge.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { AttachedClients } from './attached-clients.tsx';
import { JumpDialog } from './jump-dialog.tsx';
import { SessionChoices } from './session-choices.tsx';

interface SessionHeaderProps {
  readonly title: string;
  readonly session: SessionView;
  readonly onJump: (seq: number) => void;
}

/** What session this is, how it stands, who looks at it, and what can be changed. */
export function SessionHeader({ title, session, onJump }: SessionHeaderProps) {
  const { info } = session;
  const [jumping, setJumping] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-surface px-3 py-2 sm:px-4">
      <div className="min-w-0 flex-1 basis-56">
        <h1 ref={heading} tabIndex={-1} className="truncate text-lg outline-none">
          {title}
        </h1>
        {info && (
          <p className="flex min-w-0 items-center gap-2 text-sm text-muted">
            <span className="shrink-0">{visibleText(info.agent)}</span>
            <span className="truncate font-mono text-xs leading-5" dir="ltr">
              {exactText(info.cwd)}
            </span>
          </p>
        )}
      </div>
      {info && (
        <div className="flex flex-wrap items-center gap-1.5">
          <StateBadge session={info} />
          <EnforcementBadge enforcement={info.boundary?.enforcement.agent ?? info.enforcement} />
          <AttachedClients clients={info.clients ?? []} />
          <SessionChoices session={session} />
          <Link
            href={`/boundaries/${encodeURIComponent(info.sessionId)}`}
            className="inline-grid size-8 place-items-center rounded-md text-muted hover:bg-sunken hover:text-ink"
            aria-label="Boundary of this session"
            title="Boundary of this session"
          >
            <FolderLock aria-hidden className="size-4" />
          </Link>
          <IconButton icon={Hash} label="Jump to an event" onClick={() => setJumping(true)} />
          <SessionMenu session={info} />
        </div>
      )}
      {jumping && (
        <JumpDialog
          lastSeq={session.timeline.lastSeq}
          onClose={() => setJumping(false)}
          onJump={(seq) => {
            setJumping(false);
            onJump(seq);
          }}
        />
      )}
    </header>
  );
}
