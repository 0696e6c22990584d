import {
  type AttachedClient,
  type ConnectionId,
  type EventSeq,
  encodeError,
  type JsonRpcId,
  ReeveError,
  rpcError,
} from '@reeve/protocol';
import type { Attachment, AttachmentOptions } from './attachment.ts';
import type { ClientPort } from './client-port.ts';
import type { SessionParts } from './session-parts.ts';

/** A connection that comes to a session. */
export type Arrival = Pick<AttachmentOptions, 'port' | 'role' | 'after' | 'streamId' | 'replays'>;

/** Whose connections are attached, in the order in which they came. */
export function attachedClients({ stream }: SessionParts): readonly AttachedClient[] {
  return stream.attachments.map(({ connectionId, port: { claimed, transport }, role, since }) => ({
    connection: connectionId,
    ...(claimed === undefined ? {} : { claimed }),
    transport,
    role,
    since,
  }));
}

/** See `Session.attach`. @throws ReeveError `overloaded` where `maxSubscribersPerSession` others are attached */
export function attach(
  { stream, idle, records }: SessionParts,
  { port, role, after, streamId, replays }: Arrival,
  maxSubscribersPerSession: number,
): Attachment | undefined {
  if (port.gone) {
    idle.look();
    return undefined;
  }
  if (!stream.attachment(port.id) && stream.attachments.length >= maxSubscribersPerSession) {
    throw new ReeveError('overloaded', {
      message: `${maxSubscribersPerSession} connections are attached to this session already (limits.maxSubscribersPerSession)`,
    });
  }
  idle.pause();
  records.reopen();
  return stream.attach(port, role, after, streamId, replays);
}

/** What is asked of people now comes to the connection after `after`. */
export function offerPending({ asked, reviews }: SessionParts, port: ClientPort, after: EventSeq): void {
  asked.offerPending(port, after);
  reviews.offerPending(port, after);
}

/** See `Session.detach`. */
export function detach(parts: SessionParts, connection: ConnectionId): void {
  const { stream, asked, reviews, agent, turns, commands, idle } = parts;
  const attachment = stream.attachment(connection);
  if (!attachment) return;
  asked.left(connection);
  reviews.left(connection);
  agent.link?.left(connection);
  const tell = (port: ClientPort, id: JsonRpcId): void => {
    const error = rpcError('request_cancelled', {
      message: 'this connection left the session, which goes on without it',
    });
    if (!port.gone) attachment.sendNow(Buffer.from(encodeError(id, error)));
  };
  if (!attachment.port.gone) turns.leave(connection, tell);
  commands.leave(connection, tell);
  stream.detach(connection);
  idle.look();
}
