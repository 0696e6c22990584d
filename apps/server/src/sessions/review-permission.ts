import {
  type JsonObject,
  META_KEY,
  packageText,
  type RequestId,
  type ReviewParams,
  reachText,
  rootNotes,
  wishText,
} from '@reeve/protocol';
import type { ClientPort } from './client-port.ts';

/** The ids are those that the answer to a review is known by; see `checkReview`. */
const OPTIONS = [
  { optionId: 'allow_once', name: 'Allow in this session', kind: 'allow_once', scope: 'session' },
  { optionId: 'allow_always', name: 'Allow in this project', kind: 'allow_always', scope: 'project' },
  { optionId: 'reject_once', name: 'Deny', kind: 'reject_once', scope: undefined },
] as const;

/**
 * A review in the words of a permission, but for the session's id, with all of it under our key (ACP v1 and v2,
 * `RequestPermissionRequest`). In v2 it has no subject: it is about no tool call of the agent, of which the client would have to keep one.
 */
export function reviewPermission(
  requestId: RequestId,
  review: ReviewParams,
  { protocolVersion }: Pick<ClientPort['profile'], 'protocolVersion'>,
): JsonObject {
  const scopes: readonly (string | undefined)[] = [...review.scopes, undefined];
  const [title, text] = [titleOf(review), textOf(review)];
  const toolCall = {
    toolCallId: `review-${requestId}`,
    title,
    kind: 'other',
    status: 'pending',
    content: [{ type: 'content', content: { type: 'text', text } }],
  };
  return {
    ...(protocolVersion === 2 ? { title, description: text } : { toolCall }),
    options: OPTIONS.filter(({ scope }) => scopes.includes(scope)).map(({ scope: _, ...option }) => option),
    _meta: { [META_KEY]: { requestId, review } },
  };
}

function titleOf({ review, server, roots = [], call }: ReviewParams): string {
  switch (review) {
    case 'server':
      return `${server.changed ? 'Start the changed' : 'Start the'} MCP server "${server.name}"`;
    case 'root':
      return `Show directories to the MCP server "${server.name}"${roots.some(({ joinsSession }) => joinsSession) ? ', and to the agent' : ''}`;
    case 'call':
      return `Let the MCP server "${server.name}" run ${call?.tool ?? call?.method ?? 'a call'}`;
  }
}

/** Nothing is shortened: a person decides by this. */
function textOf({ server, roots = [], tools, call, wanted }: ReviewParams): string {
  const { command, args = [], variables = [], package: fetched, network, url, fingerprint, sandboxed, local } = server;
  const program =
    command === undefined ? [] : [`Command: ${[command, ...args].map((word) => JSON.stringify(word)).join(' ')}`];
  return [
    ...(call?.arguments === undefined ? [] : [`Arguments: ${call.arguments}`]),
    ...program,
    ...(fetched === undefined ? [] : [`Package: ${packageText(fetched)}`]),
    ...(variables.length === 0 ? [] : [`Variables: ${variables.join(', ')} (their values are not shown)`]),
    ...(url === undefined ? [] : [`URL: ${url}`]),
    `${local ? 'On this machine' : 'Remote'}, ${sandboxed ? 'held to its roots by the operating system' : 'not confined'}`,
    ...(network === undefined ? [] : [`Network: ${reachText(network)}`]),
    ...roots.map(
      (root) => `Directory: ${root.path} (${[root.access, root.risks.join(', '), ...rootNotes(root)].join('; ')})`,
    ),
    ...(wanted === undefined ? [] : [`Asked for: ${wishText(wanted)}; a yes gives no more`]),
    ...(tools === undefined
      ? []
      : [
          `Tools: ${tools.total}, of them ${tools.destructive} destructive, ${tools.trusted ? 'trusted' : 'by its own word'}`,
        ]),
    `Fingerprint: ${fingerprint}`,
  ].join('\n');
}
