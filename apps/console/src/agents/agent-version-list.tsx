import type { AgentVersions } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useState } from 'react';
import { visibleText } from '../hostile/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useNotices } from '../ui/notice-board.tsx';

interface AgentVersionListProps {
  readonly versions: AgentVersions;
  readonly onInstalled: () => void;
}

type Installation =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly progress: string }
  | { readonly kind: 'done'; readonly version: string }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The versions of an agent, and a way to install another with its progress told. */
export function AgentVersionList({ versions, onInstalled }: AgentVersionListProps) {
  const reeve = useReeve();
  const notices = useNotices();
  const { agent, configured, installed, available, problem } = versions;
  const [version, setVersion] = useState(available[0] ?? 'latest');
  const [installation, setInstallation] = useState<Installation>({ kind: 'none' });
  const install = async (): Promise<void> => {
    setInstallation({ kind: 'running', progress: '' });
    try {
      const done = await reeve.agents.install(agent, {
        version,
        onProgress: ({ phase, detail }) => setInstallation({ kind: 'running', progress: `${phase}: ${detail}` }),
      });
      notices.say(`Installed ${done.package} ${done.version}.`);
      setInstallation({ kind: 'done', version: done.version });
      onInstalled();
    } catch (error) {
      setInstallation({ kind: 'failed', error });
    }
  };
  return (
    <div className="grid grid-cols-1 gap-2 text-sm">
      <p>
        Configured: {configured ? visibleText(configured) : 'not known'} · Installed beside it:{' '}
        {installed.map((entry) => entry.version).join(', ') || 'none'}
      </p>
      {problem && <p className="text-warn wrap-anywhere">{visibleText(problem)}</p>}
      {versions.package && (
        <div className="flex flex-wrap items-center gap-2">
          <label className="flex items-center gap-2">
            Version
            <select className="input" value={version} onChange={({ target }) => setVersion(target.value)}>
              {(available.length === 0 ? ['latest'] : available).map((entry) => (
                <option key={entry}>{entry}</option>
              ))}
            </select>
          </label>
          <Button
            small
            busy={installation.kind === 'running'}
            aria-label={`Install ${agent}`}
            onClick={() => void install()}
          >
            Install
          </Button>
          <span role="status" className="text-muted wrap-anywhere">
            {statusOf(installation)}
          </span>
        </div>
      )}
      {installation.kind === 'failed' && <ErrorNotice what="It was not installed" error={installation.error} />}
    </div>
  );
}

function statusOf(installation: Installation): string {
  switch (installation.kind) {
    case 'running':
      return visibleText(installation.progress || 'asked for …');
    case 'done':
      return `Version ${visibleText(installation.version)} is installed.`;
    default:
      return '';
  }
}
