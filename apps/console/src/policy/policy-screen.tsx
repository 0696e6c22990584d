import { useReeve } from '@reeve/client/react';
import type { PolicyCheckInfo } from '@reeve/protocol';
import { useCallback, useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { useResource } from '../data/use-resource.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { DecisionExplainer } from './decision-explainer.tsx';
import { PolicyCard } from './policy-card.tsx';
import { PolicyChecker } from './policy-checker.tsx';
import { PolicyProblems } from './policy-problems.tsx';

/** The policies in force, a check of others, and why a case is decided as it is. */
export default function PolicyScreen() {
  const reeve = useReeve();
  const { resource, reload } = useResource(useCallback(() => reeve.policies.show(), [reeve]));
  const { busy, attempt } = useAttempt();
  const [outcome, setOutcome] = useState<PolicyCheckInfo>();
  const readAgain = (): void =>
    void attempt('reload', 'The policies were not read again', async () => {
      setOutcome(await reeve.policies.reload());
      reload();
    });
  return (
    <Screen
      title="Policy"
      lead="What is decided without asking a person, and what is not"
      actions={
        <Button busy={busy !== undefined} onClick={readAgain}>
          Read the files again
        </Button>
      }
    >
      {outcome && <PolicyProblems check={outcome} />}
      {resource.kind === 'loading' && <Loading what="the policies" />}
      {resource.kind === 'failed' && (
        <ErrorNotice what="The policies could not be shown" error={resource.error} onRetry={reload} />
      )}
      {resource.kind === 'ready' && (
        <section aria-labelledby="in-force" className="mb-6">
          <h2 id="in-force" className="mb-2 text-base">
            In force
          </h2>
          <p className="mb-2 text-sm text-muted">
            Hash <Code>{resource.value.hash}</Code>
          </p>
          <ul className="grid grid-cols-1 gap-2">
            {resource.value.policies.map((policy) => (
              <li key={policy.id}>
                <PolicyCard policy={policy} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className="grid grid-cols-1 gap-6">
        <DecisionExplainer />
        <PolicyChecker />
      </div>
    </Screen>
  );
}
