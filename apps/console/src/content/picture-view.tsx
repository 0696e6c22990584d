/** Formats that browsers draw without running anything. */
const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

interface PictureProps {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** A picture of an agent or a client; another format than the usual ones is named, not drawn. */
export function PictureView({ data, mimeType }: PictureProps) {
  if (!DRAWN.has(mimeType) || !/^[A-Za-z0-9+/=\s]*$/.test(data)) {
    return <p className="text-sm text-muted">A picture of a kind that is not shown here.</p>;
  }
  return (
    <img
      src={`data:${mimeType};base64,${data}`}
      alt="Sent in this session; nobody described it"
      className="max-h-96 max-w-full rounded-md border"
    />
  );
}
