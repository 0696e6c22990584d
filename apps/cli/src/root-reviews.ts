import type { RequestInfo, ReviewParams } from '@reeve/client';
import type { ReviewRoot } from '@reeve/protocol';
import { CliError } from './exit-codes.ts';
import { safeLine } from './safe-text.ts';

/** A review of roots that asks about one in particular. */
export interface RootReview {
  readonly id: string;
  /** Of its server, quoted. */
  readonly name: string;
  readonly root: ReviewRoot;
  /** Paths that it asks about beside that one. */
  readonly others: readonly string[];
}

export interface AskedRoot {
  readonly path: string;
  /** Of this server alone. */
  readonly server: string | undefined;
}

/**
 * The reviews that an answer about one root is for. Whether a server may start is another question: where the root is asked about with
 * that alone, an error says how it is answered.
 */
export function rootReviews(requests: readonly RequestInfo[], { path, server }: AskedRoot): readonly RootReview[] {
  const found = requests.flatMap(({ id, kind, params }) => {
    const review = kind === 'review' ? (params as ReviewParams) : undefined;
    const asked = (review?.roots ?? []).filter(({ given }) => given === undefined);
    const root = asked.find((one) => one.path === path);
    if (!root || !review || (server !== undefined && review.server.name !== server)) return [];
    const others = asked.filter((one) => one !== root).map((one) => safeLine(one.path, 5000));
    return [{ id, name: JSON.stringify(safeLine(review.server.name, 64)), root, others, review: review.review }];
  });
  const [ofServer] = found.filter(({ review }) => review === 'server');
  const ofRoots = found.filter(({ review }) => review === 'root');
  if (ofServer && ofRoots.length === 0) {
    const next = `See all that it would have with "reeve requests show ${ofServer.id}"; answer it with "reeve requests answer ${ofServer.id} --approve", with a --root for each root that it may have, or with --deny.`;
    throw new CliError('error', `the MCP server ${ofServer.name} itself waits for a yes, with this root`, next);
  }
  return ofRoots;
}
