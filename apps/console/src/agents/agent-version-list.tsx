import type { AgentVersions } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { useNotices } from '../ui/notice-board.tsx';

interface AgentVersionListProps {
  readonly versions: AgentVersions;
  readonly onInstalled: () => void;
}

/** The versions of an agent, and a way to install another with its progress told. */
export function AgentVersionList({ versions, onInstalled }: AgentVersionListProps) {
  const reeve = useReeve();
  const notices = useNotices();
  const { busy, attempt } = useAttempt();
  const { agent, configured, installed, available, problem } = versions;
  const [version, setVersion] = useState(available[0] ?? 'latest');
  const [progress, setProgress] = useState('');
  const install = (): void =>
    void attempt('install', 'It was not installed', async () => {
      const done = await reeve.agents.install(agent, {
        version,
        onProgress: ({ phase, detail }) => setProgress(`${phase}: ${detail}`),
      });
      notices.say(`Installed ${done.package} ${done.version}.`);
      setProgress('');
      onInstalled();
    });
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
          <Button small busy={busy !== undefined} onClick={install}>
            Install
          </Button>
          <span role="status" className="text-muted wrap-anywhere">
            {visibleText(progress)}
          </span>
        </div>
      )}
    </div>
  );
}
