import type { PolicyCheckInfo } from '@reeve/protocol';

/** What a check of policies found. */
export function PolicyProblems({ check }: { readonly check: PolicyCheckInfo }) {
  return (
    <div role="status" className={`my-3 rounded-md p-3 text-sm ${check.ok ? 'bg-ok-soft' : 'bg-danger-soft'}`}>
      <p className="font-medium">{check.ok ? 'The policies can be used.' : 'The policies cannot be used.'}</p>
      <ul className="grid grid-cols-1 gap-1">
        {check.problems.map(({ kind, file, line, column, message, next }, index) => (
          <li key={index}>
            {kind} at {file}:{line}:{column}: {message} <span className="text-muted">{next}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
