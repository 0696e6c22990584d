import { useReeve } from '@reeve/client/react';
import type { GovernedServerInfo } from '@reeve/protocol';
import { useCallback } from 'react';
import { EnforcementFacts } from '../boundary/enforcement-facts.tsx';
import { RootList } from '../boundary/root-list.tsx';
import { useAttempt } from '../data/use-attempt.ts';
import { useResource } from '../data/use-resource.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { ReviewServerFacts } from '../inbox/review-server-facts.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { ServerStateBadge } from './server-state-badge.tsx';

interface ServerDialogProps {
  readonly server: GovernedServerInfo;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

/** All that is known of one MCP server, and the ways to approve, start and forget it. */
export function ServerDialog({ server, onClose, onChange }: ServerDialogProps) {
  const reeve = useReeve();
  const { sessionId, name } = server;
  const { resource, reload } = useResource(
    useCallback(() => reeve.servers.show(sessionId, name), [reeve, sessionId, name]),
  );
  const { busy, attempt } = useAttempt();
  const act = (what: string, failure: string, done: () => Promise<unknown>): void =>
    void attempt(what, failure, async () => {
      await done();
      reload();
      onChange();
    });
  const details = resource.kind === 'ready' ? resource.value : undefined;
  const fingerprint = details?.fingerprint;
  return (
    <Dialog title={`MCP server ${name}`} open onOpenChange={onClose} wide>
      {resource.kind === 'loading' && <Loading what="the server" />}
      {resource.kind === 'failed' && <ErrorNotice what="The server could not be shown" error={resource.error} />}
      {details && (
        <div className="grid grid-cols-1 gap-4">
          {details.identity && <ReviewServerFacts server={details.identity} tools={details.tools} />}
          <p className="text-sm">
            <ServerStateBadge state={details.state} />
          </p>
          {details.lastError && <p className="text-sm text-danger wrap-anywhere">{visibleText(details.lastError)}</p>}
          <RootList roots={details.roots ?? []} />
          <EnforcementFacts name="This server" enforcement={details.enforcement} absent="It has no process now." />
          {details.stderrTail && (
            <div>
              <h3 className="mb-1 text-sm font-medium">What it printed last (stderr)</h3>
              <CodeBlock label="stderr">{visibleText(details.stderrTail)}</CodeBlock>
            </div>
          )}
          <div className="flex flex-wrap gap-2">
            {details.requests.length > 0 && fingerprint && (
              <Button
                kind="primary"
                busy={busy !== undefined}
                onClick={() => act('approve', 'It was not approved', () => reeve.servers.approve(fingerprint))}
              >
                Approve for this session
              </Button>
            )}
            {['failed', 'refused', 'stopped'].includes(details.state) && (
              <Button
                busy={busy !== undefined}
                onClick={() => act('retry', 'It was not started', () => reeve.servers.retry(sessionId, name))}
              >
                {details.state === 'refused' ? 'Ask again' : 'Start again'}
              </Button>
            )}
            {fingerprint && details.approvals.length > 0 && (
              <Button
                kind="danger"
                busy={busy !== undefined}
                onClick={() => act('forget', 'It was not forgotten', () => reeve.servers.forget(fingerprint))}
              >
                Forget what was decided
              </Button>
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
}
