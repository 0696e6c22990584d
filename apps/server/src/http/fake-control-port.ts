import type {
  EventSeq,
  JsonObject,
  NewFork,
  NewSession,
  NewTurn,
  RequestAnswer,
  RequestId,
  RequestInfo,
  SessionId,
  SessionInfo,
  TurnOutcome,
} from '@reeve/protocol';
import { ReeveError } from '@reeve/protocol';
import { chunkOf, type EventChunk, sliceChunk } from '../events/event-chunk.ts';
import type { AnswerOutcome, ControlPort } from './control-port.ts';
import type { DrivenTurn } from './session-driver.ts';

/** What the tests' server knows: one agent, the session `s1` (alias `one`) with three events, the request `r1`. */
export class FakeControlPort implements ControlPort {
  readonly answers: { id: RequestId; answer: RequestAnswer; by: string }[] = [];
  readonly followed: { after: number; signal: AbortSignal }[] = [];
  readonly created: NewSession[] = [];
  readonly forked: { id: string; wanted: NewFork; by: string }[] = [];
  readonly prompted: NewTurn[] = [];
  /** How the turn of every prompt ends. */
  readonly turnEnd = Promise.withResolvers<TurnOutcome>();
  /** How sessions were ended, and by whom. */
  readonly ended: string[] = [];
  cancelled = 0;
  left = 0;
  outcome: AnswerOutcome = { kind: 'answered', request: FAKE_REQUEST };
  /** More events for those who follow; each resolves a waiting reader. */
  readonly live: EventChunk[] = [];
  #wake: (() => void) | undefined;

  health() {
    return { status: 'ok', version: '1.2.3', pid: 7, uptimeMs: 99 } as const;
  }

  async sandbox() {
    const found = { backend: 'bubblewrap', usable: true, enforces: true, found: '0.8.0' } as const;
    return {
      backend: 'bubblewrap',
      usable: true,
      contains: true,
      backends: [found],
      limits: { memoryBytes: 'watchdog' },
      limitGaps: ['limits: memory is looked at'],
      systemCallFilter: true,
      allowLists: true,
    } as const;
  }

  async agents() {
    return [{ name: 'fake', command: 'fake-agent', args: ['--quiet'], available: true, default: true }];
  }

  installable() {
    return [{ name: 'claude', package: '@acme/claude' }];
  }

  async agent(name: string) {
    const [agent] = await this.agents();
    return agent?.name === name ? { ...agent, initialize: { protocolVersion: 1 } } : undefined;
  }

  async checkAgent(name: string) {
    if (name === 'broken') throw new Error('the secret reason');
    if (name === 'ours')
      throw new ReeveError('agent_start_failed', {
        message: 'no such program',
        next: 'Get it.',
        data: { stderr: 'x' },
      });
    if (name !== 'fake') return undefined;
    return { name, ok: true, durationMs: 3, initialize: { protocolVersion: 1 } } as const;
  }

  async listSessions(query: { cursor?: string; limit: number }) {
    if (query.cursor !== undefined && query.cursor !== 'next') return undefined;
    return { sessions: [FAKE_SESSION].slice(0, query.limit), nextCursor: 'next' };
  }

  async session(id: string) {
    return id === 's1' || id === 'one' ? FAKE_SESSION : undefined;
  }

  async events(id: string, after: EventSeq, limit: number) {
    if (!(await this.session(id))) return undefined;
    const chunk = sliceChunk(FAKE_EVENTS, after, limit);
    const lastSeq = FAKE_EVENTS.count as EventSeq;
    return { chunks: chunk.count === 0 ? [] : [chunk], hasMore: chunk.firstSeq + chunk.count <= lastSeq, lastSeq };
  }

  async eventsBefore(id: string, before: EventSeq, limit: number) {
    if (!(await this.session(id))) return undefined;
    const end = Math.min(before, FAKE_EVENTS.count + 1);
    const after = Math.max(0, end - 1 - limit);
    const chunk = sliceChunk(FAKE_EVENTS, after, end - 1 - after);
    return { chunks: chunk.count === 0 ? [] : [chunk], hasMore: after > 0, lastSeq: FAKE_EVENTS.count as EventSeq };
  }

