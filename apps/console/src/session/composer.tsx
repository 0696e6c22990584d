import type { SessionView } from '@reeve/client';
import { Paperclip, Send, Square } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useNotices } from '../ui/notice-board.tsx';
import { AttachedFiles } from './attached-files.tsx';
import { CommandHints } from './command-hints.tsx';
import { QueuedPrompts } from './queued-prompts.tsx';
import { type AttachedFile, readFiles } from './read-files.ts';
import { takenBackText, withTakenBack } from './taken-back.ts';
import { useDraft } from './use-draft.ts';
import { useQueuedPrompts } from './use-queued-prompts.ts';

/** Where the next prompt is written. While a turn runs it is queued behind it. */
export function Composer({ id, session }: { readonly id: string; readonly session: SessionView }) {
  const notices = useNotices();
  const [text, setText] = useDraft(id);
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const queue = useQueuedPrompts(session);
  const [takenBack, setTakenBack] = useState('');
  const { running } = session.timeline;

  const attach = async (list: readonly File[]): Promise<void> => {
    const { read, refused } = await readFiles(list);
    setFiles((now) => [...now, ...read]);
    for (const reason of refused) notices.say(reason);
  };
  const send = (): void => {
    if (text.trim() === '') {
      if (files.length > 0) notices.say('Say what is to be done with the files.');
      return;
    }
    const restore = (error: unknown): void => {
      setText((now) => (now === '' ? text : now));
      setFiles((now) => (now.length === 0 ? files : now));
      notices.fail('The prompt was not taken', error);
    };
    queue.send(text, files).catch(restore);
    setText('');
    setTakenBack('');
    setFiles([]);
  };
  const cancel = async (): Promise<void> => {
    try {
      const dropped = await queue.cancel();
      if (dropped.length === 0) return;
      setText((now) => withTakenBack(now, dropped));
      setFiles((now) => [...now, ...dropped.flatMap((prompt) => prompt.files)]);
      setTakenBack(takenBackText(dropped));
    } catch (error) {
      notices.fail('It could not be cancelled', error);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className="grid grid-cols-1 gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <QueuedPrompts prompts={queue.waiting} />
      <p role="status" className="text-sm text-muted empty:hidden">
        {takenBack}
      </p>
      <CommandHints
        commands={session.timeline.commands ?? []}
        text={text}
        onChoose={(name) => {
          setText(`/${name} `);
          field.current?.focus();
        }}
      />
      <AttachedFiles files={files} onRemove={(file) => setFiles(files.filter((other) => other !== file))} />
      <div className="flex items-end gap-1.5">
        <label className="min-w-0 flex-1">
          <span className="sr-only">Prompt</span>
          <textarea
            ref={field}
            className="input block field-sizing-content max-h-48 w-full resize-none"
            rows={1}
            placeholder={running ? 'Say what comes next; it is queued' : 'Say what is to be done'}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              if (event.clipboardData.files.length === 0) return;
              event.preventDefault();
              void attach([...event.clipboardData.files]);
            }}
          />
        </label>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={({ target }) => {
            void attach([...(target.files ?? [])]);
            target.value = '';
          }}
        />
        <IconButton icon={Paperclip} label="Attach files" className="size-9" onClick={() => picker.current?.click()} />
        {(running || queue.waiting.length > 0) && (
          <Button
            kind="danger"
            title={queue.waiting.length > 0 ? 'Ends the turn, and takes back what is queued' : 'Ends the turn'}
            onClick={() => void cancel()}
          >
            <Square aria-hidden className="size-3.5" /> <span className="max-sm:sr-only">Cancel</span>
          </Button>
        )}
        <Button kind="primary" type="submit" aria-label={running ? 'Queue the prompt' : 'Send the prompt'}>
          <Send aria-hidden className="size-4" />
        </Button>
      </div>
    </form>
  );
}
