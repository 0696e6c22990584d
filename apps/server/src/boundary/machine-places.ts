import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What the risk of a path depends on, of this machine and its users. */
export interface MachinePlaces {
  /** Of the user that the server runs for. */
  readonly home: string | undefined;
  readonly otherHomes: readonly string[];
  /** Folders that a synchronising program of this user says that it keeps. */
  readonly cloudFolders: readonly string[];
  /** Names this run of the machine. */
  readonly boot: string;
}

/** Ids of people; below are those of programs, but for root. */
const FIRST_PERSON = 1000;
const NOBODY = 65_534;

export async function findMachinePlaces(home: string | undefined): Promise<MachinePlaces> {
  const [passwd, cloudFolders, boot] = await Promise.all([
    textOf('/etc/passwd'),
    home === undefined ? [] : cloudFoldersOf(home),
    textOf('/proc/sys/kernel/random/boot_id'),
  ]);
  return { home, otherHomes: homesOf(passwd).filter((one) => one !== home), cloudFolders, boot: boot.trim() };
}

/** Homes of people and of root (passwd(5)). */
function homesOf(passwd: string): string[] {
  return passwd.split('\n').flatMap((line) => {
    const [, , id, , , home] = line.split(':');
    const uid = Number(id);
    const person = uid === 0 || (uid >= FIRST_PERSON && uid !== NOBODY);
    return person && home?.startsWith('/') && home !== '/' ? [home.replace(/\/+$/, '')] : [];
  });
}

/** Dropbox (info.json), Nextcloud (nextcloud.cfg) and the OneDrive client for Linux (config) say where they keep what they copy. */
async function cloudFoldersOf(home: string): Promise<string[]> {
  const [dropbox, nextcloud, oneDrive] = await Promise.all([
    textOf(join(home, '.dropbox/info.json')),
    textOf(join(home, '.config/Nextcloud/nextcloud.cfg')),
    textOf(join(home, '.config/onedrive/config')),
  ]);
  const told = [
    ...[...dropbox.matchAll(/"path"\s*:\s*"([^"\\]+)"/g)].map((match) => match[1]),
    ...[...nextcloud.matchAll(/localPath=(.+?)\s*$/gm)].map((match) => match[1]),
    ...[...oneDrive.matchAll(/^\s*sync_dir\s*=\s*"?([^"\n]+?)"?\s*$/gm)].map((match) => match[1]),
  ];
  return told.flatMap((path) => {
    const whole = path?.replace(/^~(?=\/)/, home).replace(/\/+$/, '');
    return whole?.startsWith('/') && dirname(whole) !== whole ? [whole] : [];
  });
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
