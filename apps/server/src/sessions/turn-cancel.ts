import type { JsonObject, JsonRpcId } from '@reeve/protocol';
import type { ClientPort } from './client-port.ts';
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
    const { records, agent, turns, admission, commands, prompts } = this.#options;
    commands.log(port, raw);
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
    const { agent, turns, admission, commands, prompts } = this.#options;
    if (prompts.withdraw(port, id)) return true;
    if (admission.cancelOne(port.id, id)) return true;
    const cancelled = turns.cancelOne(port, id);
    if (cancelled.kind === 'done') return true;
    if (cancelled.kind === 'tell-agent') this.#cancelAsked();
    const agentId = cancelled.kind === 'tell-agent' ? cancelled.agentId : commands.agentIdOf(port.id, id);
    if (agentId === undefined) return false;
    agent.link?.connection.send(
      Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: agentId } })),
    );
    return true;
  }

  #cancelAsked(): void {
    const { services, records } = this.#options;
    const { sessionId } = records.record;
    services.broker.endAgent(sessionId, 'cancelled', 'the turn was cancelled').catch((error: unknown) => {
      services.warn('requests could not be cancelled', { sessionId, error: String(error) });
    });
  }
}
