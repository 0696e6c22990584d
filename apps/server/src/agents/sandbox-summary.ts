import type { SandboxProbe } from '@reeve/sandbox';

/** What a server promises of its agents, for whoever starts it. */
export interface SandboxSummary {
  /** Whether the operating system holds agents in their boundaries. */
  readonly enforced: boolean;
  /** One line, with the next step where it is not. */
  readonly text: string;
}

/** @param probe what works on this machine; undefined where the configuration switches the sandbox off */
export function summarizeSandbox(probe: SandboxProbe | undefined, require: 'enforced' | 'declared'): SandboxSummary {
  if (probe?.usable) {
    return {
      enforced: true,
      text: `enforced by ${probe.backend}: agents see their roots and what they need to run, and nothing else of this machine`,
    };
  }
  const why = probe
    ? `no sandbox works here (${probe.reason ?? 'unknown cause'}). ${probe.nextStep ?? ''}`.trimEnd()
    : '"sandbox.backend" is "none".';
  if (require === 'declared') return { enforced: false, text: `agents run unconfined: declared, not enforced: ${why}` };
  return {
    enforced: false,
    text: `agents are not started: ${why} Or let them run unconfined: set "sandbox.require" to "declared".`,
  };
}
