import type { Reeve, RequestHandler } from '@reeve/client';
import { META_KEY } from '@reeve/protocol';
import { askedEvent } from './asked-event.ts';
import type { DemoEvent, OutsideAttempt, TellDemo } from './demo-event.ts';
import type { DemoScene } from './demo-scene.ts';
import { createNotificationReader } from './read-notification.ts';

export interface DemoRun {
  readonly reeve: Reeve;
  readonly scene: Pick<DemoScene, 'project' | 'mcpServers'>;
  readonly tell: TellDemo;
  readonly onRequest: RequestHandler;
  readonly clientCapabilities: { readonly [capability: string]: unknown };
  readonly signal: AbortSignal;
}

export interface DemoOutcome {
  readonly session: string;
  readonly stopReason: string;
  readonly attempts: readonly OutsideAttempt[];
}

const PROMPT = 'Make the greeting in greeting.txt friendlier, and count the words of notes.md.';

/** Tool calls of the demonstration agent that go for the file outside. */
const OUTSIDE_CALLS: ReadonlyMap<string, OutsideAttempt['by']> = new Map([
  ['outside-by-tool', 'tool'],
  ['outside-itself', 'agent'],
  ['outside-by-reeve', 'fs/read_text_file'],
]);

/** How the server of the demonstration begins when it could not open a file itself. */
const SERVER_SAID = 'not opened:';

interface Enforced {
  readonly agent?: { readonly backend?: string };
  readonly servers?: Readonly<Record<string, { readonly backend?: string }>>;
}

/** One session with one turn, told as it goes, and then what held it and what the audit log has of it. */
export async function runDemo({
  reeve,
  scene,
  tell,
  onRequest,
  clientCapabilities,
  signal,
}: DemoRun): Promise<DemoOutcome> {
  const calls = new Map<string, Extract<DemoEvent, { kind: 'tool' }>>();
  const asked = new Map<unknown, string>();
  const read = createNotificationReader((requestId) => asked.get(requestId));
  await using acp = await reeve.openAcp({
    clientCapabilities,
    clientInfo: { name: 'reeve-demo', version: '0.1.0' },
    onRequest: (request) => {
      const event = askedEvent(request);
      // Offered anew after an answer that did not count, it is no other one.
      if (event && !asked.has(event.request)) tell(event);
      if (event) asked.set(event.request, event.title);
      return onRequest(request);
    },
    onUpdate: (notification) => {
      const event = read(notification);
      if (event?.kind === 'tool') calls.set(event.id, event);
      if (event) tell(event);
    },
    signal,
  });
  const { sessionId } = await acp.newSession({
    cwd: scene.project,
    mcpServers: scene.mcpServers,
    _meta: { [META_KEY]: { title: 'A demonstration' } },
  });
  tell({ kind: 'prompted', session: sessionId, text: PROMPT });
  const { stopReason } = await acp.prompt(sessionId, PROMPT, { signal });
  tell({ kind: 'ended', stopReason });

  const { boundary } = await reeve.sessions.show(sessionId);
  tell({ kind: 'held', boundary });
  const attempts = [...calls.values()].flatMap((call) => attemptOf(call, boundary));
  tell({ kind: 'outside', attempts });
  tell({ kind: 'alarmed', alarms: (await reeve.alarms({ session: sessionId })).alarms });
  const { records } = await reeve.audit.list({ session: sessionId, order: 'oldest', limit: 200 });
  tell({ kind: 'recorded', records });
  tell({ kind: 'verified', verdict: await reeve.audit.verify() });
  return { session: sessionId, stopReason, attempts };
}

function attemptOf(
  { id, status, text = '' }: Extract<DemoEvent, { kind: 'tool' }>,
  boundary: unknown,
): readonly OutsideAttempt[] {
  const by = OUTSIDE_CALLS.get(id);
  if (by === undefined) return [];
  const refused = status === 'failed';
  return [{ by, refused, text, heldBy: refused ? heldBy(by, text, boundary) : undefined }];
}

/** A call that the server itself was given tells of its sandbox; one that it never saw, of the gate before it. */
function heldBy(by: OutsideAttempt['by'], text: string, boundary: unknown): string | undefined {
  if (by === 'fs/read_text_file') return 'Reeve, which serves files of the roots alone';
  const { agent, servers } = (boundary as { readonly enforcement?: Enforced } | undefined)?.enforcement ?? {};
  if (by === 'tool' && !text.startsWith(SERVER_SAID)) return 'Reeve, whose gate did not pass the call on';
  const backend = (by === 'tool' ? Object.values(servers ?? {})[0] : agent)?.backend;
  return backend === undefined || backend === 'none' ? undefined : `${backend}: the file is not there for it`;
}
