import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { tarArchive } from './tar-archive.ts';

/** One version of a package, as its author published it. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** Further members of its `package.json`. */
  readonly manifest?: object;
  /** Further files by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the registry says its integrity is, where that is not the truth. */
  readonly integrity?: string;
}

/** An npm registry on a free port of loopback that serves what it was given; the last version of a name is its `latest`. */
export interface NpmRegistry extends AsyncDisposable {
  /** For `npm_config_registry`. */
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  publish(published: NpmPackage): void;
  /** From now on requests wait without an answer, for ever. */
  hang(): void;
}

export async function startNpmRegistry(packages: readonly NpmPackage[] = []): Promise<NpmRegistry> {
  const published = [...packages];
  const asked: string[] = [];
  let hanging = false;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    asked.push(path);
    if (hanging) return;
    const [name = '', archive] = path.split('/-/');
    const versions = published.filter((each) => each.name === name);
    const wanted = versions.find(({ version }) => archive === `${version}.tgz`);
    if (wanted) return void response.end(archiveOf(wanted));
    if (versions.length === 0 || archive !== undefined) {
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(packument(name, versions, url)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    asked,
    publish: (each) => void published.push(each),
    hang: () => {
      hanging = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A package whose program is the fake agent (fake-agent/flags.ts) of that version. */
export function fakeAgentPackage(name: string, version: string): NpmPackage {
  const main = new URL('./fake-agent/main.ts', import.meta.url).href;
  const program = [
    `#!${process.execPath}`,
    "process.argv = process.argv.filter((argument) => argument !== '--acp');", // Real agents take it.
    `process.argv.push('--agent-version=${version}');`,
    `import(${JSON.stringify(main)});`,
  ];
  return { name, version, manifest: { bin: { 'fake-agent': 'cli.js' } }, files: { 'cli.js': program.join('\n') } };
}

function packument(name: string, versions: readonly NpmPackage[], url: string): object {
  return {
    name,
    'dist-tags': { latest: versions.at(-1)?.version },
    versions: Object.fromEntries(versions.map((each) => [each.version, manifestOf(each, url)])),
  };
}

function manifestOf(published: NpmPackage, url: string): object {
  const { name, version, manifest = {}, integrity } = published;
  const archive = archiveOf(published);
  const sha512 = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const tarball = `${url}${name}/-/${version}.tgz`;
  return { name, version, ...manifest, dist: { tarball, integrity: integrity ?? sha512 } };
}

function archiveOf({ name, version, manifest = {}, files = {} }: NpmPackage): Buffer {
  const all = { 'package.json': JSON.stringify({ name, version, ...manifest }), ...files };
  const inFolder = Object.entries(all).map(([path, text]) => [`package/${path}`, text]);
  return gzipSync(tarArchive(Object.fromEntries(inFolder)));
}
