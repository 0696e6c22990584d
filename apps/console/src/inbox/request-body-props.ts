import type { RequestInfo } from '@reeve/protocol';
import type { Answering } from './use-answer.ts';

export interface RequestBodyProps {
  readonly request: RequestInfo;
  /** Id for the element that says what it is about. */
  readonly titleId: string;
  readonly answering: Answering;
}
