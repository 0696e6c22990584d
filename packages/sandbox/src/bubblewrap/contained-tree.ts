import type { ProcessTable } from '../process-table.ts';
import { startedAt } from '../process-table.ts';
import type { ProcessTree } from '../process-tree.ts';

/** How long the first process, alone, may take to tell how the leader ended, before it is killed too. */
const farewellMs = 1_000;

/**
 * The tree of a process namespace. SIGKILL goes to its first process, with which the kernel ends all of the namespace
 * before it lets that one go; other signals go to all but that one, which has no handlers and so is out of their reach.
 *
 * @param init process id, outside, of the first process in the namespace.
 */
export function createContainedTree(init: number, table: ProcessTable | undefined): ProcessTree {
  const began = startedAt(init);
  let emptySince: number | undefined;
  const alive = () => began !== undefined && startedAt(init) === began;
  const members = async (): Promise<readonly number[]> => {
    if (!alive()) return [];
    const rows = (await table?.read()) ?? [];
    const children = Map.groupBy(rows, (row) => row.parent);
    const found = new Set<number>();
    const add = (parent: number) => {
      for (const { pid } of children.get(parent) ?? []) found.add(pid);
    };
    add(init);
    // A set yields what is added to it while it is walked: so the children of children are found too.
    for (const pid of found) add(pid);
    return [...found];
  };
  return {
    members,
    async signal(signal) {
      const all = await members();
      if (signal === 'SIGKILL') {
        if (!alive()) return 0;
        if (all.length === 0) emptySince ??= performance.now();
        if (all.length > 0 || performance.now() - (emptySince ?? 0) > farewellMs) kill(init, signal);
        return 1;
      }
      for (const pid of all) kill(pid, signal);
      return all.length;
    },
  };
}

function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
