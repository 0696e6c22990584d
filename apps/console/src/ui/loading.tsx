/** What stands where something is still on its way. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div role="status" className="grid min-h-32 place-items-center p-8 text-muted">
      <span className="animate-pulse">Loading {what} …</span>
    </div>
  );
}
