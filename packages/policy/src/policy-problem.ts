import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import type { PolicyFile, PolicyProblem } from '@reeve/protocol';

/** Cedar's errors of one text, in the order of their places, each once. */
export function problemsOf(
  file: PolicyFile,
  kind: PolicyProblem['kind'],
  errors: readonly DetailedError[],
): PolicyProblem[] {
  const bytes = new TextEncoder().encode(file.text);
  return errors.flatMap((error): PolicyProblem[] => {
    const [location] = error.sourceLocations ?? [];
    const before = new TextDecoder().decode(bytes.subarray(0, location?.start ?? 0));
    const expected = location?.label ? `, ${location.label}` : '';
    const problem: PolicyProblem = {
      kind,
      file: file.name,
      ...placeAt(before),
      message: `${cleaned(error.message)}${expected}`,
      next: nextStep(error, kind),
    };
    return [problem, ...problemsOf(file, kind, error.related ?? [])];
  });
}

/** The place after `before`: line and column, from 1. */
export function placeAt(before: string): { readonly line: number; readonly column: number } {
  const lines = before.split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** Cedar numbers policies; the place says which it is. */
function cleaned(message: string): string {
  return message.replace(/^for policy `[^`]*`, /, '').replace(/^failed to parse polic(?:y|ies) from string: /, '');
}

function nextStep({ message, help }: DetailedError, kind: PolicyProblem['kind']): string {
  if (help) return help.charAt(0).toUpperCase() + help.slice(1) + (/[.?]$/.test(help) ? '' : '.');
  if (message.includes('template'))
    return 'Name principal and resource themselves: slots such as ?principal are not filled.';
  if (/not found|unrecognized|undeclared/.test(message))
    return 'Use a name of the schema: "reeve policy schema" prints it.';
  if (kind === 'warning') return 'Check the condition: as it stands, the policy never applies or always does.';
  return 'Mend the text at this place.';
}
