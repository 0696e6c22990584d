import type { Reeve, RequestHandler } from '@reeve/client';
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
  const read = createNotificationReader();
  await using acp = await reeve.openAcp({
    clientCapabilities,
    clientInfo: { name: 'reeve-demo', version: '0.1.0' },
    onRequest,
    onUpdate: (notification) => {
      const event = read(notification);
      if (event?.kind === 'tool') calls.set(event.id, event);
      if (event) tell(event);
    },
    signal,
  });
  const { sessionId } = await acp.newSession({ cwd: scene.project, mcpServers: scene.mcpServers });
  tell({ kind: 'prompted', session: sessionId, text: PROMPT });
  const { stopReason } = await acp.prompt(sessionId, PROMPT, { signal });
  tell({ kind: 'ended', stopReason });

  const { boundary } = await reeve.sessions.show(sessionId);
  tell({ kind: 'held', boundary });
  const attempts = [...calls.values()].flatMap((call) => attemptOf(call, boundary));
  tell({ kind: 'outside', attempts });
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
  return [{ by, refused, text, heldBy: refused ? heldBy(by, boundary) : undefined }];
}

function heldBy(by: OutsideAttempt['by'], boundary: unknown): string | undefined {
  if (by === 'fs/read_text_file') return 'Reeve';
  const { agent } = (boundary as { enforcement?: { agent?: { backend?: unknown } } } | undefined)?.enforcement ?? {};
  return agent?.backend === undefined || agent.backend === 'none' ? undefined : String(agent.backend);
}
