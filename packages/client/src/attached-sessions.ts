import type { JsonObject } from '@reeve/protocol';

export type Role = 'controller' | 'observer';

/** A session of this connection, and how far it has been seen. */
export interface AttachedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers: readonly unknown[];
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly role: Role;
  /** False while the server has not yet answered the load or resume. */
  attached: boolean;
  /** Seq of the last update that was passed on; undefined until one is known. */
  cursor: number | undefined;
}

/** Remembers what must be resumed, and from where, when the socket is lost. */
export class AttachedSessions {
  readonly #sessions = new Map<string, AttachedSession>();

  put(session: AttachedSession): void {
    this.#sessions.set(session.sessionId, session);
  }

  get(sessionId: unknown): AttachedSession | undefined {
    return this.#sessions.get(sessionId as string);
  }

  remove(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  attached(): readonly AttachedSession[] {
    return [...this.#sessions.values()].filter((session) => session.attached);
  }

  /** False when the update was passed on before: then it is the overlap of a resumption. Moves the cursor otherwise. */
  advance(sessionId: unknown, seq: unknown): boolean {
    const session = this.get(sessionId);
    if (!session || typeof seq !== 'number') return true;
    if (session.cursor !== undefined && seq <= session.cursor) return false;
    session.cursor = seq;
    return true;
  }
}

/** `params` of the session/load or session/resume that takes a session up where it was left. */
export function resumption(session: AttachedSession): JsonObject {
  return {
    sessionId: session.sessionId,
    cwd: session.cwd,
    mcpServers: session.mcpServers,
    ...(session.additionalDirectories ? { additionalDirectories: session.additionalDirectories } : {}),
  };
}
