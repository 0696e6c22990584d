import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const top = resolve(import.meta.dirname, '..');

/** Who may import whom. A new room or arrow is an edit here. Files of a room may always import their own room. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'packages/protocol': [],
  'packages/policy': ['packages/protocol'],
  'packages/sandbox': [],
  'packages/client': ['packages/protocol'],
  'packages/client/src/react': ['packages/protocol', 'packages/client'],
  'packages/testkit': ['packages/protocol'],
  'apps/server/src/events': ['packages/protocol'],
  /** How long work lets everybody else wait. */
  'apps/server/src/pace': [],
  'apps/server/src/audit': ['packages/protocol', 'packages/policy', 'apps/server/src/pace'],
  'apps/server/src/requests': ['packages/protocol', 'apps/server/src/audit'],
  'apps/server/src/install': ['packages/protocol', 'packages/sandbox', 'apps/server/src/pace'],
  'apps/server/src/boundary': [
    'packages/protocol',
    'packages/policy',
    'packages/sandbox',
    'apps/server/src/requests',
    'apps/server/src/audit',
    'apps/server/src/events',
    'apps/server/src/pace',
  ],
  'apps/server/src/mcp': [
    'packages/protocol',
    'packages/policy',
    'packages/sandbox',
    'apps/server/src/boundary',
    'apps/server/src/install',
    'apps/server/src/audit',
    'apps/server/src/pace',
  ],
  'apps/server/src/fs': ['packages/protocol', 'apps/server/src/boundary'],
  'apps/server/src/terminal': ['packages/protocol', 'packages/sandbox', 'apps/server/src/boundary'],
  'apps/server/src/agents': ['packages/protocol', 'packages/sandbox', 'apps/server/src/install'],
  'apps/server/src/sessions': [
    'packages/protocol',
    'packages/sandbox',
    'apps/server/src/agents',
    'apps/server/src/boundary',
    'apps/server/src/mcp',
    'apps/server/src/fs',
    'apps/server/src/terminal',
    'apps/server/src/requests',
    'apps/server/src/audit',
    'apps/server/src/events',
    'apps/server/src/pace',
  ],
  /** What every WebSocket has: a subprotocol, and somebody at its other end. */
  'apps/server/src/sockets': ['packages/protocol'],
  'apps/server/src/acp': [
    'packages/protocol',
    'apps/server/src/sockets',
    'apps/server/src/sessions',
    'apps/server/src/agents',
    'apps/server/src/audit',
    'apps/server/src/events',
  ],
  'apps/server/src/http': [
    'packages/protocol',
    'apps/server/src/sockets',
    'packages/policy',
    'packages/sandbox',
    'apps/server/src/sessions',
    'apps/server/src/agents',
    'apps/server/src/boundary',
    'apps/server/src/mcp',
    'apps/server/src/requests',
    'apps/server/src/audit',
    'apps/server/src/events',
  ],
  'apps/server/src/store': [
    'packages/protocol',
    'apps/server/src/sessions',
    'apps/server/src/boundary',
    'apps/server/src/requests',
    'apps/server/src/audit',
    'apps/server/src/events',
  ],
  'apps/server/src/diagnostics': ['packages/protocol'],
  'apps/server/src/config': [],
  'apps/server/src/doctor': [
    'packages/protocol',
    'packages/sandbox',
    'apps/server/src/config',
    'apps/server/src/store',
  ],
  'apps/server/src/main.ts': [
    'apps/server/src/wire-server.ts',
    'apps/server/src/config',
    'apps/server/src/doctor',
    'apps/server/src/store',
  ],
  'apps/server/src/wire-agents.ts': [
    'packages/protocol',
    'packages/sandbox',
    'apps/server/src/agents',
    'apps/server/src/audit',
    'apps/server/src/boundary',
    'apps/server/src/config',
    'apps/server/src/diagnostics',
    'apps/server/src/doctor',
    'apps/server/src/install',
  ],
  'apps/server/src/wire-requests.ts': [
    'apps/server/src/audit',
    'apps/server/src/config',
    'apps/server/src/diagnostics',
    'apps/server/src/events',
    'apps/server/src/http',
    'apps/server/src/requests',
  ],
  'apps/server/src/wire-gateway.ts': [
    'packages/sandbox',
    'apps/server/src/audit',
    'apps/server/src/boundary',
    'apps/server/src/config',
    'apps/server/src/diagnostics',
    'apps/server/src/install',
    'apps/server/src/mcp',
  ],
  'apps/server/src/wire-governance.ts': [
    'apps/server/src/wire-gateway.ts',
    'packages/policy',
    'apps/server/src/boundary',
    'apps/server/src/config',
    'apps/server/src/mcp',
    'apps/server/src/requests',
    'apps/server/src/sessions',
    'apps/server/src/store',
  ],
  'apps/server/src/wire-server.ts': [
    'apps/server/src/wire-agents.ts',
    'apps/server/src/wire-governance.ts',
    'apps/server/src/wire-requests.ts',
    'packages/protocol',
    'apps/server/src/acp',
    'apps/server/src/agents',
    'apps/server/src/audit',
    'apps/server/src/boundary',
    'apps/server/src/config',
    'apps/server/src/diagnostics',
    'apps/server/src/events',
    'apps/server/src/http',
    'apps/server/src/install',
    'apps/server/src/sessions',
    'apps/server/src/store',
  ],
  'apps/console': ['packages/client', 'packages/protocol'],
  /** Programs of their own, which a sandbox shows without the packages beside them. */
  'apps/cli/src/demo-agent': [],
  'apps/cli': [
    'packages/protocol',
    'packages/policy',
    'packages/client',
    'apps/server/src/main.ts',
    'apps/server/src/audit',
    'apps/server/src/config',
  ],
};

