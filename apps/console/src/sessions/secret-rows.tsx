import { Button } from '../ui/button.tsx';

export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

interface SecretRowsProps {
  /** What each is: "Header". */
  readonly what: string;
  readonly values: readonly SecretValue[];
  readonly onChange: (values: readonly SecretValue[]) => void;
}

/** Names with values that nobody is to read over a shoulder, nor the browser to keep. */
export function SecretRows({ what, values, onChange }: SecretRowsProps) {
  const change = (index: number, part: Partial<SecretValue>): void =>
    onChange(values.map((one, at) => (at === index ? { ...one, ...part } : one)));
  return (
    <div className="grid grid-cols-1 gap-2">
      {values.map((one, index) => (
        <div key={index} className="grid grid-cols-2 gap-2">
          <input
            aria-label={`${what} ${index + 1}: name`}
            className="input min-w-0 font-mono"
            spellCheck={false}
            placeholder="NAME"
            value={one.name}
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <input
            aria-label={`${what} ${index + 1}: value`}
            className="input min-w-0 font-mono"
            type="password"
            autoComplete="off"
            placeholder="value"
            value={one.value}
            onChange={({ target }) => change(index, { value: target.value })}
          />
        </div>
      ))}
      <Button
        small
        kind="quiet"
        className="justify-self-start"
        onClick={() => onChange([...values, { name: '', value: '' }])}
      >
        {what} …
      </Button>
    </div>
  );
}
