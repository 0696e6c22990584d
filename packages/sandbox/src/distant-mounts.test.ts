import { expect, it } from 'vitest';
import { distantIn } from './distant-mounts.ts';

const TABLE = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:34 / /home/me/far\\040away rw,relatime shared:9 master:2 - nfs4 server:/x rw,vers=4.2
41 22 0:35 / /home/me/cloud rw,nosuid,nodev - fuse.sshfs me@host:/ rw
42 22 0:36 / /home/me/volume rw - xfs /dev/vdb rw
43 22 0:37 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw
`;

it('mount points of other machines and of programs are told from those of disks, whatever fields a line has', () => {
  expect(distantIn(TABLE)).toEqual(['/home/me/far away', '/home/me/cloud', '/proc/sys/fs/binfmt_misc']);
});
