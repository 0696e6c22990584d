import type { BoundaryPreview, NewSession } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import type { BoundaryAccess, BoundaryInfo } from '@reeve/protocol';
import { useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { FileBadge } from '../ui/file-badge.tsx';
import type { RiskyGrant } from './high-risk-dialog.tsx';
import { RiskBadges } from './risk-badges.tsx';
import { usePreview } from './use-preview.ts';

interface GrantFormProps {
  readonly boundary: BoundaryInfo;
  readonly busy: boolean;
  /** With what the server says of the directory, which is asked before. */
  readonly onGrant: (grant: RiskyGrant) => void;
}

/** Gives the session, or one of its servers, one more directory. */
export function GrantForm({ boundary, busy, onGrant }: GrantFormProps) {
  const [path, setPath] = useState('');
  const [access, setAccess] = useState<BoundaryAccess>('ro');
  const [server, setServer] = useState('');
  const reeve = useReeve();
  const { busy: asking, attempt } = useAttempt();
  const wanted = placeWith(boundary, path.trim(), access);
  const state = usePreview(wanted);
  const shown = state.kind === 'ready' ? rootIn(state.preview, boundary) : undefined;
  const give = (): Promise<void> =>
    attempt('ask', 'The server could not tell what that directory is', async () => {
      const preview = state.kind === 'ready' ? state.preview : wanted && (await reeve.boundaries.preview(wanted));
      const { risks = [], highRisk = false, why } = (preview && rootIn(preview, boundary)) ?? {};
      onGrant({ path: path.trim(), access, server: server === '' ? undefined : server, risks, highRisk, why });
    });
  return (
    <form
      className="rounded-lg border bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void give();
      }}
    >
      <Field
        label="Give one more directory"
        hint={
          shown && (
            <>
              <FileBadge kind={shown.kind} /> <RiskBadges risks={shown.risks} highRisk={shown.highRisk} />
            </>
          )
        }
      >
        {(wiring) => (
          <div className="flex flex-wrap gap-2">
            <input
              {...wiring}
              required
              className="input min-w-48 flex-1 font-mono"
              placeholder="/home/you/other-project"
              value={path}
              onChange={({ target }) => setPath(target.value)}
            />
            <select
              aria-label="Access"
              className="input"
              value={access}
              onChange={({ target }) => setAccess(target.value as BoundaryAccess)}
            >
              <option value="ro">read only</option>
              <option value="rw">read and write</option>
            </select>
            <select
              aria-label="To whom"
              className="input"
              value={server}
              onChange={({ target }) => setServer(target.value)}
            >
              <option value="">to the session</option>
              {boundary.servers.map(({ name }) => (
                <option key={name} value={name}>
                  to {name}
                </option>
              ))}
            </select>
            <Button type="submit" busy={busy || asking !== undefined}>
              Give
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}

/** A session like this one with the directory beside its first root, to learn of its risks. */
function placeWith({ roots }: BoundaryInfo, path: string, access: BoundaryAccess): NewSession | undefined {
  const [first] = roots;
  if (!first || !path.startsWith('/')) return undefined;
  return { cwd: first.path, metadata: { boundary: { roots: [first, { path, access }] } } };
}

/** The directory that was asked about, as the server knows it. */
function rootIn(preview: BoundaryPreview, { roots }: BoundaryInfo): BoundaryPreview['roots'][number] | undefined {
  return preview.roots.find(({ path }) => path !== roots[0]?.path);
}
