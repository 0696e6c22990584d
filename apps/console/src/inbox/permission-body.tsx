import { objectsIn, textMember } from '../data/json-members.ts';
import { exactText } from '../hostile/visible-text.ts';
import { ToolContents } from '../tools/tool-contents.tsx';
import { ToolInput } from '../tools/tool-input.tsx';
import { ToolPlaces } from '../tools/tool-places.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { AnswerBar } from './answer-bar.tsx';
import { permissionOptions, rejects } from './permission-options.ts';
import type { RequestBodyProps } from './request-body-props.ts';
import { useAskedCall } from './use-asked-call.ts';

/** A tool call that the agent wants allowed: all of it, and the agent's own options. */
export function PermissionBody({ request, titleId, answering }: RequestBodyProps) {
  const call = useAskedCall(request);
  const options = permissionOptions(request.params);
  // What a key does is done once: nothing that is allowed for always has one.
  const allowing = options.find(({ kind }) => kind === 'allow_once');
  const denying = options.find(({ kind }) => kind === 'reject_once') ?? options.find(rejects);
  const kind = textMember(call, 'kind');
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h2 id={titleId} className="text-base font-medium wrap-anywhere">
          {exactText(textMember(call, 'title') ?? 'A tool call without a title')}
        </h2>
        {kind && <Badge>{exactText(kind)}</Badge>}
      </div>
      <ToolInput value={call.rawInput} sessionId={request.sessionId} />
      <ToolContents contents={objectsIn(call, 'content')} />
      <ToolPlaces locations={objectsIn(call, 'locations')} sessionId={request.sessionId} />
      <AnswerBar>
        {options.map((option) => (
          <Button
            key={option.optionId}
            kind={rejects(option) ? 'danger' : option.kind === 'allow_once' ? 'primary' : 'plain'}
            busy={answering.busy}
            data-key={option === allowing ? 'a' : option === denying ? 'd' : undefined}
            onClick={() => answering.answer({ optionId: option.optionId })}
            wraps
          >
            {exactText(option.name)}
          </Button>
        ))}
        {!options.some(rejects) && (
          <Button
            kind="danger"
            busy={answering.busy}
            data-key="d"
            onClick={() => answering.answer({ result: { outcome: { outcome: 'cancelled' } } })}
          >
            Cancel the call
          </Button>
        )}
      </AnswerBar>
    </>
  );
}
