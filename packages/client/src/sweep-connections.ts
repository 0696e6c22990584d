import type { HttpCaller } from './http-caller.ts';

/** As many as a browser keeps to one server over HTTP/1.1. */
const CONNECTIONS = 6;
/** The longest that one may take to answer, ms. */
const SWEEP_MS = 3000;

/**
 * Lets a browser find out which of the connections that it keeps lead nowhere, as after the sleep of a machine: it uses each again until nothing comes
 * over it, and whoever asked for something would wait. Never rejects.
 */
export async function sweepConnections(http: HttpCaller): Promise<void> {
  const ask = () => http.call('GET', '/v1/health', { signal: AbortSignal.timeout(SWEEP_MS) });
  await Promise.allSettled(Array.from({ length: CONNECTIONS }, ask));
}