/** Dependencies that only one room may have, because what they do is dangerous or because they may be replaced. */
const ONE_IMPORTER: Readonly<Record<string, readonly string[]>> = {
  'node:child_process': ['packages/sandbox', 'packages/testkit', 'apps/cli/src/demo-agent'],
  'node:sqlite': ['apps/server/src/store'],
  'node:worker_threads': ['apps/server/src/store'],
  ws: ['apps/server/src/acp', 'apps/server/src/http', 'apps/server/src/sockets', 'apps/cli', 'packages/testkit'],
  hono: ['apps/server/src/http'],
  react: ['packages/client/src/react', 'apps/console'],
  'react-dom': ['apps/console'],
  pino: ['apps/server/src/diagnostics'],
  zod: ['apps/server/src/config', 'apps/server/src/http'],
  semver: ['apps/server/src/install'],
  commander: ['apps/cli'],
  '@cedar-policy/cedar-wasm/nodejs': ['packages/policy'],
  '@copilotkit/aimock': ['packages/testkit'],
};

const PACKAGES: Readonly<Record<string, string>> = {
  '@reeve/protocol': 'packages/protocol',
  '@reeve/policy': 'packages/policy',
  '@reeve/sandbox': 'packages/sandbox',
  '@reeve/sandbox/examine': 'packages/sandbox',
  '@reeve/client': 'packages/client',
  '@reeve/client/react': 'packages/client',
  '@reeve/testkit': 'packages/testkit',
  '@reeve/server': 'apps/server/src/main.ts',
  '@reeve/server/audit': 'apps/server/src/audit',
  '@reeve/server/config': 'apps/server/src/config',
};

/** What a start does not read, since only sessions or people who ask need it: files, folders and dependencies. */
const LATE = [
  '@cedar-policy/cedar-wasm/nodejs',
  'semver',
  'apps/server/src/doctor/',
  'apps/server/src/mcp/endpoint/',
  'apps/server/src/mcp/gate/',
  'apps/server/src/mcp/relay/',
  'apps/server/src/mcp/upstream/',
  'packages/sandbox/src/egress/egress-plan.ts',
  'packages/sandbox/src/escape/',
  'packages/sandbox/src/survey/',
];

interface Import {
  readonly file: string;
  readonly specifier: string;
}

const sources = globSync(['packages/*/src/**/*.{ts,tsx}', 'apps/*/src/**/*.{ts,tsx}'], { cwd: top })
  .map((file) => file.replaceAll('\\', '/'))
  .sort();
const product = sources.filter((file) => !/\.(test|contract|rig)\.tsx?$/.test(file));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(top, file), 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|\bimport\(\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'/g,
  );
  return [...found].map((match) => ({ file, specifier: (match[1] ?? match[2] ?? match[3]) as string }));
}

/** The longest room that a file or package lies in; `config.ts` and `config.test.ts` lie in `config`. */
function roomOf(place: string): string | undefined {
  return Object.keys(ROOMS)
    .filter((room) => place === room || place.startsWith(`${room}/`) || place.startsWith(`${room}.`))
    .sort((a, b) => b.length - a.length)[0];
}

