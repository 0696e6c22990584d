export type { ApprovedPlace } from './approved-place.ts';
export { bareProfile } from './bare-profile.ts';
export type { HeldPlace } from './bubblewrap/held-places.ts';
export type { ContainerEngine } from './container/container-engine.ts';
export type { EgressDecision } from './egress/egress-decision.ts';
export { type EgressLimits, egressLimitsWith } from './egress/egress-limits.ts';
export { EgressWatch } from './egress/egress-watch.ts';
export type { Enforcement, EnforcementLevel, SandboxBackend } from './enforcement.ts';
export type { ProcessExit } from './exit-status.ts';
export type { HeldProcess, StopOptions } from './held-process.ts';
export type { HolderNotice } from './holder-notice.ts';
export type { Launch, StartOptions, StartResult } from './launch.ts';
export type { LimitsTier } from './limits/limits-tier.ts';
export { createLineSplitter, type LineEdges, type LineSplitter, type LineSplitterOptions } from './line-splitter.ts';
export { createProcessHolder, type HolderOptions, type ProcessHolder } from './process-holder.ts';
export {
  DEFAULT_PROTECTED_PATHS,
  type NetworkRule,
  type Profile,
  type RootAccess,
  type SandboxFile,
  type SandboxHome,
  type SandboxLimits,
  type SandboxRoot,
  type SandboxSocket,
  type SandboxState,
} from './profile.ts';
export { insideCommand, ownProgramPaths, type ProgramSite, programPaths } from './program-paths.ts';
export { probeSandbox, type SandboxProbe } from './sandbox-probe.ts';
export type { StartFailure, StartFailureReason } from './start-failure.ts';
export type { BackendSurvey, SandboxSurvey } from './survey/sandbox-survey.ts';
export type { SandboxChoice } from './wrapped/probe-backends.ts';
