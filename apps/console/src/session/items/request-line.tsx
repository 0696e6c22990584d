import type { RequestItem } from '@reeve/client';
import { objectMember, textMember } from '../../data/json-members.ts';
import { visibleText } from '../../hostile/visible-text.ts';
import { permissionOptions } from '../../inbox/permission-options.ts';
import { Badge } from '../../ui/badge.tsx';
import { ServedCall } from './served-call.tsx';

interface RequestLineProps {
  readonly item: RequestItem;
  readonly sessionId: string;
}

/** What the agent asked a person, and what came of it; what nobody was asked is said in other words. */
export function RequestLine({ item, sessionId }: RequestLineProps) {
  const { params, outcome } = item;
  const asked =
    textMember(objectMember(params, 'toolCall'), 'title') ??
    textMember(params, 'prompt') ??
    textMember(params, 'message') ??
    textMember(objectMember(params, 'server'), 'name') ??
    ASKED.get(item.method);
  if (asked === undefined || item.method.startsWith('fs/')) return <ServedCall item={item} sessionId={sessionId} />;
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm">
      <Badge tone="warn">Asked</Badge>
      <span className="wrap-anywhere">{visibleText(asked)}</span>
      <span className="text-muted">{visibleText(outcomeOf(item, outcome))}</span>
    </p>
  );
}

/** What goes to a person though it may have no words of its own. */
const ASKED: ReadonlyMap<string, string> = new Map([
  ['session/request_permission', 'for a permission'],
  ['elicitation/create', 'a question'],
]);

function outcomeOf(item: RequestItem, outcome: RequestItem['outcome']): string {
  switch (outcome.kind) {
    case 'pending':
      return 'waits for an answer';
    case 'answered': {
      const optionId = textMember(objectMember(outcome.result, 'outcome'), 'optionId');
      const option = permissionOptions(item.params).find((candidate) => candidate.optionId === optionId);
      return option ? `answered: ${option.name}` : 'answered';
    }
    case 'failed':
      return `failed: ${outcome.message}`;
    case 'void':
      return 'the agent process ended before an answer';
  }
}
