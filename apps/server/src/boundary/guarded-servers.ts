import { ReeveError } from '@reeve/protocol';
import type { DeclaredServer } from './declared-server.ts';
import { GuardedServer } from './guarded-server.ts';
import type { SessionGround } from './session-ground.ts';
import type { ServerOutcome } from './session-guard.ts';

/** The guards of the MCP servers of one session, by their names. */
export class GuardedServers implements AsyncDisposable {
  readonly #ground: SessionGround;
  readonly #examine: () => Promise<void>;
  readonly #opened = new Map<string, Promise<GuardedServer>>();
  readonly #ready = new Map<string, GuardedServer>();

  /** @param examine looks at what is guarded, before a server is */
  constructor(ground: SessionGround, examine: () => Promise<void>) {
    this.#ground = ground;
    this.#examine = examine;
  }

  /** Those that are open. */
  get ready(): readonly GuardedServer[] {
    return [...this.#ready.values()];
  }

  get(name: string): GuardedServer | undefined {
    return this.#ready.get(name);
  }

  /** Opens it, unless it is. @throws ReeveError `conflict` where another server has its name */
  async of(server: DeclaredServer): Promise<GuardedServer> {
    const opening = this.#opened.get(server.name);
    const known = await (opening ?? this.#open(server));
    if (opening && JSON.stringify(known.server) !== JSON.stringify(server)) {
      throw new ReeveError('conflict', {
        message: `two MCP servers of this session are named ${JSON.stringify(server.name)}`,
        data: { details: 'give each server a name of its own' },
      });
    }
    return known;
  }

  /** Finds out again what each may have; see GuardedServer. */
  refresh(revised = false): readonly Promise<ServerOutcome>[] {
    return this.ready.map((server) => server.refresh(revised));
  }

  /** The session has its name. */
  touch(): void {
    for (const server of this.#ready.values()) server.touch();
  }

  grantedPaths(): readonly string[] {
    return this.ready.flatMap((server) => server.grantedPaths());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const servers = await Promise.allSettled(this.#opened.values());
    for (const server of servers) if (server.status === 'fulfilled') server.value[Symbol.dispose]();
  }

  async #open(server: DeclaredServer): Promise<GuardedServer> {
    const opening = this.#examine().then(() => GuardedServer.open(this.#ground, server));
    this.#opened.set(server.name, opening);
    opening.catch(() => this.#opened.delete(server.name));
    const guard = await opening;
    this.#ready.set(server.name, guard);
    if (guard.grantedPaths().length > 0) {
      await this.#ground.look(guard.grantedPaths());
      void guard.refresh();
    }
    return guard;
  }
}
