import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SpawnedReeve, startReeve } from '@reeve/testkit';
import { createHttp2Fetch } from './http2-fetch.ts';

/** A Reeve behind TLS, and a fetch that trusts its certificate and speaks HTTP/2 only. */
export interface SecureReeve extends AsyncDisposable {
  readonly reeve: SpawnedReeve;
  /** PEM text of the certificate, which signs itself. */
  readonly certificate: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Needs the `openssl` program. */
export async function openSecureReeve(config: object): Promise<SecureReeve> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-tls-'));
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  await promisify(execFile)('openssl', ['req', '-x509', '-days', '2', ...key, '-out', certFile, ...subject]);
  const certificate = await readFile(certFile, 'utf8');
  const reeve = await startReeve({ config: { ...config, tls: { certFile, keyFile } } });
  const client = createHttp2Fetch(reeve.url, certificate);
  return {
    reeve,
    certificate,
    fetch: client.fetch,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await reeve[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
