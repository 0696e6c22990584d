import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isWithin } from './open-path.ts';

/** Addresses of the console's screens: the page itself reads them. `/*` stands for whatever comes below. */
const SCREENS: readonly string[] = [
  '/',
  '/requests/*',
  '/sessions',
  '/sessions/*',
  '/boundaries',
  '/boundaries/*',
  '/servers',
  '/agents',
  '/policy',
  '/audit',
];

/** What strangers may be served: files that everybody has who has the program. */
export const CONSOLE_PATHS: readonly string[] = [...SCREENS, '/assets/*', '/icon.svg'];

/** Whether a path is of the console, screen or none: the page says there that there is no such screen. */
export function isConsolePage(path: string): boolean {
  return !path.includes('%') && !/^\/(v1|acp|assets)(\/|$)/i.test(path);
}

/** What may be on the page: its own files and calls to its own server. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

const compress = promisify(gzip);

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reeve: the console is not built</title></head><body>
<h1>The console is not built</h1>
<p>The server runs, and so does its API. Build the page with <code>npm run build -w @reeve/console</code> in the
folder of the program, then load this address again; <code>npm start</code> does it by itself.</p>
</body></html>`;

/** The console for the path of a GET request; undefined where the path is none of its own. `forPage`: somebody opens it in a browser. */
export type ConsoleFiles = (
  path: string,
  acceptEncoding: string | undefined,
  forPage?: boolean,
) => Promise<Response | undefined>;

interface Asset {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer>;
}

/**
 * Serves what was built into `folder`. Files under `/assets/` are named for their content: they are read once and may
 * be kept for ever. The page is read anew each time, so that a build is seen without a restart.
 */
export function consoleFiles(folder: string): ConsoleFiles {
  const assets = new Map<string, Promise<Asset | undefined>>();

  async function asset(name: string, acceptEncoding: string): Promise<Response | undefined> {
    if (!/^[\w-]+(\.[\w-]+)+$/.test(name)) return undefined;
    const loading = assets.get(name) ?? load(join(folder, 'assets', name));
    assets.set(name, loading);
    const found = await loading;
    if (!found) {
      assets.delete(name);
      return undefined;
    }
    const headers = {
      'content-type': TYPES.get(extname(name)) ?? 'application/octet-stream',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    };
    if (!/\bgzip\b/.test(acceptEncoding)) return new Response(found.plain, { headers });
    return new Response(found.packed, { headers: { ...headers, 'content-encoding': 'gzip' } });
  }

  return async (path, acceptEncoding = '', forPage = false) => {
    if (path.startsWith('/assets/')) return asset(path.slice('/assets/'.length), acceptEncoding);
    if (path === '/icon.svg') {
      const icon = await read(join(folder, 'icon.svg'));
      return icon && new Response(icon, { headers: { 'content-type': 'image/svg+xml' } });
    }
    const isScreen = SCREENS.some((screen) => isWithin(screen, path));
    if (!isScreen && !(forPage && isConsolePage(path))) return undefined;
    const page = await read(join(folder, 'index.html'));
    return new Response(page ?? NOT_BUILT, {
      status: page ? (isScreen ? 200 : 404) : 503,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': PAGE_POLICY,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      },
    });
  };
}

async function load(file: string): Promise<Asset | undefined> {
  const plain = await read(file);
  return plain && { plain, packed: Uint8Array.from(await compress(plain)) };
}

async function read(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return Uint8Array.from(await readFile(file));
  } catch {
    return undefined;
  }
}
