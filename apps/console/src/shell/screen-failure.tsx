import { useConnection } from '@reeve/client/react';
import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';

/**
 * What stands in place of a screen that could not be shown. Where the server is away, the screen was not there to be loaded: the page is loaded again
 * when the server is back, since browsers remember a file that they could not have.
 */
export function ScreenFailure({ error }: { readonly error: unknown }) {
  const { kind } = useConnection();
  const isAway = kind === 'reconnecting';
  const wasAway = useRef(isAway);
  useEffect(() => {
    if (isAway) wasAway.current = true;
    else if (wasAway.current && kind === 'live') window.location.reload();
  }, [isAway, kind]);
  return (
    <div className="mx-auto grid max-w-xl justify-items-start gap-3 p-6">
      {isAway ? (
        <>
          <h1 className="text-xl">The server is away</h1>
          <p>It does not answer, so this screen could not be loaded. It comes as soon as the server is back.</p>
          <Loading what="the screen" />
        </>
      ) : (
        <>
          <h1 className="text-xl">No screen</h1>
          <ErrorNotice
            what="This screen could not be shown. The console may have been updated meanwhile."
            error={error}
          />
          <Button kind="primary" onClick={() => window.location.reload()}>
            Load the page again
          </Button>
        </>
      )}
    </div>
  );
}
