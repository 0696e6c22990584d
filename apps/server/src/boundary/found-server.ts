import type { BoundaryRoot, ReviewPackage } from '@reeve/protocol';
import { type CommandLineRule, commandLineRoots, commandLineRule } from './command-line-roots.ts';
import type { Decisions } from './decision-book.ts';
import type { DeclaredServer } from './declared-server.ts';
import { type FingerprintOptions, fingerprintOf } from './server-fingerprint.ts';
import type { SessionGround } from './session-ground.ts';

/** What was found out about one server of a session. */
export interface FoundServer {
  readonly fingerprint: string;
  readonly commandLine: readonly BoundaryRoot[] | undefined;
  readonly named: CommandLineRule;
  readonly decisions: Decisions;
  /** Another fingerprint was approved under this name, for this session, its project or always. */
  readonly changed: boolean;
  readonly package: ReviewPackage | undefined;
}

/** Looks at it as it is now. */
export async function findServer(ground: SessionGround, server: DeclaredServer): Promise<FoundServer> {
  const { book, packages } = ground.services;
  const { cwd } = ground;
  const fingerprint = await fingerprintOf(server, siteOf(ground));
  const [commandLine, decisions, changed, fetched] = await Promise.all([
    commandLineRoots(server.transport, cwd),
    book.of(fingerprint),
    book.approvedOtherwise(server.name, fingerprint, ground.place()),
    packages?.known(server, fingerprint),
  ]);
  const named = commandLineRule(commandLine);
  return { fingerprint, commandLine, named, decisions, changed, package: fetched };
}

/** Where what its command line names is looked for. */
export function siteOf(ground: SessionGround): FingerprintOptions {
  const { cwd, services } = ground;
  return { cwd, roots: ground.boundary().roots.map(({ path }) => path), searchPath: services.searchPath };
}
