import type { AgentEpoch, SessionId } from '@reeve/protocol';
import type { SandboxRoot } from '@reeve/sandbox';
import type { LaunchedAgent } from '../agents/agent-launch.ts';
import type { Enter } from '../audit/trace-scope.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';

export interface AuditedAgent {
  readonly launched: LaunchedAgent;
  readonly stream: SessionStream;
  readonly session: SessionId;
  /** Its name in the registry. */
  readonly agent: string;
  readonly epoch: AgentEpoch;
  /** Of the boundary that it was started in. */
  readonly revision: number | undefined;
  readonly roots: readonly SandboxRoot[];
  /** See SessionAgentOptions. */
  readonly work: Enter;
  /** In whose trace its end is told: of whoever stopped it, else of what it worked on. */
  readonly atEnd: () => Enter;
}

/** Tells the audit log of one agent process: what holds it, what it was refused of the network, how it ended. */
export function auditAgent({ audit }: SessionServices, process: AuditedAgent): void {
  const { launched, stream, session, agent, epoch, revision, roots, work, atEnd } = process;
  const { enforcement, egress } = launched;
  egress.listen(({ host, port, decision, reason }) => {
    stream.note('egress', { epoch, host, port, decision, reason });
    if (decision === 'denied') work(() => audit.note({ kind: 'egress.denied', session, host, port, reason }));
  });
  audit.note({ kind: 'agent.started', session, agent, epoch, enforcement, revision, roots });
  void launched.connection.process.exited.then(({ code: exitCode, signal }) =>
    atEnd()(() => audit.note({ kind: 'agent.exited', session, epoch, exitCode, signal })),
  );
}
