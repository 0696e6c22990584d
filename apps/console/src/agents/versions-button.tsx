import type { AgentVersions } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { useAttempt } from '../data/use-attempt.ts';
import { Button } from '../ui/button.tsx';

interface VersionsButtonProps {
  readonly name: string;
  readonly onListed: (versions: AgentVersions) => void;
}

/** Asks which versions of an agent there are. */
export function VersionsButton({ name, onListed }: VersionsButtonProps) {
  const reeve = useReeve();
  const { busy, attempt } = useAttempt();
  return (
    <Button
      small
      busy={busy !== undefined}
      aria-label={`Versions of ${name}`}
      onClick={() =>
        void attempt('versions', 'Its versions could not be listed', async () =>
          onListed(await reeve.agents.versions(name)),
        )
      }
    >
      Versions
    </Button>
  );
}
