import type { BoundaryPreview } from '@reeve/client';
import { LevelBadge } from '../boundary/enforcement-badge.tsx';
import { networkText } from '../boundary/network-text.ts';
import { RiskBadges } from '../boundary/risk-badges.tsx';
import { type PreviewState, previewIn } from '../boundary/use-preview.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Badge } from '../ui/badge.tsx';
import { Code } from '../ui/code.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { FileBadge } from '../ui/file-badge.tsx';

interface BoundaryPreviewProps {
  readonly state: PreviewState;
  /** The configuration has workspaces, so that a directory in none is worth a word. */
  readonly hasWorkspaces: boolean;
}

/** What the session will be able to touch, as the server tells it before anything starts. */
export function BoundaryPreviewPanel({ state, hasWorkspaces }: BoundaryPreviewProps) {
  const preview = previewIn(state);
  return (
    <section
      aria-label="What it may touch"
      aria-busy={state.kind === 'asking'}
      className="grid grid-cols-1 gap-2 rounded-md border bg-sunken p-3 text-sm aria-busy:opacity-60"
    >
      <h3 className="font-medium">What it may touch</h3>
      {state.kind === 'none' && <p className="text-muted">Name a directory, from /, to see it here.</p>}
      {state.kind === 'asking' && !preview && <p className="text-muted">Asking the server …</p>}
      {state.kind === 'failed' && <ErrorNotice what="The server cannot tell" error={state.error} />}
      {preview && state.kind !== 'failed' && <Told preview={preview} hasWorkspaces={hasWorkspaces} />}
    </section>
  );
}

function Told({ preview, hasWorkspaces }: { readonly preview: BoundaryPreview; readonly hasWorkspaces: boolean }) {
  const { roots, network, enforcement, ungoverned, issues, refusal, notes } = preview;
  // The working directory and the first root are one, and so is what is wrong with them, though a root may be a file too.
  const different = issues.filter(
    ({ received, fix }, at) => issues.findIndex((one) => one.received === received && one.fix === fix) === at,
  );
  const obstacles = new Set(
    different.map(({ expected, received, fix }) => `${received} instead of ${expected}: ${fix}`),
  );
  if (refusal !== undefined) obstacles.add(refusal);
  return (
    <>
      <ul aria-live="polite" className="grid grid-cols-1 gap-1">
        {roots.map(({ path, access, kind, risks, highRisk, workspace, why }) => (
          <li key={path} className="flex flex-wrap items-center gap-2">
            <Code>{path}</Code>
            <AccessBadge access={access} />
            <FileBadge kind={kind} />
            <RiskBadges risks={risks} highRisk={highRisk} />
            {hasWorkspaces && workspace === undefined && <Badge tone="warn">in no workspace</Badge>}
            {why && <span className="basis-full text-muted">{visibleText(why)}</span>}
          </li>
        ))}
      </ul>
      {network && <p className="text-muted">Network: {networkText(network)}</p>}
      <details>
        <summary className="text-muted">
          Files: <LevelBadge level={enforcement.files} />
          {enforcement.backend === 'none' ? '' : ` by ${enforcement.backend}`}
          {enforcement.gaps.length > 0 && ', with gaps'}
        </summary>
        <ul className="list-disc pl-5 text-muted">
          {enforcement.gaps.length === 0 && <li>Nothing that is known is left open.</li>}
          {enforcement.gaps.map((gap) => (
            <li key={gap}>{visibleText(gap)}</li>
          ))}
        </ul>
      </details>
      {obstacles.size > 0 && (
        <div role="status" className="rounded-md border border-danger bg-danger-soft p-2">
          <p className="font-medium text-danger">So it cannot be started</p>
          <ul className="grid grid-cols-1 gap-1">
            {[...obstacles].map((obstacle) => (
              <li key={obstacle} className="wrap-anywhere">
                {visibleText(obstacle)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {ungoverned.map(({ name, from }) => (
        <p key={`${name} ${from}`} className="wrap-anywhere">
          <Badge tone="danger">past Reeve</Badge> The agent starts the MCP server <Code>{name}</Code> by itself, as{' '}
          <Code>{from}</Code> says.
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} className="text-muted wrap-anywhere">
          {visibleText(note)}
        </p>
      ))}
    </>
  );
}
