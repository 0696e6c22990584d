import type { ReviewPackage } from '@reeve/protocol';
import type { DeclaredServer } from '../../boundary/declared-server.ts';
import type { ServerPackages } from '../../boundary/server-packages.ts';
import type { PackageInstaller } from '../../install/package-installer.ts';
import { orAborted } from '../../pace/or-aborted.ts';
import { inTurn } from './in-turn.ts';
import type { PackagePins } from './package-pins.ts';
import { packageRunner } from './package-runner.ts';
import { parseSpec } from './package-spec.ts';

export interface ServerPackagesOptions {
  /** Of the installer, what asks the registry. */
  readonly installer: Pick<PackageInstaller, 'resolve' | 'integrity'>;
  readonly pins: PackagePins;
}

/** Questions to the registry at the same time: each is a process, and a session may bring any number of servers. */
const AT_ONCE = 4;

/** The packages of servers as the registry and the pins have them. */
export function createServerPackages({ installer, pins }: ServerPackagesOptions): ServerPackages {
  const turn = inTurn(AT_ONCE);

  async function known({ transport }: DeclaredServer, fingerprint: string): Promise<ReviewPackage | undefined> {
    if (transport.kind !== 'stdio') return undefined;
    const runner = packageRunner(transport.command, transport.args);
    if (runner?.kind === 'python' && runner.spec !== undefined)
      return { kind: 'unpinned', registry: 'pypi', spec: runner.spec, name: pythonName(runner.spec) };
    const parsed = runner?.kind === 'npm' ? parseSpec(runner.spec) : undefined;
    if (runner?.kind !== 'npm' || parsed === undefined) return undefined;
    const { spec } = runner;
    const { name } = parsed;
    const pin = await pins.find(fingerprint, spec);
    if (pin === undefined) return { kind: 'unresolved', registry: 'npm', spec, name, why: 'it was never started' };
    return { kind: 'pinned', registry: 'npm', spec, name, ...pin };
  }

  /** Asks the registry. Never rejects. */
  async function resolve(spec: string): Promise<ReviewPackage | undefined> {
    const parsed = parseSpec(spec);
    if (parsed === undefined) return undefined;
    const { name, wanted } = parsed;
    const unresolved = (why: string): ReviewPackage => ({ kind: 'unresolved', registry: 'npm', spec, name, why });
    try {
      const found =
        wanted.kind === 'exact' ? ({ ...wanted, kind: 'resolved' } as const) : await installer.resolve(name, wanted);
      if (found.kind === 'unknown-package') return unresolved('the npm registry has no such package');
      if (found.kind === 'no-match') return unresolved('the npm registry has no such version');
      if (found.kind === 'unreachable') return unresolved('the npm registry could not be reached');
      const archive = await installer.integrity(name, found.version);
      if (archive.kind !== 'known') return unresolved(`the npm registry gives no sha512 for ${found.version}`);
      const { version } = found;
      return { kind: 'resolved', registry: 'npm', spec, name, version, integrity: archive.integrity };
    } catch {
      return unresolved('the npm registry could not be asked');
    }
  }

  return {
    known,
    async examine(server, fingerprint, signal) {
      const before = await known(server, fingerprint);
      if (before?.kind !== 'unresolved') return before;
      const { spec } = before;
      return orAborted(
        turn(async () => (signal.aborted ? before : resolve(spec))),
        signal,
      );
    },
    async approve(fingerprint, shown) {
      if (shown.kind !== 'resolved') return;
      const { spec, version, integrity } = shown;
      await pins.keep(fingerprint, spec, { version, integrity });
    },
    forget: (fingerprint) => pins.forget(fingerprint),
  };
}

/** The name before version, extras and markers (PEP 508); of an address all of it. */
function pythonName(spec: string): string {
  return /^[A-Za-z0-9][\w.-]*(?=$|[[@=<>!~;\s])/.exec(spec)?.[0] ?? spec;
}
