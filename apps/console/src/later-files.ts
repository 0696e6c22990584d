/** How long a file may take, ms: over a connection from before the sleep of a machine it never comes, and a browser waits for ever. */
const FILE_MS = 15_000;
/** A browser may have several such connections, which it finds out about one by one. */
const TRIES = 3;

/** What the browser has by now. */
const here = new Set<string>();

/** Loads a module once its files are there. @param module its path below `src` */
export const later =
  <M>(module: string, load: () => Promise<M>) =>
  async (): Promise<M> => {
    await fetchFilesOf(module);
    return load();
  };

/**
 * Gets the files that a module needs, so that its import waits for nothing: an import that hangs would keep a connection for itself until the page is
 * loaded again, of the six that a browser has. Nothing is known of a module that is not built. Rejects where a file does not come.
 */
async function fetchFilesOf(module: string): Promise<void> {
  const missing = (filesByModule()[module] ?? []).filter((file) => !here.has(file));
  await Promise.all(missing.map((file) => fetchFile(file)));
}

function filesByModule(): Readonly<Record<string, readonly string[]>> {
  const built = document.querySelector<HTMLMetaElement>('meta[name="later-files"]');
  return built ? JSON.parse(built.content) : {};
}

async function fetchFile(file: string): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    const late = AbortSignal.timeout(FILE_MS);
    try {
      const response = await fetch(file, { signal: late });
      if (!response.ok) throw new Error(`The server answered ${response.status} for ${file}.`);
      await response.arrayBuffer();
      here.add(file);
      return;
    } catch (error) {
      if (!late.aborted) throw error;
      if (left === 1) throw new Error(`The server did not send ${file} within ${FILE_MS / 1000} s.`);
    }
  }
}
