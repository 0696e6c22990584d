import type { McpServer } from '@reeve/protocol';
import type { ProcessExit } from '@reeve/sandbox';
import type { ClientProfile } from '../agents/acp-version.ts';
import type { Enter } from '../audit/trace-scope.ts';
import type { AskedRequests } from './asked-requests.ts';
import type { BoundaryKeeper } from './boundary-keeper.ts';
import type { Foreground } from './foreground.ts';
import type { RecordKeeper } from './record-keeper.ts';
import type { Governance } from './session-governance.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import type { TurnQueue } from './turn-queue.ts';

/** What an agent is started with when there is none. */
export interface StartWith {
  /** Who wants it, for the audit log: the label of a client; `reeve` where nobody asked for an agent. */
  readonly by: string;
  /** As the last `session/new`, `load` or `resume` gave them. In memory only: they hold secrets. */
  readonly mcpServers: readonly McpServer[];
  readonly profile: ClientProfile;
  /** What the session's first process was started under; the session owns it from then on. */
  readonly governance?: Governance;
}

export interface SessionAgentOptions {
  readonly services: SessionServices;
  readonly stream: SessionStream;
  readonly turns: TurnQueue;
  readonly asked: AskedRequests;
  readonly foreground: Foreground;
  readonly records: RecordKeeper;
  readonly boundary: BoundaryKeeper;
  /** Does what the agent causes, in the trace of what it works on; in one of its own between turns. */
  readonly work: Enter;
  readonly startWith: StartWith;
  /** The agent has nothing to do and may be replaced by another process. */
  readonly isQuiet: () => boolean;
  /** The session takes no agent any more. */
  readonly isEnding: () => boolean;
  /** The process was ended for another one. */
  readonly onReplaced: () => void;
  /** The process ended by itself. */
  readonly onExit: (exit: ProcessExit) => void;
}
