import { TerminalOutput } from '../../tools/terminal-output.tsx';
import type { TimelineRow } from '../timeline-rows.ts';
import { UsageText } from '../usage-text.tsx';
import { AgentMessage } from './agent-message.tsx';
import { ModeNote } from './mode-note.tsx';
import { NoteLine } from './note-line.tsx';
import { PlanEntries } from './plan-entries.tsx';
import { RequestLine } from './request-line.tsx';
import { ThoughtFold } from './thought-fold.tsx';
import { ToolCall } from './tool-call.tsx';
import { TurnEnd } from './turn-end.tsx';
import { UserMessage } from './user-message.tsx';

/** One thing that happened. */
export function ItemView({ row, sessionId }: { readonly row: TimelineRow; readonly sessionId: string }) {
  const { item, piece } = row;
  switch (item.kind) {
    case 'user':
      return <UserMessage item={item} />;
    case 'agent':
      return <AgentMessage item={item} piece={piece} />;
    case 'thought':
      return <ThoughtFold item={item} />;
    case 'tool':
      return <ToolCall item={item} sessionId={sessionId} />;
    case 'plan':
      return <PlanEntries entries={item.entries} />;
    case 'request':
      return <RequestLine item={item} sessionId={sessionId} />;
    case 'turn_end':
      return <TurnEnd item={item} />;
    case 'usage':
      return (
        <div className="text-xs text-muted">
          <UsageText usage={item} />
        </div>
      );
    case 'mode':
      return <ModeNote item={item} />;
    case 'terminal':
      return <TerminalOutput item={item} />;
    case 'note':
      return <NoteLine item={item} />;
  }
}
