import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The word on the button that does it. */
  readonly verb: string;
  /** That on the button that leaves all as it is. */
  readonly keep?: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** The dialog closes when it settles. */
  readonly onConfirm: () => Promise<void>;
}

/** Asks before what cannot be taken back. */
export function ConfirmDialog({
  title,
  children,
  verb,
  keep = 'Keep it',
  open,
  onOpenChange,
  onConfirm,
}: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    await onConfirm().finally(() => setBusy(false));
    onOpenChange(false);
  };
  return (
    <Dialog title={title} open={open} onOpenChange={onOpenChange}>
      <div>{children}</div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={() => onOpenChange(false)}>{keep}</Button>
        <Button kind="danger" busy={busy} onClick={() => void confirm()}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
