import { useReeve } from '@reeve/client/react';
import type { WorkspaceInfo } from '@reeve/protocol';
import { ArrowUp, Folder } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import { useResource } from '../data/use-resource.ts';
import { exactText } from '../hostile/visible-text.ts';
import { Code } from '../ui/code.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';

interface WorkspacePlaceProps {
  readonly workspace: WorkspaceInfo;
  /** Where work happens; undefined for its first root. */
  readonly cwd: string | undefined;
  readonly onChange: (cwd: string | undefined) => void;
}

/** Where in a workspace the agent works: one goes down its directories, and nowhere else. */
export function WorkspacePlace({ workspace, cwd, onChange }: WorkspacePlaceProps) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="text-sm">
      <summary className="flex min-h-6 flex-wrap items-center gap-2">
        <span className="font-medium">Works in</span> <Code>{cwd ?? workspace.roots[0]?.path ?? ''}</Code>
        <span className="text-muted underline underline-offset-2">{open ? 'enough' : 'choose'}</span>
      </summary>
      {open && <Directories workspace={workspace.name} path={cwd} onChange={onChange} />}
    </details>
  );
}

interface DirectoriesProps {
  readonly workspace: string;
  readonly path: string | undefined;
  readonly onChange: (path: string | undefined) => void;
}

function Directories({ workspace, path, onChange }: DirectoriesProps) {
  const reeve = useReeve();
  const list = useRef<HTMLUListElement>(null);
  const choose = (next: string | undefined): void => {
    // The button that was pressed goes with its list.
    list.current?.focus();
    onChange(next);
  };
  const { resource: roots } = useResource(
    useCallback(() => reeve.workspaces.directories(workspace), [reeve, workspace]),
  );
  const { resource } = useResource(
    useCallback(() => reeve.workspaces.directories(workspace, path), [reeve, workspace, path]),
  );
  if (resource.kind === 'loading') return <Loading what="the directories" />;
  if (resource.kind === 'failed')
    return <ErrorNotice what="The directories could not be listed" error={resource.error} />;
  const { directories, cut, path: here } = resource.value;
  const isRoot = roots.kind !== 'ready' || roots.value.directories.some((root) => root.path === here);
  return (
    <ul ref={list} tabIndex={-1} aria-label="Directories" className="mt-1 max-h-48 overflow-y-auto rounded-md border">
      {here !== undefined && (
        <li>
          <button
            type="button"
            className="flex min-h-8 w-full items-center gap-2 px-2 text-left hover:bg-sunken"
            onClick={() => choose(isRoot ? undefined : here.replace(/\/[^/]+$/, ''))}
          >
            <ArrowUp aria-hidden className="size-4 shrink-0" /> {isRoot ? 'All roots of the workspace' : 'Up'}
          </button>
        </li>
      )}
      {directories.map(({ name, path: below }) => (
        <li key={below}>
          <button
            type="button"
            className="flex min-h-8 w-full items-center gap-2 px-2 text-left wrap-anywhere hover:bg-sunken"
            onClick={() => choose(below)}
          >
            <Folder aria-hidden className="size-4 shrink-0" /> {exactText(name)}
          </button>
        </li>
      ))}
      {directories.length === 0 && <li className="px-2 py-1 text-muted">No directory lies in it.</li>}
      {cut && <li className="px-2 py-1 text-muted">There are more than can be listed here.</li>}
    </ul>
  );
}
