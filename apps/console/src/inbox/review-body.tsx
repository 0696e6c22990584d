import { type ReviewParams, type ReviewScope, wishText } from '@reeve/protocol';
import { useState } from 'react';
import { exactText } from '../hostile/visible-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { AnswerBar } from './answer-bar.tsx';
import type { RequestBodyProps } from './request-body-props.ts';
import { ReviewRoots } from './review-roots.tsx';
import { ReviewServerFacts } from './review-server-facts.tsx';
import { type RootChoice, rootChoices } from './root-choice.ts';

const SCOPES: Readonly<Record<ReviewScope, string>> = {
  session: 'for this session',
  project: 'for every session of this project',
  always: 'for every session of this server',
};

const TITLES: Readonly<Record<ReviewParams['review'], string>> = {
  server: 'wants to start, and would have what stands here',
  root: 'wants to see what stands here',
  call: 'wants to run one call',
};

/** An MCP server that wants to start, a root that it wants to see, or a call that a policy puts to a person. */
export function ReviewBody({ request, titleId, answering }: RequestBodyProps) {
  const params = request.params as ReviewParams;
  const [scope, setScope] = useState<ReviewScope>(params.wanted?.scope ?? 'session');
  const [roots, setRoots] = useState<readonly RootChoice[]>(() => rootChoices(params.roots));
  const { server, tools, call } = params;
  const granted = roots.flatMap(({ path, access }) => (access === 'none' ? [] : [{ path, access }]));
  return (
    <>
      <h2 id={titleId} className="flex flex-wrap items-center gap-2 text-base font-medium wrap-anywhere">
        <span>
          MCP server “{exactText(server.name)}” {TITLES[params.review] ?? 'asks for a review'}
        </span>
        {server.changed && <Badge tone="danger">changed since it was approved</Badge>}
        {params.approval === 'administrator' && <Badge tone="warn">for an administrator</Badge>}
      </h2>
      <ReviewServerFacts server={server} tools={tools} />
      {call && <CodeBlock label="Call">{call.tool ? `${call.method}: ${call.tool}` : call.method}</CodeBlock>}
      {call?.arguments !== undefined && <CodeBlock label="Arguments">{call.arguments}</CodeBlock>}
      {params.wanted && (
        <p className="text-sm">
          Asked for {exactText(wishText(params.wanted))}: <span className="text-muted">a yes gives no more.</span>
        </p>
      )}
      <ReviewRoots asked={params.roots ?? []} choices={roots} onChange={setRoots} />
      <AnswerBar>
        <select
          aria-label="How far it counts"
          className="input"
          value={scope}
          onChange={({ target }) => setScope(target.value as ReviewScope)}
          disabled={answering.busy}
        >
          {params.scopes.map((offered) => (
            <option key={offered} value={offered}>
              {SCOPES[offered] ?? offered}
            </option>
          ))}
        </select>
        <Button
          kind="primary"
          busy={answering.busy}
          data-key="a"
          onClick={() =>
            answering.answer({
              result: { decision: 'approve', scope, ...(params.roots === undefined ? {} : { roots: granted }) },
            })
          }
        >
          Approve
        </Button>
        <Button
          kind="danger"
          busy={answering.busy}
          data-key="d"
          onClick={() => answering.answer({ result: { decision: 'deny' } })}
        >
          Deny
        </Button>
      </AnswerBar>
    </>
  );
}
