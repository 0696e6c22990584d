import { relative, resolve } from 'node:path';
import type { Plugin } from 'vite';

const SOURCES = resolve(import.meta.dirname, 'src');

interface BuiltFile {
  readonly fileName: string;
  readonly facadeModuleId: string | null;
  readonly isDynamicEntry: boolean;
  readonly imports: readonly string[];
}

/**
 * Tells the page which files each module needs that it loads later, beside those that it begins with: as JSON in the element `meta` that is named
 * `later-files`, by the module's path below `src`.
 */
export function tellLaterFiles(): Plugin {
  return {
    name: 'tell-later-files',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {}, chunk: entry }) {
        const files = new Map<string, BuiltFile>();
        for (const file of Object.values(bundle)) if (file.type === 'chunk') files.set(file.fileName, file);
        const withImports = (name: string, found = new Set<string>()): Set<string> => {
          if (found.has(name)) return found;
          found.add(name);
          for (const needed of files.get(name)?.imports ?? []) withImports(needed, found);
          return found;
        };
        const first = entry ? withImports(entry.fileName) : new Set();
        const later: Record<string, readonly string[]> = {};
        for (const { facadeModuleId, fileName, isDynamicEntry } of files.values()) {
          if (!isDynamicEntry || !facadeModuleId) continue;
          later[relative(SOURCES, facadeModuleId)] = [...withImports(fileName)]
            .filter((name) => !first.has(name))
            .map((name) => `/${name}`);
        }
        const attrs = { name: 'later-files', content: JSON.stringify(later) };
        return [{ tag: 'meta', attrs, injectTo: 'head' }];
      },
    },
  };
}
