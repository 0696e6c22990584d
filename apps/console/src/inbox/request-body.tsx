import { ElicitationBody } from './elicitation-body.tsx';
import { PermissionBody } from './permission-body.tsx';
import { QuestionBody } from './question-body.tsx';
import type { RequestBodyProps } from './request-body-props.ts';
import { ReviewBody } from './review-body.tsx';

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
