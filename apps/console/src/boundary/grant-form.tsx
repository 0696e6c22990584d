import type { NewSession } from '@reeve/client';
import type { BoundaryAccess, BoundaryInfo } from '@reeve/protocol';
import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { RiskBadges } from './risk-badges.tsx';
import { type PreviewState, usePreview } from './use-preview.ts';

interface Grant {
  readonly path: string;
  readonly access: BoundaryAccess;
  readonly server?: string;
}

interface GrantFormProps {
  readonly boundary: BoundaryInfo;
  readonly busy: boolean;
  readonly onGrant: (grant: Grant) => void;
}

/** Gives the session, or one of its servers, one more directory. */
export function GrantForm({ boundary, busy, onGrant }: GrantFormProps) {
  const [path, setPath] = useState('');
  const [access, setAccess] = useState<BoundaryAccess>('ro');
  const [server, setServer] = useState('');
  const risk = riskIn(usePreview(placeWith(boundary, path.trim(), access)), boundary);
  return (
    <form
      className="rounded-lg border bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault();
        onGrant({ path: path.trim(), access, ...(server === '' ? {} : { server }) });
      }}
    >
      <Field label="Give one more directory" hint={risk}>
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
            <Button type="submit" busy={busy}>
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

function riskIn(state: PreviewState, { roots }: BoundaryInfo): ReactNode {
  if (state.kind !== 'ready') return undefined;
  const asked = state.preview.roots.find(({ path }) => path !== roots[0]?.path);
  return asked && <RiskBadges risks={asked.risks} highRisk={asked.highRisk} />;
}
