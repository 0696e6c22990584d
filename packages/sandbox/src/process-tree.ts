import type { ProcessRow, ProcessTable } from './process-table.ts';

/** A process and all that it brought forth, found by group, marker and descent. */
export interface ProcessTree {
  /** The process ids of those alive. Who was seen once is remembered, even after it has lost group, marker and parent. */
  members(): Promise<readonly number[]>;
  /** Sends `signal` to each member; answers how many there were. One that forks meanwhile can leave another behind. */
  signal(signal: NodeJS.Signals): Promise<number>;
}

export interface TreeIdentity {
  /** Process id of the leader, which is the id of its group too. */
  readonly leader: number;
  readonly marker: string;
}

/** @param table undefined where the system has none: then only the process group is held. */
export function createProcessTree(identity: TreeIdentity, table: ProcessTable | undefined): ProcessTree {
  return table === undefined ? groupOnly(identity.leader) : wholeTree(identity, table);
}

function wholeTree(identity: TreeIdentity, table: ProcessTable): ProcessTree {
  let known: ReadonlyMap<number, number> = new Map();
  const look = async () => {
    const members = membersOf(await table.read(), identity, known);
    known = new Map(members.map((row) => [row.pid, row.startedAt]));
    return members;
  };
  return {
    members: async () => (await look()).map((row) => row.pid),
    async signal(signal) {
      const members = await look();
      // The group at once, which no fork can slip through, then those outside it.
      const grouped = members.filter((row) => row.group === identity.leader);
      if (grouped.length > 0) kill(-identity.leader, signal);
      for (const row of members) if (row.group !== identity.leader) kill(row.pid, signal);
      // Whoever left the group between the look and the signal has got none.
      const reached = new Set(grouped.map((row) => row.pid));
      const after = grouped.length > 0 ? await look() : [];
      for (const row of after) if (row.group !== identity.leader && reached.has(row.pid)) kill(row.pid, signal);
      return members.length;
    },
  };
}

function groupOnly(leader: number): ProcessTree {
  return {
    members: async () => (kill(-leader, 0) ? [leader] : []),
    signal: async (signal) => (kill(-leader, signal) ? 1 : 0),
  };
}

/** @param known start times by process id of those that earlier tables showed to be members. */
export function membersOf(
  rows: readonly ProcessRow[],
  { leader, marker }: TreeIdentity,
  known: ReadonlyMap<number, number>,
): readonly ProcessRow[] {
  const members = new Set(
    rows.filter((row) => row.group === leader || row.marker === marker || known.get(row.pid) === row.startedAt),
  );
  const children = Map.groupBy(rows, (row) => row.parent);
  // A set yields what is added to it while it is walked: so the children of children are found too.
  for (const member of members) for (const child of children.get(member.pid) ?? []) members.add(child);
  return [...members];
}

/** False when there is nothing to signal, or nothing that may be. */
function kill(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
