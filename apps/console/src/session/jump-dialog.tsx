import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';

interface JumpDialogProps {
  readonly lastSeq: number;
  readonly onJump: (seq: number) => void;
  readonly onClose: () => void;
}

/** Asks for the number of an event. */
export function JumpDialog({ lastSeq, onJump, onClose }: JumpDialogProps) {
  const [seq, setSeq] = useState('');
  return (
    <Dialog title="Jump to an event" open onOpenChange={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onJump(Number(seq));
        }}
      >
        <Field label="Number of the event" hint={`From 1 to ${lastSeq}; every item’s raw messages have theirs.`}>
          {(wiring) => (
            <input
              {...wiring}
              type="number"
              min={1}
              max={lastSeq}
              step={1}
              required
              className="input w-full"
              value={seq}
              onChange={({ target }) => setSeq(target.value)}
            />
          )}
        </Field>
        <div className="mt-4 flex justify-end">
          <Button kind="primary" type="submit">
            Jump
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
