import type { SurfaceRow } from './requirements/surface-row.ts';

const HEAD = `# The session surface

Which session capabilities a client finds on Reeve, whatever agent is behind it. The table is made from
\`e2e/requirements/session-surface.ts\` by \`npm run docs:surface\`; a test fails when it is not, or when a test that it names
does not exist. The wire format of each is in [acp.md](acp.md).

| capability | with an agent that has it | with an agent that lacks it | announced as |
|---|---|---|---|
`;

/** docs/session-surface.md, as the rows have it. */
export function sessionSurfacePage(rows: readonly SurfaceRow[]): string {
  const table = rows.map(({ capability, has, lacks, announced }) =>
    line(capability, has?.promise ?? 'no agent has it', lacks?.promise ?? 'every agent has it', announced),
  );
  const proofs = rows.map(
    ({ capability, has, lacks }) =>
      `### ${capability.replaceAll('`', '')}\n\n${proof('With an agent that has it', has)}${proof('With one that lacks it', lacks)}`,
  );
  return `${HEAD}${table.join('\n')}\n\n## What proves it\n\n${proofs.join('').trimEnd()}\n`;
}

function line(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function proof(who: string, promised: SurfaceRow['has']): string {
  if (!promised) return '';
  const lines = promised.tests.map(({ file, name }) => `- [${file}](../${file}): ${name.replaceAll('%s', '…')}`);
  return `${who}:\n\n${lines.join('\n')}\n\n`;
}
