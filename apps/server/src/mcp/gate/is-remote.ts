import type { ServerTransport } from '../../boundary/declared-server.ts';

/** Whether a server runs on another machine: what it takes for a path is none of this one. */
export function isRemote(transport: ServerTransport): boolean {
  if (transport.kind === 'stdio') return false;
  if (!URL.canParse(transport.url)) return true;
  const { hostname } = new URL(transport.url);
  return !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
