import { randomUUID } from 'node:crypto';
import { isReeveError, type RpcError, rpcError } from '@reeve/protocol';
import { type Logger, pino } from 'pino';

export type { Logger };

/** The diagnostic log: JSON lines on stderr. What agents say, tokens and environments never enter it. */
export function createLogger(level: string): Logger {
  return pino(
    { name: 'reeve', level, redact: ['token', '*.token', 'headers', '*.env'] },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** What a client is told of an error. One that was not foreseen is logged under the `logId` that the client sees. */
export function describeError(logger: Logger): (error: unknown) => RpcError {
  return (error) => {
    if (isReeveError(error)) return error.toRpc();
    const logId = randomUUID();
    logger.error({ err: error, logId }, 'an error that was not foreseen');
    const details = error instanceof Error && error.name === 'StoreError' ? error.message : 'the server failed at it';
    return rpcError('internal_error', { data: { details, logId } });
  };
}
