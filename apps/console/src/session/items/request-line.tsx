import type { RequestItem } from '@reeve/client';
import { objectMember, textMember } from '../../data/json-members.ts';
import { visibleText } from '../../hostile/visible-text.ts';
import { permissionOptions } from '../../inbox/permission-options.ts';
import { Badge } from '../../ui/badge.tsx';

/** What the agent asked a person, and what came of it. */
export function RequestLine({ item }: { readonly item: RequestItem }) {
  const { params, outcome } = item;
  const asked =
    textMember(objectMember(params, 'toolCall'), 'title') ??
    textMember(params, 'prompt') ??
    textMember(params, 'message') ??
    textMember(objectMember(params, 'server'), 'name') ??
    item.method;
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm">
      <Badge tone="warn">Asked</Badge>
      <span className="wrap-anywhere">{visibleText(asked)}</span>
      <span className="text-muted">{visibleText(outcomeOf(item, outcome))}</span>
    </p>
  );
}

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
