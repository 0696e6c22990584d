import type { Audit } from './audit/audit-fact.ts';
import type { Config } from './config.ts';
import type { Logger } from './diagnostics/logger.ts';
import type { ChangeFeed } from './events/change-feed.ts';
import { reportRequest } from './http/server-control.ts';
import { settledFact } from './requests/audited-request.ts';
import { RequestBroker } from './requests/request-broker.ts';
import type { RequestStore } from './requests/request-store.ts';
import { watchedRequests } from './requests/watched-requests.ts';

export interface RequestsWiring {
  readonly config: Config;
  readonly store: RequestStore;
  readonly audit: Audit;
  /** Told of each request that comes, and of what became of it. */
  readonly changes: ChangeFeed;
  readonly logger: Logger;
}

/** What waits for a person. Requests of agents that ended with the last server are void, and recorded as that first. */
export async function wireRequests({ config, store, audit, changes, logger }: RequestsWiring): Promise<{
  readonly requests: RequestStore;
  readonly broker: RequestBroker;
}> {
  const reason = 'the server was restarted';
  for (const request of await store.list({ pendingOnly: true })) {
    await audit.record(settledFact(request, { kind: 'void', at: Date.now(), reason }, undefined));
  }
  const left = await store.voidPending(reason, Date.now());
  if (left > 0) logger.info({ requests: left }, 'requests of agents that ended with the last server are void');
  const requests = watchedRequests(store, (what, request) =>
    changes.publish({ kind: `request.${what}`, request: reportRequest(request) }),
  );
  const broker = new RequestBroker({
    store: requests,
    audit,
    patience: config.timeouts,
    onFailure: (error) => logger.error({ err: error }, 'a request could not be stored'),
  });
  return { requests, broker };
}
