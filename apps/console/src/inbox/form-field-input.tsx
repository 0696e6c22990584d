import type { FormField } from '@reeve/protocol';
import { visibleText } from '../hostile/visible-text.ts';
import { Field } from '../ui/field.tsx';

interface FormFieldInputProps {
  readonly field: FormField;
  readonly value: unknown;
  /** Undefined: nothing is filled in. */
  readonly onChange: (value: unknown) => void;
}

/** One field of an agent's form. */
export function FormFieldInput({ field, value, onChange }: FormFieldInputProps) {
  const label = `${visibleText(field.title ?? field.name)}${field.required ? '' : ' (may be left out)'}`;
  const hint = field.description === undefined ? undefined : visibleText(field.description);
  const { input } = field;
  return (
    <Field label={label} hint={hint}>
      {(wiring) => {
        switch (input.kind) {
          case 'choice':
          case 'choices':
            return (
              <select
                {...wiring}
                className="input w-full"
                required={field.required}
                multiple={input.kind === 'choices'}
                value={input.kind === 'choices' ? ((value as string[] | undefined) ?? []) : String(value ?? '')}
                onChange={({ target }) => {
                  const picked = [...target.selectedOptions].map((option) => option.value);
                  if (input.kind === 'choices') onChange(picked);
                  else onChange(picked[0] || undefined);
                }}
              >
                {input.kind === 'choice' && <option value="">Choose …</option>}
                {input.options.map(({ id, label: name }) => (
                  <option key={id} value={id}>
                    {visibleText(name)}
                  </option>
                ))}
              </select>
            );
          case 'boolean':
            return (
              <select
                {...wiring}
                className="input w-full"
                required={field.required}
                value={value === undefined ? '' : String(value)}
                onChange={({ target }) => onChange(target.value === '' ? undefined : target.value === 'true')}
              >
                <option value="">Choose …</option>
                <option value="true">Yes</option>
                <option value="false">No</option>
              </select>
            );
          case 'number':
          case 'integer':
            return (
              <input
                {...wiring}
                type="number"
                step={input.kind === 'integer' ? 1 : 'any'}
                className="input w-full"
                required={field.required}
                value={value === undefined ? '' : String(value)}
                onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
              />
            );
          default:
            return (
              <input
                {...wiring}
                className="input w-full"
                required={field.required}
                value={String(value ?? '')}
                onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
              />
            );
        }
      }}
    </Field>
  );
}
