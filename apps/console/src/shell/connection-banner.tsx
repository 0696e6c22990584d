import { useConnection } from '@reeve/client/react';
import { useEffect } from 'react';

/** Says when the server does not answer; a token that it no longer takes ends the visit. */
export function ConnectionBanner({ onRefused }: { readonly onRefused: (problem: string) => void }) {
  const state = useConnection();
  const refused = state.kind === 'failed' && state.error.status === 401;
  useEffect(() => {
    if (refused) onRefused('The server no longer takes this token. Sign in with its new one.');
  }, [refused, onRefused]);
  return (
    <div role="status">
      {state.kind === 'reconnecting' && (
        <p className="border-b bg-warn-soft px-4 py-1.5 text-sm text-warn">
          The server does not answer. What is shown may be old; trying again …
        </p>
      )}
      {state.kind === 'failed' && !refused && (
        <p className="border-b bg-danger-soft px-4 py-1.5 text-sm text-danger">
          The server refuses: {state.error.message}. Load the page again.
        </p>
      )}
    </div>
  );
}