function targetRoom({ file, specifier }: Import): string | undefined {
  if (specifier.startsWith('.'))
    return roomOf(relative(top, resolve(top, dirname(file), specifier)).replaceAll('\\', '/'));
  return specifier in PACKAGES ? roomOf(PACKAGES[specifier] as string) : undefined;
}

/** All that is read when a file is: files, and the dependencies that they name. Types and `import()` are left out. */
function readWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(top, file), 'utf8');
  for (const [, specifier = ''] of text.matchAll(
    /(?:^|\n)(?:import|export)\b(?!\s+type\b)(?:[^'";]*?\bfrom)?\s*'([^']+)'/g,
  )) {
    const root = PACKAGES[specifier];
    if (specifier.startsWith('.')) readWith(relative(top, resolve(top, dirname(file), specifier)), seen);
    else if (root?.startsWith('packages/')) readWith(`${root}/src/index.ts`, seen);
    else seen.add(specifier);
  }
  return seen;
}

/** Files that import each other in a circle, each circle as the way round; types count too. */
function circles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file].join(' -> '));
    if (done.has(file) || way.includes(file)) return;
    for (const { specifier } of importsOf(file)) {
      if (!specifier.startsWith('.')) continue;
      const target = relative(top, resolve(top, dirname(file), specifier)).replaceAll('\\', '/');
      if (known.has(target)) visit(target, [...way, file]);
    }
    done.add(file);
  };
  const known = new Set(sources);
  for (const file of sources) visit(file, []);
  return found;
}

describe('the architecture', () => {
  it('has a room for every source file', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it('imports only along the arrows of the plan', () => {
    const wrong = product.flatMap(importsOf).filter((found) => {
      const from = roomOf(found.file) as string;
      const to = targetRoom(found);
      return to !== undefined && to !== from && !ROOMS[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('has no files that import each other in a circle', () => {
    expect(circles()).toEqual([]);
  });

  it('never imports an inside of another package', () => {
    const wrong = sources
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier.startsWith('@reeve/') && !(specifier in PACKAGES));
    expect(wrong).toEqual([]);
  });

  it('leaves the test kit out of what is shipped', () => {
    const shipped = product.filter((file) => !file.startsWith('packages/testkit/'));
    expect(shipped.flatMap(importsOf).filter(({ specifier }) => specifier === '@reeve/testkit')).toEqual([]);
  });

  it('keeps each dangerous dependency to its importers', () => {
    const wrong = product.flatMap(importsOf).filter(({ file, specifier }) => {
      const name = specifier.startsWith('node:') || specifier.startsWith('@') ? specifier : specifier.split('/')[0];
      const allowed = ONE_IMPORTER[name as string];
      return allowed !== undefined && !allowed.includes(roomOf(file) as string);
    });
    expect(wrong).toEqual([]);
  });

  it('decides policy without Node: its host brings every fact', () => {
    const pure = product.filter((file) => file.startsWith('packages/policy/'));
    expect(pure.length).toBeGreaterThan(5);
    expect(pure.flatMap(importsOf).filter(({ specifier }) => specifier.startsWith('node:'))).toEqual([]);
    const globals = /\b(?:process|Buffer|require|__dirname)\b(?=[.(])/;
    expect(pure.filter((file) => globals.test(readFileSync(join(top, file), 'utf8')))).toEqual([]);
  });

  it('starts a server without what only sessions need', () => {
    const read = [...readWith('apps/server/src/main.ts'), ...readWith('apps/server/src/wire-server.ts')];
    expect(read.length).toBeGreaterThan(200);
    expect(read.filter((name) => LATE.some((late) => name.startsWith(late)))).toEqual([]);
    const gone = LATE.filter((late) => late.includes('/src/') && !product.some((file) => file.startsWith(late)));
    expect(gone).toEqual([]);
  });

  it('reads the environment only in the configuration and the command line', () => {
    const readers = product.filter((file) => /\bprocess\.env\b/.test(readFileSync(join(top, file), 'utf8')));
    const allowed = (file: string): boolean =>
      file.startsWith('apps/cli/') || file.startsWith('packages/testkit/') || file === 'apps/server/src/config.ts';
    expect(readers.filter((file) => !allowed(file))).toEqual([]);
  });

  it('has an index file only at the root of a package', () => {
    expect(
      sources.filter((file) => file.endsWith('/index.ts') && !/^packages\/[^/]+\/src\/index\.ts$/.test(file)),
    ).toEqual([]);
  });

  it('has no file named for nothing in particular', () => {
    expect(sources.filter((file) => /\/(utils?|helpers?|types|common|misc|manager)\.tsx?$/.test(file))).toEqual([]);
  });
});
