import type { HeldProcess } from '@reeve/sandbox';
import type { ScopeChange, ServerGuard, ServerScope } from '../boundary/server-guard.ts';

export type LaunchResult =
  | {
      readonly kind: 'launched';
      readonly process: HeldProcess;
      /** What it was started in. */
      readonly scope: ServerScope;
    }
  /** `retry`: another attempt may succeed without anybody changing something. The reason names no argument and no secret. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retry: boolean };

export interface LaunchRequest {
  readonly guard: ServerGuard;
  /** The narrower scope that this start puts into effect: what it took away is looked for from inside (`ServerGuard.verified`). */
  readonly because: ScopeChange | undefined;
  readonly signal: AbortSignal;
}

/** Starts servers that are processes, in the sandbox that their scope says. */
export interface ServerLauncher {
  /** The server is admitted already. Exposes the scope (`ServerGuard.expose`), reports what holds it (`held`), never rejects. */
  launch(request: LaunchRequest): Promise<LaunchResult>;
  /** Whether a running process must be replaced for this change: narrower, or mounts that it lacks. */
  mustReplace(change: ScopeChange): boolean;
}
