import type { SessionInfo } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { EllipsisVertical, GitFork, Pencil, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { visibleText } from '../hostile/visible-text.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { useNotices } from '../ui/notice-board.tsx';
import { RenameDialog } from './rename-dialog.tsx';

/** What can be done with a session: rename, fork, close, delete. */
export function SessionMenu({ session }: { readonly session: SessionInfo }) {
  const reeve = useReeve();
  const notices = useNotices();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'none' | 'rename' | 'remove'>('none');
  const { sessionId } = session;
  const name = visibleText(session.title ?? `Session ${sessionId.slice(0, 8)}`);

  const attempt = async (what: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      notices.fail(what, error);
    }
  };
  const close = (): Promise<void> =>
    attempt('The session could not be closed', async () => {
      await reeve.sessions.close(sessionId);
      notices.say('Closed. Its log stays; the next prompt opens it again.');
    });
  const fork = (): Promise<void> =>
    attempt('The session could not be forked', async () => {
      const { session: made } = await reeve.sessions.fork(sessionId);
      navigate(`/sessions/${encodeURIComponent(made.sessionId)}`);
    });
  const remove = (): Promise<void> =>
    attempt('The session could not be deleted', async () => {
      await reeve.sessions.remove(sessionId);
      notices.say('Deleted.');
      navigate('/sessions');
    });

  return (
    <>
      <Menu trigger={<IconButton icon={EllipsisVertical} label={`More for ${name}`} />}>
        <MenuItem onSelect={() => setOpen('rename')}>
          <Pencil aria-hidden className="size-4" /> Rename
        </MenuItem>
        <MenuItem onSelect={() => void fork()}>
          <GitFork aria-hidden className="size-4" /> Fork
        </MenuItem>
        <MenuItem onSelect={() => void close()}>
          <Power aria-hidden className="size-4" /> Close
        </MenuItem>
        <MenuItem danger onSelect={() => setOpen('remove')}>
          <Trash2 aria-hidden className="size-4" /> Delete
        </MenuItem>
      </Menu>
      {open === 'rename' && <RenameDialog session={session} onClose={() => setOpen('none')} />}
      <ConfirmDialog
        title="Delete this session?"
        verb="Delete"
        open={open === 'remove'}
        onOpenChange={(now) => setOpen(now ? 'remove' : 'none')}
        onConfirm={remove}
      >
        <p>“{name}” and its whole log are removed. This cannot be taken back.</p>
      </ConfirmDialog>
    </>
  );
}
