import type { FrameCodec } from '../events/event-run.ts';

/** FIN and opcode text (RFC 6455, section 5.2). */
const TEXT_FRAME = 0x81;
const MAX_HEADER_BYTES = 10;

/** Server frames: unmasked, uncompressed, one message each. */
export const webSocketCodec: FrameCodec = {
  frameBytes: (messageBytes) => headerBytes(messageBytes) + messageBytes,
  write(into, offset, source, start, end) {
    const at = writeHeader(into, offset, end - start);
    return at + source.copy(into, at, start, end);
  },
};

/** One message as one frame. */
export function webSocketFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(MAX_HEADER_BYTES + message.byteLength);
  const at = writeHeader(frame, 0, message.byteLength);
  frame.set(message, at);
  return frame.subarray(0, at + message.byteLength);
}

function headerBytes(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : MAX_HEADER_BYTES;
}

function writeHeader(into: Buffer, offset: number, length: number): number {
  into[offset] = TEXT_FRAME;
  if (length < 126) {
    into[offset + 1] = length;
    return offset + 2;
  }
  if (length < 65_536) {
    into[offset + 1] = 126;
    return into.writeUInt16BE(length, offset + 2);
  }
  into[offset + 1] = 127;
  into.writeUInt32BE(Math.floor(length / 2 ** 32), offset + 2);
  return into.writeUInt32BE(length >>> 0, offset + 6);
}
