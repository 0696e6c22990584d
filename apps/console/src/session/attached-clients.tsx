import type { AttachedClient } from '@reeve/client';
import { Users } from 'lucide-react';
import { Popover } from 'radix-ui';
import { exactText } from '../hostile/visible-text.ts';
import { RelativeTime } from '../ui/relative-time.tsx';

/** How each way to be in a session is called. */
const WAYS: Readonly<Record<AttachedClient['transport'], string>> = {
  websocket: 'ACP over a WebSocket',
  http: 'ACP over HTTP',
  call: 'a call of the HTTP API',
  events: 'reads along',
};

/** Who sees what happens in a session: how many, and at a click who. Names are what the programs say of themselves. */
export function AttachedClients({ clients }: { readonly clients: readonly AttachedClient[] }) {
  if (clients.length === 0) return null;
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={`Who is attached: ${clients.length}`}
        title="Who is attached"
        className="inline-flex min-h-8 items-center gap-1 rounded-md px-2 text-xs font-medium text-muted hover:bg-sunken hover:text-ink"
      >
        <Users aria-hidden className="size-3.5" /> {clients.length}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Who is attached"
          className="z-50 max-h-[60dvh] w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md bg-raised p-3 text-sm shadow-pop"
        >
          <p className="mb-2 text-xs text-muted">Names are what the programs say of themselves.</p>
          <ul className="grid gap-2" aria-label="Who is attached">
            {clients.map((client, index) => (
              <li key={client.connection ?? index} className="grid">
                <span className="font-medium wrap-anywhere">{nameOf(client)}</span>
                <span className="text-xs text-muted">
                  {exactText(WAYS[client.transport] ?? client.transport)}
                  {client.transport !== 'events' && (client.role === 'observer' ? ', looks on' : ', may act')}, since{' '}
                  <RelativeTime at={client.since} />
                </span>
              </li>
            ))}
          </ul>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function nameOf({ claimed }: AttachedClient): string {
  if (!claimed) return 'A program without a name';
  return exactText([claimed.title ?? claimed.name, claimed.version].filter((word) => word !== undefined).join(' '));
}
