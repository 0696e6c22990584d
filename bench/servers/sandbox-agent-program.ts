import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const VERSION = '0.4.2';
const cache = join(import.meta.dirname, '..', '.cache');

/**
 * The program of sandbox-agent, as npm has it, installed into bench/.cache at the first call. Rejects with the reason where there is
 * none for this machine or npm cannot be reached.
 */
export async function sandboxAgentProgram(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`it is compared on Linux x64 only, this is ${process.platform} ${process.arch}`);
  }
  const name = '@sandbox-agent/cli-linux-x64';
  const program = join(cache, 'node_modules', name, 'bin', 'sandbox-agent');
  try {
    await access(program, constants.X_OK);
  } catch {
    await mkdir(cache, { recursive: true });
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', ['install', '--prefix', cache, ...flags, `${name}@${VERSION}`]);
    await chmod(program, 0o755);
  }
  return program;
}
