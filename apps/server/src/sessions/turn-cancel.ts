import type { JsonObject, JsonRpcId } from '@reeve/protocol';
import type { BoundaryKeeper } from './boundary-keeper.ts';
import type { ClientPort } from './client-port.ts';
import type { Foreground } from './foreground.ts';
import type { InsertedPrompts } from './inserted-prompts.ts';
import type { PromptAdmission } from './prompt-admission.ts';
import type { RecordKeeper } from './record-keeper.ts';
import type { SessionAgent } from './session-agent.ts';
import type { SessionCommands } from './session-commands.ts';
import type { SessionServices } from './session-services.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface TurnCancelOptions {
  readonly services: SessionServices;
  readonly records: RecordKeeper;
  readonly agent: SessionAgent;
  readonly turns: TurnQueue;
  readonly admission: PromptAdmission;
  readonly commands: SessionCommands;
  readonly prompts: InsertedPrompts;
  readonly foreground: Foreground;
  readonly boundary: BoundaryKeeper;
}

/** How clients take back what they asked for. */
export class TurnCancel {
  readonly #options: TurnCancelOptions;

  constructor(options: TurnCancelOptions) {
    this.#options = options;
  }

  /**
   * `session/cancel` (ACP v1, prompt turn): turns end as cancelled, what was asked of people with them. In v2 the agent says what of its
   * work has ended, and takes back what it asked for that (ACP v2, `RequestPermissionOutcome`).
   */
  all(port: ClientPort, raw: Buffer, params: JsonObject): void {
    const { records, agent, turns, admission, commands, prompts, boundary } = this.#options;
    commands.log(port, raw);
    boundary.dropHolds('the turn was cancelled');
    const { live } = agent;
    if (records.record.protocolVersion === 2) {
      prompts.withdrawAll();
      live?.connection.send(live.toAgent(raw, params));
      return;
    }
    if (live && turns.running) live.connection.send(live.toAgent(raw, params));
    this.#cancelAsked();
    admission.cancelAll();
    turns.cancelAll();
  }

  /** `$/cancel_request`: the request it names, under the id that the agent knows. False when this session has no such request. */
  one(port: ClientPort, id: JsonRpcId): boolean {
    const { agent, turns, admission, commands, prompts, boundary } = this.#options;
    if (prompts.withdraw(port, id)) return true;
    if (admission.cancelOne(port.id, id)) return true;
    const cancelled = turns.cancelOne(port, id);
    if (cancelled.kind === 'done') return true;
    if (cancelled.kind === 'tell-agent') {
      boundary.dropHolds('the turn was cancelled');
      this.#cancelAsked();
    }
    const agentId = cancelled.kind === 'tell-agent' ? cancelled.agentId : commands.agentIdOf(port.id, id);
    if (agentId === undefined) return false;
    agent.link?.connection.send(
      Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: agentId } })),
    );
    return true;
  }

  /**
   * Has the agent end what it works on, and leaves what waits. Resolves when it has nothing to do any more, or after `graceMs`.
   */
  async interrupt(graceMs: number): Promise<void> {
    const { records, agent, turns, foreground, boundary } = this.#options;
    const { live } = agent;
    boundary.dropHolds('the boundary of the session was narrowed');
    if (records.record.protocolVersion === 2) {
      if (foreground.busy) live?.connection.send(cancelNotification(live.agentSessionId));
      return foreground.until(() => !foreground.busy, AbortSignal.timeout(graceMs));
    }
    if (turns.agentRequestId === undefined) return;
    live?.connection.send(cancelNotification(live.agentSessionId));
    this.#cancelAsked();
    await turns.interrupt(graceMs);
  }

  #cancelAsked(): void {
    const { services, records } = this.#options;
    const { sessionId } = records.record;
    services.broker.endAgent(sessionId, 'cancelled', 'the turn was cancelled').catch((error: unknown) => {
      services.warn('requests could not be cancelled', { sessionId, error: String(error) });
    });
  }
}

export function cancelNotification(sessionId: string): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } }));
}
