import {
  CHOICES,
  type Choice,
  EXTENSION,
  encodeNotification,
  isObject,
  type JsonObject,
  patchMetadata,
  ReeveError,
  type SessionId,
  type SessionMetadata,
} from '@reeve/protocol';
import { type AppliedChoices, applyChoices, callWithin } from './apply-choices.ts';
import type { RecordKeeper } from './record-keeper.ts';
import type { SessionAgent } from './session-agent.ts';
import { invalidMetadata } from './session-metadata.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import { tellSetup } from './tell-choices.ts';

export interface MetadataKeeperOptions {
  readonly services: SessionServices;
  readonly sessionId: SessionId;
  readonly stream: SessionStream;
  readonly agent: SessionAgent;
  readonly records: RecordKeeper;
  readonly isEnding: () => boolean;
}

export interface PatchedMetadata {
  /** The merged whole. */
  readonly metadata: SessionMetadata;
  /** What became of the choices that were in the patch; absent where there were none. */
  readonly applied?: AppliedChoices;
}

/** What clients say of one session beside its conversation, and may say anew while it lasts. */
export class MetadataKeeper {
  readonly #options: MetadataKeeperOptions;
  /** Choices are brought to the agent one patch after the other. */
  #applying: Promise<unknown> = Promise.resolve();

  constructor(options: MetadataKeeperOptions) {
    this.#options = options;
  }

  /**
   * Merges a patch (RFC 7396), writes it down, tells every client, and brings the choices in it to the agent: now if it lives, else when
   * there is one again. Durable once resolved. Throws `invalid_params` and changes nothing when a member is amiss.
   */
  async patch(patch: unknown): Promise<PatchedMetadata> {
    const { services, sessionId, records, stream } = this.#options;
    this.#refuseWhenEnding();
    const check = patchMetadata(records.metadata, patch, services.limits.maxMetadataBytes);
    if (check.kind === 'invalid') throw invalidMetadata(check.issues);
    const { metadata } = check;
    const title = records.record.title;
    records.setMetadata(metadata);
    if (metadata.title !== title) this.tellTitle();
    this.#tell(EXTENSION.metadataUpdate, { sessionId, metadata });
    const patched = isObject(patch) ? patch : {};
    const chosen = CHOICES.filter((choice) => Object.hasOwn(patched, choice));
    const applied = await this.#apply(chosen);
    await Promise.all([records.stored(), stream.durable()]);
    this.#refuseWhenEnding();
    return { metadata, ...(Object.keys(applied).length > 0 ? { applied } : {}) };
  }

  /** Tells every client, those that come later too, what the title is now (ACP, session_info_update). */
  tellTitle(): void {
    const { sessionId, records } = this.#options;
    const update = { sessionUpdate: 'session_info_update', title: records.record.title ?? null };
    this.#tell('session/update', { sessionId, update });
  }

  async #apply(chosen: readonly Choice[]): Promise<AppliedChoices> {
    if (chosen.length === 0) return {};
    const work = this.#applying.then(() => this.#bring(chosen));
    this.#applying = work.catch(() => {});
    return work;
  }

  async #bring(chosen: readonly Choice[]): Promise<AppliedChoices> {
    const { services, sessionId, records, stream, agent } = this.#options;
    const wanted: SessionMetadata = Object.fromEntries(chosen.map((choice) => [choice, records.metadata[choice]]));
    if (agent.restoring) await agent.wake().catch(() => undefined);
    const link = agent.live;
    if (!link) return this.#postpone(chosen, wanted);
    const before = records.setup;
    const call = callWithin(link.connection, link.agentSessionId, services.limits.sessionNewMs);
    const applied = await applyChoices(wanted, records, call);
    tellSetup(stream, sessionId, before, records.setup);
    return applied;
  }

  #postpone(chosen: readonly Choice[], wanted: SessionMetadata): AppliedChoices {
    const { records } = this.#options;
    const { awaited = [] } = records.record;
    const still = CHOICES.filter((choice) =>
      chosen.includes(choice) ? wanted[choice] !== undefined : awaited.includes(choice),
    );
    records.update({ awaited: still });
    return Object.fromEntries(
      chosen.flatMap((choice) => {
        const requested = wanted[choice];
        return requested === undefined ? [] : [[choice, { rung: 'pending', requested }]];
      }),
    );
  }

  #tell(method: string, params: JsonObject): void {
    const message = Buffer.from(encodeNotification(method, params));
    this.#options.stream.append({ source: 'reeve', kind: 'update', message });
  }

  #refuseWhenEnding(): void {
    const { sessionId, isEnding } = this.#options;
    if (isEnding()) throw new ReeveError('session_closed', { data: { sessionId } });
  }
}
