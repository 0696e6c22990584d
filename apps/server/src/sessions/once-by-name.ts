import type { McpServerReport } from '@reeve/protocol';

/**
 * Each name once, as its first report tells it; the files of the others stand in `alsoIn`. Which of them the agent takes is its own
 * affair: a server that Reeve governs is no less there because a file of the project names another one.
 */
export function onceByName(reports: readonly McpServerReport[]): readonly McpServerReport[] {
  return [...Map.groupBy(reports, ({ name }) => name).values()].map((same) => {
    const [first, ...others] = same as [McpServerReport, ...McpServerReport[]];
    const files = new Set(others.flatMap(({ from }) => from ?? []));
    if (first.from !== undefined) files.delete(first.from);
    return files.size === 0 ? first : { ...first, alsoIn: [...files] };
  });
}
