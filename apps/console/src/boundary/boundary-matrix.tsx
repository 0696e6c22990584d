import type { BoundaryInfo, RootStandingInfo } from '@reeve/protocol';
import { exactText } from '../hostile/visible-text.ts';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { FileBadge } from '../ui/file-badge.tsx';
import type { BoundaryActions } from './boundary-actions.ts';
import { RiskBadges } from './risk-badges.tsx';
import { StandingCell } from './standing-cell.tsx';

interface BoundaryMatrixProps {
  readonly boundary: BoundaryInfo;
  readonly actions: BoundaryActions;
}

/** Who may touch what: a row for each root, a column for the agent and for each MCP server. */
export function BoundaryMatrix({ boundary, actions }: BoundaryMatrixProps) {
  const { roots, servers } = boundary;
  return (
    <section
      aria-label="Who may touch what"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard (WCAG 2.1.1)
      tabIndex={0}
      className="overflow-x-auto rounded-lg border bg-surface shadow-card"
    >
      <table className="w-full text-left text-sm">
        <thead className="bg-sunken">
          <tr>
            <th scope="col" className="px-3 py-2 font-medium">
              Root
            </th>
            <th scope="col" className="px-3 py-2 font-medium">
              Agent
            </th>
            {servers.map(({ name }) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium wrap-anywhere">
                {exactText(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {roots.map((root) => {
            const risk = boundary.risks?.find(({ path }) => path === root.path) ?? standingOf(boundary, root.path);
            return (
              <tr key={root.path} className="align-top">
                <th scope="row" className="min-w-32 px-3 sm:min-w-48 py-2 font-normal">
                  <Code>{root.path}</Code> <FileBadge kind={root.kind} />
                  {root.name && <span className="block text-muted">{exactText(root.name)}</span>}
                  {risk && <RiskBadges risks={risk.risks} highRisk={risk.highRisk} />}
                </th>
                <td className="px-3 py-2">
                  <AccessBadge access={root.access} />
                  <span className="mt-1 flex flex-wrap gap-1">
                    {root.access === 'rw' && (
                      <Button
                        small
                        busy={actions.busy === root.path}
                        aria-label={`Make read-only: ${root.path}`}
                        onClick={() => actions.narrow(root.path)}
                      >
                        Make read-only
                      </Button>
                    )}
                    {roots.length > 1 && (
                      <Button
                        small
                        kind="danger"
                        busy={actions.busy === `${root.path} `}
                        aria-label={`Take away: ${root.path} from everybody`}
                        onClick={() => actions.revoke(root.path)}
                      >
                        Take away
                      </Button>
                    )}
                  </span>
                </td>
                {servers.map((server) => (
                  <td key={server.name} className="px-3 py-2">
                    <StandingCell
                      server={server.name}
                      standing={server.roots.find((entry) => entry.root.path === root.path)}
                      actions={actions}
                    />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {servers.length === 0 && (
        <p className="border-t px-3 py-2 text-sm text-muted">
          {boundary.live ? 'This session has no MCP server.' : 'Servers are listed while the session has a process.'}
        </p>
      )}
    </section>
  );
}

/** What any server's standing says of the risk of a root. */
function standingOf({ servers }: BoundaryInfo, path: string): RootStandingInfo | undefined {
  return servers.flatMap(({ roots }) => roots).find(({ root }) => root.path === path);
}
