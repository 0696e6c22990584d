// Makes a fresh clone ready for `npm start`, `npm test`, `npm run check` or `npm run bench`.
// Plain JavaScript that Node 20 reads: it runs before the pinned Node is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const top = dirname(dirname(fileURLToPath(import.meta.url)));
const purpose = process.argv[2] ?? 'start';

/** Installs `folder` from its lockfile, unless the stamp says that this very lockfile is installed already. */
function install(folder, extent, args) {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stampFile = join(folder, 'node_modules', '.reeve-setup.json');
  const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
  if (stamp.lock === lock && (stamp.extent === extent || stamp.extent === 'all')) return;
  console.error(`reeve: installing ${extent === 'all' ? 'everything' : 'what serving needs'} in ${folder} …`);
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0) {
    console.error(`reeve: "npm ci" failed in ${folder} (exit ${done.status ?? done.signal}).`);
    console.error('reeve: check that the npm registry can be reached, then run the same command again.');
    process.exit(1);
  }
  writeFileSync(stampFile, JSON.stringify({ lock, extent }));
}

/**
 * Sees to it that `command` is there: from the Debian package `pkg` when we are root, else by saying what to do. Ends
 * the set-up if it is not there then, unless the purpose can do `without` it; that says how.
 */
function need(command, pkg, why, without) {
  if (spawnSync('sh', ['-c', `command -v ${command}`]).status === 0) return;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && spawnSync('sh', ['-c', 'command -v apt-get']).status === 0) {
    console.error(`reeve: installing the system package "${pkg}": ${why} …`);
    const quiet = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    spawnSync('apt-get', ['update', '-qq'], quiet);
    if (spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', pkg], quiet).status === 0) return;
  }
  const install = `Install it with the package manager of this system (Debian: apt-get install ${pkg})`;
  if (without !== undefined) {
    console.error(`reeve: "${command}" is missing: ${why}. ${install}; ${without}.`);
    return;
  }
  console.error(`reeve: "${command}" is missing: ${why}. ${install} and run the same command again.`);
  process.exit(1);
}

/** What the console is made of: a change of any of it is another build. */
const consoleSources = [
  'apps/console/index.html',
  'apps/console/package.json',
  'apps/console/public',
  'apps/console/src',
  'apps/console/vite.config.ts',
  'packages/client/src',
  'packages/protocol/src',
  'package-lock.json',
];

/** Builds the console, unless the stamp says that these very sources are built already. Serving goes on without it. */
function buildConsole() {
  const hash = createHash('sha256');
  for (const source of consoleSources) {
    const place = join(top, source);
    const inside = statSync(place).isDirectory() ? readdirSync(place, { recursive: true }).map(String).sort() : [''];
    for (const file of inside) {
      const path = join(place, file);
      if (/\.test\.tsx?$/.test(file) || statSync(path).isDirectory()) continue;
      hash.update(`${source}/${file}\0`).update(readFileSync(path)).update('\0');
    }
  }
  const sources = hash.digest('hex');
  const stampFile = join(top, 'apps', 'console', 'dist', '.build.json');
  if (existsSync(stampFile) && JSON.parse(readFileSync(stampFile, 'utf8')).sources === sources) return;
  console.error('reeve: building the console …');
  const done = spawnSync('npm', ['run', '--silent', 'build', '-w', '@reeve/console'], {
    cwd: top,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status === 0) {
    writeFileSync(stampFile, JSON.stringify({ sources }));
    return;
  }
  console.error(`reeve: the console could not be built (exit ${done.status ?? done.signal}).`);
  if (purpose !== 'start') process.exit(1);
  console.error('reeve: the server starts without it; mend what stands above, and start it again.');
}

if (purpose === 'start') install(top, 'serving', ['--omit=dev']);
else install(top, 'all', []);
if (purpose === 'test') install(join(top, 'e2e', 'agents'), 'all', []);
if (purpose === 'test') need('openssl', 'openssl', 'the tests of TLS make a certificate with it');
if (purpose === 'test') need('chromium', 'chromium', 'the tests of the console run in it');
const onLinux = process.platform === 'linux';
if (purpose === 'test' && onLinux) need('bwrap', 'bubblewrap', 'the tests of the sandbox run it');
if (purpose === 'start' && onLinux) {
  need('bwrap', 'bubblewrap', 'it confines agents to their directories', 'until then nothing confines them');
}
if (purpose !== 'check') buildConsole();
