/**
 * The header field of an event stream in which the server tells how often something comes over it, a heartbeat at least, in ms:
 * `Reeve-Heartbeat: 15000`. A stream that is silent for several times as long has no server behind it any more.
 */
export const HEARTBEAT_HEADER = 'reeve-heartbeat';

/** Milliseconds; undefined where the text is no whole number above 0. */
export function parseHeartbeatMs(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
