import { networkText } from '../boundary/network-text.ts';
import { riskyPlace } from '../boundary/risky-place.ts';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Badge } from '../ui/badge.tsx';
import { Code } from '../ui/code.tsx';
import { networkOf, rootsOf, type SessionDraft } from './session-draft.ts';

/** What the session will be able to touch, with warnings, before anything starts. The server checks all of it again. */
export function BoundaryPreview({ draft }: { readonly draft: SessionDraft }) {
  const roots = rootsOf(draft);
  const servers = draft.workspace?.mcpServers ?? [];
  return (
    <section aria-label="What it may touch" className="rounded-md border bg-sunken p-3 text-sm">
      <h3 className="mb-1 font-medium">What it may touch</h3>
      {roots.length === 0 && <p className="text-muted">Name a directory to see it here.</p>}
      <ul className="grid grid-cols-1 gap-1">
        {roots.map(({ path, access }, index) => {
          const warning = riskyPlace(path);
          return (
            <li key={index} className="flex flex-wrap items-center gap-2">
              <Code>{path}</Code>
              <AccessBadge access={access} />
              {warning && <Badge tone="danger">{warning}</Badge>}
            </li>
          );
        })}
      </ul>
      <p className="mt-2 text-muted">Network: {networkText(networkOf(draft))}</p>
      {servers.length > 0 && <p className="text-muted">MCP servers: {servers.join(', ')}</p>}
    </section>
  );
}
