#!/usr/bin/env node
// Plain JavaScript that Node 18 reads: it finds a Node that can run the rest.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  keepCompiledCode();
  resolveWholeFileNames();
  const { main } = await import('../src/main.ts');
  await main(process.argv.slice(2));
} else {
  runWith(pinnedNode());
}

/**
 * In a directory of this user's: what is kept there runs, and Node's own choice, in the one for temporary files, is open to other users,
 * to sandboxes that were granted it, and empty after the machine started. Where $NODE_COMPILE_CACHE names one, Node has seen to it.
 */
function keepCompiledCode() {
  const { NODE_COMPILE_CACHE: named, XDG_CACHE_HOME: caches = '', HOME: home = '' } = process.env;
  if (named) return;
  // Where a parent cannot be made either, Node may try for ever.
  const place = [caches, join(home, '.cache')].find((path) => isAbsolute(path) && existsSync(dirname(path)));
  if (place !== undefined) nodeModule.enableCompileCache(join(place, 'reeve', 'compiled'));
}

/**
 * Modules that are imported by their whole file names are taken as they are named. For each of some hundreds Node would look at the
 * file, at links on its way and at the package.json above it first: a good tenth of a start.
 */
function resolveWholeFileNames() {
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      const [, extension] = /^\.{1,2}\/.*\.(m?js|ts)$/.exec(specifier) ?? [];
      if (extension === undefined || !context.conditions.includes('import')) return next(specifier, context);
      const { href: url } = new URL(specifier, context.parentURL);
      // The only sources in TypeScript are ours, all of them modules; what others are, Node finds out.
      return { url, shortCircuit: true, ...(extension === 'ts' ? { format: 'module-typescript' } : {}) };
    },
  });
}

/** The binary of the npm package `node` that this package depends on. */
function pinnedNode() {
  const require = nodeModule.createRequire(import.meta.url);
  try {
    const folder = dirname(require.resolve('node/package.json'));
    const binary = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(binary)) return binary;
  } catch {
    // Not installed: said below.
  }
  console.error(
    `reeve: needs Node ${NEEDED_MAJOR} or newer, this is ${process.versions.node}, and the npm package "node" is not installed.`,
  );
  console.error('reeve: run "npm ci" where reeve is installed, or use a newer Node.');
  return process.exit(1);
}

/**
 * Runs this script again with `binary`: same streams, its exit code is ours. Signals are told over a channel and not sent,
 * because Ctrl-C reaches both processes by itself and would count twice; the end of the channel tells that we were killed.
 */
function runWith(binary) {
  const child = spawn(binary, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (child.connected) child.send({ signal }, () => {});
      else child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`reeve: ${binary} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
