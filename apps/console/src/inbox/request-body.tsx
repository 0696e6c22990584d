import type { RequestInfo } from '@reeve/client';
import { ElicitationBody } from './elicitation-body.tsx';
import { PermissionBody } from './permission-body.tsx';
import { QuestionBody } from './question-body.tsx';
import { ReviewBody } from './review-body.tsx';
import type { Answering } from './use-answer.ts';

export interface RequestBodyProps {
  readonly request: RequestInfo;
  /** Id for the element that says what it is about. */
  readonly titleId: string;
  readonly answering: Answering;
}

/** What is asked, and the ways to answer it. */
export function RequestBody(props: RequestBodyProps) {
  const { kind, question } = props.request;
  switch (kind) {
    case 'permission':
      return <PermissionBody {...props} />;
    case 'question':
    case 'elicitation':
      return question ? <QuestionBody {...props} question={question} /> : <ElicitationBody {...props} />;
    default:
      return <ReviewBody {...props} />;
  }
}
