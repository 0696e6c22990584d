import { elicitationMode, isObject, type JsonObject, readForm } from '@reeve/protocol';
import { useState } from 'react';
import { textMember } from '../data/json-members.ts';
import { OutsideLink } from '../hostile/outside-link.tsx';
import { visibleText } from '../hostile/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { AnswerBar } from './answer-bar.tsx';
import { FormFieldInput } from './form-field-input.tsx';
import type { RequestBodyProps } from './request-body-props.ts';

/** A form with several fields, or an address to open, that an agent asks somebody to deal with. */
export function ElicitationBody({ request, titleId, answering }: RequestBodyProps) {
  const [content, setContent] = useState<JsonObject>({});
  const { params } = request;
  const mode = elicitationMode(params);
  const fields = isObject(params) && mode === 'form' ? readForm(params.requestedSchema) : undefined;
  const url = mode === 'url' ? textMember(params, 'url') : undefined;
  return (
    <form
      className="grid grid-cols-1 gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        answering.answer({ content });
      }}
    >
      <h2 id={titleId} className="text-base font-medium whitespace-pre-wrap wrap-anywhere">
        {visibleText(textMember(params, 'message') ?? 'The agent asks for something')}
      </h2>
      {url && (
        <p>
          The agent asks you to open <OutsideLink href={url}>{url}</OutsideLink>. Look at where it leads before you do.
        </p>
      )}
      {fields?.map((field) => (
        <FormFieldInput
          key={field.name}
          field={field}
          value={content[field.name]}
          onChange={(value) => setContent(withMember(content, field.name, value))}
        />
      ))}
      {!fields && !url && <CodeBlock label="What is asked">{JSON.stringify(params, undefined, 2)}</CodeBlock>}
      <AnswerBar>
        {(fields || url) && (
          <Button kind="primary" type="submit" busy={answering.busy}>
            {url ? 'I have opened it' : 'Answer'}
          </Button>
        )}
        <Button kind="danger" busy={answering.busy} data-key="d" onClick={() => answering.answer({ reject: true })}>
          Turn down
        </Button>
      </AnswerBar>
    </form>
  );
}

/** Without the member where the value is undefined: an empty field is not sent. */
function withMember(content: JsonObject, name: string, value: unknown): JsonObject {
  const { [name]: _before, ...rest } = content;
  return value === undefined ? rest : { ...rest, [name]: value };
}
