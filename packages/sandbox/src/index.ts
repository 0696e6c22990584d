export type { Enforcement } from './enforcement.ts';
export type { HeldProcess, ProcessExit, StopOptions } from './held-process.ts';
export type { HolderNotice } from './holder-notice.ts';
export type { Launch, StartFailure, StartOptions, StartResult } from './launch.ts';
export { createProcessHolder, type HolderOptions, type ProcessHolder } from './process-holder.ts';
