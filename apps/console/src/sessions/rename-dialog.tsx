import type { SessionInfo } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';

/** Gives a session another title. */
export function RenameDialog({ session, onClose }: { readonly session: SessionInfo; readonly onClose: () => void }) {
  const reeve = useReeve();
  const [title, setTitle] = useState(session.title ?? '');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await reeve.sessions.setMetadata(session.sessionId, { title: title.trim() || null });
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Rename" open onOpenChange={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Title" problem={problem}>
          {(wiring) => (
            <input
              {...wiring}
              className="input w-full"
              maxLength={1000}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <div className="mt-4 flex justify-end">
          <Button kind="primary" type="submit" busy={busy}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