  async createSession(wanted: NewSession) {
    this.created.push(wanted);
    return { session: FAKE_SESSION, result: { sessionId: 's1', modes: null } };
  }

  async forkSession(id: string, wanted: NewFork, by: string) {
    if (!(await this.session(id))) throw new ReeveError('not_found', { message: 'there is no such session' });
    this.forked.push({ id, wanted, by });
    return { session: FAKE_SESSION, result: { sessionId: 's1' } };
  }

  async prompt(id: string, turn: NewTurn): Promise<DrivenTurn> {
    if (!(await this.session(id))) throw new ReeveError('not_found', { message: 'there is no such session' });
    this.prompted.push(turn);
    const [sessionId, after] = ['s1' as SessionId, 3 as EventSeq];
    const leave = (): void => {
      this.left += 1;
    };
    return { sessionId, after, finished: this.turnEnd.promise, leave };
  }

  async cancel(id: string) {
    if (!(await this.session(id))) throw new ReeveError('not_found', { message: 'there is no such session' });
    this.cancelled += 1;
  }

  async terminate(id: string, by: string) {
    if (!(await this.session(id))) throw new ReeveError('not_found', { message: 'there is no such session' });
    this.ended.push(`terminated by ${by}`);
  }

  async setMetadata(id: string, patch: JsonObject) {
    if (!(await this.session(id))) throw new ReeveError('not_found', { message: 'there is no such session' });
    return { metadata: { title: 'Before', ...patch } };
  }

  async *follow(_id: string, after: EventSeq, _by: string, signal: AbortSignal): AsyncGenerator<EventChunk> {
    this.followed.push({ after, signal });
    const stored = sliceChunk(FAKE_EVENTS, after);
    if (stored.count > 0) yield stored;
    while (!signal.aborted) {
      const chunk = this.live.shift();
      if (chunk) yield chunk;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    }
  }

  grow(chunk: EventChunk): void {
    this.live.push(chunk);
    this.#wake?.();
  }

  async closeSession(id: string, by: string) {
    this.ended.push(`closed by ${by}`);
    return (await this.session(id)) !== undefined;
  }

  async deleteSession(_id: string, by: string) {
    this.ended.push(`deleted by ${by}`);
  }

  async requests(query: { session?: string; pendingOnly: boolean }) {
    return query.session === undefined || query.session === 's1' ? [FAKE_REQUEST] : [];
  }

  async request(id: RequestId) {
    return id === FAKE_REQUEST.id ? FAKE_REQUEST : undefined;
  }

  async answer(id: RequestId, answer: RequestAnswer, by: string) {
    this.answers.push({ id, answer, by });
    return this.outcome;
  }
}

export const FAKE_SESSION: SessionInfo = {
  sessionId: 's1' as SessionId,
  agent: 'fake',
  alias: 'one',
  cwd: '/home/me',
  additionalDirectories: [],
  createdAt: 1,
  updatedAt: 2,
  state: 'idle',
  lastSeq: 3 as EventSeq,
  attached: 0,
  pendingRequests: 1,
};

export const FAKE_REQUEST: RequestInfo = {
  id: 'r1' as RequestId,
  sessionId: 's1' as SessionId,
  kind: 'permission',
  method: 'session/request_permission',
  params: { options: [] },
  createdAt: 5,
  state: { kind: 'pending' },
};

/** The second was printed over several lines and has a number that JSON.parse would change. */
export const FAKE_EVENTS: EventChunk = chunkOf(1 as EventSeq, [
  { at: 10, source: 'agent', kind: 'update', message: Buffer.from('{"n":1}') },
  {
    at: 11.5,
    source: 'agent',
    kind: 'update',
    message: Buffer.from('{\r\n "n": 2.000000000000000000001,\n "ü":"\\n" }'),
  },
  { at: 12, source: 'reeve', kind: 'note', message: Buffer.from('{"type":"x"}') },
]);
