import { X } from 'lucide-react';
import { IconButton } from '../ui/icon-button.tsx';
import type { AttachedFile } from './read-files.ts';

interface AttachedFilesProps {
  readonly files: readonly AttachedFile[];
  readonly onRemove: (file: AttachedFile) => void;
}

/** What goes with the next prompt. */
export function AttachedFiles({ files, onRemove }: AttachedFilesProps) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Attached files" className="flex flex-wrap gap-1.5 text-sm">
      {files.map((file, index) => (
        <li key={index} className="flex items-center gap-1 rounded-md border pl-2">
          {file.name} <span className="text-muted">{Math.ceil(file.bytes / 1024)} KiB</span>
          <IconButton icon={X} label={`Remove ${file.name}`} className="size-7" onClick={() => onRemove(file)} />
        </li>
      ))}
    </ul>
  );
}
