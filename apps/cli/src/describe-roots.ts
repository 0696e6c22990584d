import type { BoundaryInfo, GrantInfo, PathCheckInfo } from '@reeve/client';
import type { RootKind } from '@reeve/protocol';
import { safeLine } from './safe-text.ts';
import { table, timeText, WHOLE } from './terminal.ts';

/** What people granted, as a table. */
export function grantTable(grants: readonly GrantInfo[]): string {
  const rows = grants.map((grant) => [
    grant.id,
    grant.decision,
    grant.serverName,
    grant.access,
    grant.scope,
    grant.expiresAt === undefined ? '' : timeText(grant.expiresAt),
    grant.by,
    grant.path,
  ]);
  return table(['GRANT', 'DECISION', 'SERVER', 'ACCESS', 'SCOPE', 'EXPIRES', 'BY', 'ROOT'], rows, WHOLE);
}

/** The roots of a session, and how they stand with its servers. */
export function boundaryLines({ revision, roots, lost = [], network, live, servers }: BoundaryInfo): readonly string[] {
  const rules = typeof network === 'object' ? `only ${network.allow.join(', ')}` : network;
  const granted = servers.flatMap(({ name, roots: standing }) =>
    standing.map(({ root, state, access, only, why }) => {
      const part = only === undefined ? '' : ` (of it only ${only.join(', ')})`;
      return [name, why === undefined ? state : `${state} *`, accessOf({ ...root, access }), `${root.path}${part}`];
    }),
  );
  const whys = new Set(servers.flatMap(({ roots: standing }) => standing.flatMap(({ why }) => why ?? [])));
  return [
    `boundary, revision ${revision}${rules === undefined ? '' : `, network: ${safeLine(rules, 500)}`}`,
    ...table(
      ['ACCESS', 'NAME', 'ROOT'],
      roots.map((root) => {
        const access = accessOf(root);
        return [lost.includes(root.path) ? `${access}, lost` : access, root.name, root.path];
      }),
      WHOLE,
    ).split('\n'),
    ...(granted.length > 0 ? table(['SERVER', 'STATE', 'ACCESS', 'ROOT'], granted, WHOLE).split('\n') : []),
    ...[...whys].map((why) => safeLine(`* ${why}`, 5000)),
    ...(lost.length > 0 ? [LOST] : []),
    ...(live ? [] : ['the session has no process: how its MCP servers stand is known once it has one']),
  ];
}

/** What a path may be used for; why not, and what to do about it, where the agent may. */
export function checkLines({ path, canonical, agent, servers, reason, next }: PathCheckInfo): readonly string[] {
  const leads = canonical === undefined || canonical === path ? '' : `, which is ${canonical}`;
  return [
    safeLine(`${path}${leads}`, 9000),
    `  ${'agent'.padEnd(20)} ${ACCESS_WORDS[agent]}`,
    ...servers.map(({ server, access, state, why }) => {
      const how = state === 'outside' || why !== undefined ? 'outside what it has' : state;
      return `  ${safeLine(server, 64).padEnd(20)} ${ACCESS_WORDS[access]} (${how})`;
    }),
    ...(reason === undefined || agent === 'none' ? [] : [safeLine(reason, 2000)]),
    ...(next === undefined || agent === 'none' ? [] : [`  next: ${safeLine(next, 2000)}`]),
  ];
}

/** How a root may be used, and that it is a file where it is one: never beside the path, which may be called anything. */
export function accessOf({ access, kind }: { readonly access: string; readonly kind?: RootKind }): string {
  return kind === 'file' ? `${access}, file` : access;
}

const LOST =
  'lost: moved, replaced or deleted since it was approved; put it back, or approve what is there now with "reeve roots approve"';

const ACCESS_WORDS = { rw: 'may read and write it', ro: 'may read it', none: 'may not use it' } as const;
