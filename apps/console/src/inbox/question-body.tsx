import type { Question, QuestionAnswer } from '@reeve/client';
import { useId, useState } from 'react';
import { visibleText } from '../hostile/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { AnswerBar } from './answer-bar.tsx';
import type { RequestBodyProps } from './request-body-props.ts';

interface QuestionBodyProps extends RequestBodyProps {
  readonly question: Question;
}

/** A question: its options as buttons where one answers it, as boxes where several may, and a text where one is taken. */
export function QuestionBody({ question, titleId, answering }: QuestionBodyProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [text, setText] = useState('');
  const group = useId();
  const answer = (answers: readonly QuestionAnswer[]): void => answering.answer({ answers });
  const single = !question.multiSelect;
  const needsForm = question.freeText || question.multiSelect;
  return (
    <>
      <h2 id={titleId} className="text-base font-medium whitespace-pre-wrap wrap-anywhere">
        {visibleText(question.prompt)}
      </h2>
      {single && (
        <ul className="grid grid-cols-1 gap-1.5">
          {question.options.map((option) => (
            <li key={option.id} className="flex flex-wrap items-baseline gap-x-3">
              <Button busy={answering.busy} onClick={() => answer([{ optionId: option.id }])} wraps>
                {visibleText(option.label)}
              </Button>
              {option.description && <span className="text-sm text-muted">{visibleText(option.description)}</span>}
            </li>
          ))}
        </ul>
      )}
      <form
        className="grid grid-cols-1 gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const texts: readonly QuestionAnswer[] = text.trim() === '' ? [] : [{ text }];
          answer([...[...chosen].map((optionId) => ({ optionId })), ...texts]);
        }}
      >
        {!single && (
          <fieldset className="grid grid-cols-1 gap-1.5" aria-labelledby={titleId}>
            {question.options.map((option) => (
              <label key={option.id} htmlFor={`${group}-${option.id}`} className="flex items-start gap-2">
                <input
                  id={`${group}-${option.id}`}
                  type="checkbox"
                  className="mt-1 size-4 accent-accent"
                  checked={chosen.has(option.id)}
                  onChange={(event) => setChosen(toggled(chosen, option.id, event.target.checked))}
                />
                <span>
                  {visibleText(option.label)}
                  {option.description && (
                    <span className="block text-sm text-muted">{visibleText(option.description)}</span>
                  )}
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {question.freeText && (
          <Field label="Your own answer">
            {(wiring) => (
              <textarea
                {...wiring}
                rows={2}
                className="input w-full"
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        )}
        <AnswerBar>
          {needsForm && (
            <Button kind="primary" type="submit" busy={answering.busy} disabled={single && text.trim() === ''}>
              Answer
            </Button>
          )}
          <Button kind="danger" busy={answering.busy} data-key="d" onClick={() => answering.answer({ reject: true })}>
            Turn down
          </Button>
        </AnswerBar>
      </form>
    </>
  );
}

function toggled(set: ReadonlySet<string>, member: string, on: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (on) next.add(member);
  else next.delete(member);
  return next;
}
