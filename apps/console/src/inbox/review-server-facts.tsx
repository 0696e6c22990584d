import { packageText, type ReviewServer, type ReviewTools, reachText } from '@reeve/protocol';
import { commandText } from '../boundary/command-text.ts';
import { exactText } from '../hostile/visible-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Code } from '../ui/code.tsx';
import { CodeBlock } from '../ui/code-block.tsx';

const ORIGINS: Readonly<Record<ReviewServer['origin'], string>> = {
  configuration: 'the configuration of this server',
  client: 'the client that opened the session',
  workspace: 'a file of the workspace',
  agent: 'the agent',
};

interface ReviewServerFactsProps {
  readonly server: ReviewServer;
  readonly tools?: ReviewTools | undefined;
}

/** Who an MCP server is: what runs, whole; where it came from; what holds it; what it says of itself. */
export function ReviewServerFacts({ server, tools }: ReviewServerFactsProps) {
  return (
    <div className="grid grid-cols-1 gap-2">
      <CodeBlock label={server.url === undefined ? 'Command' : 'Address'}>{commandText(server)}</CodeBlock>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-sm [&>dt]:text-muted">
        <dt>Named by</dt>
        <dd>{ORIGINS[server.origin] ?? server.origin}</dd>
        <dt>Runs</dt>
        <dd className="flex flex-wrap gap-1">
          {server.local ? 'on this machine' : 'elsewhere'}
          {server.sandboxed ? (
            <Badge tone="ok">in a sandbox</Badge>
          ) : (
            <Badge tone="danger">nothing confines it to its roots</Badge>
          )}
        </dd>
        {server.package && (
          <>
            <dt>Package</dt>
            <dd className="wrap-anywhere">{exactText(packageText(server.package))}</dd>
          </>
        )}
        {server.variables && (
          <>
            <dt>Variables</dt>
            <dd className="wrap-anywhere">
              {exactText(server.variables.join(', '))} <span className="text-muted">(values are not shown)</span>
            </dd>
          </>
        )}
        {server.network && (
          <>
            <dt>Network</dt>
            <dd className="wrap-anywhere">{exactText(reachText(server.network))}</dd>
          </>
        )}
        <dt>Fingerprint</dt>
        <dd>
          <Code>{server.fingerprint}</Code>
        </dd>
        {server.claimed && (
          <>
            <dt>Says it is</dt>
            <dd>
              {exactText(`${server.claimed.name} ${server.claimed.version}`)}{' '}
              <span className="text-muted">(unchecked)</span>
            </dd>
          </>
        )}
        <dt>Tools</dt>
        <dd>{toolsText(tools)}</dd>
      </dl>
    </div>
  );
}

function toolsText(tools: ReviewTools | undefined): string {
  if (!tools) return 'not known before it has started once';
  const { total, readOnly, destructive, openWorld, trusted } = tools;
  const claim = trusted ? '' : ', as it says itself';
  return `${total}: ${readOnly} only read, ${destructive} may destroy, ${openWorld} reach outside${claim}`;
}
