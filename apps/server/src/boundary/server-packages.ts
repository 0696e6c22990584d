import type { ReviewPackage } from '@reeve/protocol';
import type { DeclaredServer } from './declared-server.ts';

/** What is known of the packages that commands of servers fetch before they run. Nothing here fetches or runs one. */
export interface ServerPackages {
  /** Asks nobody. Undefined for a command that fetches nothing, and for a package that no registry has by name and version. */
  known(server: DeclaredServer, fingerprint: string): Promise<ReviewPackage | undefined>;
  /** For a review: the registry is asked for what is not known. Rejects only with the signal's reason. */
  examine(server: DeclaredServer, fingerprint: string, signal: AbortSignal): Promise<ReviewPackage | undefined>;
  /** A person approved the server with this package: from now on that archive runs. Durable once resolved. */
  approve(fingerprint: string, shown: ReviewPackage): Promise<void>;
  /** What a server of this fingerprint is approved or started with next counts then. Durable once resolved. */
  forget(fingerprint: string): Promise<void>;
}
