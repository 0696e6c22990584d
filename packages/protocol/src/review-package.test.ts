import { expect, it } from 'vitest';
import { packageText, type ReviewPackage } from './review-package.ts';

const npm = { registry: 'npm', spec: 'files@latest', name: 'files' } as const;
const archive = { version: '1.2.3', integrity: 'sha512-x' };

it.each<[ReviewPackage, RegExp]>([
  [{ kind: 'pinned', ...npm, ...archive }, /^files 1\.2\.3, sha512-x: pinned, .*"files@latest"/],
  [{ kind: 'resolved', ...npm, ...archive }, /^files 1\.2\.3, sha512-x: .*"files@latest" is now; approving/],
  [{ kind: 'unresolved', ...npm, why: 'no network' }, /^files, as "files@latest": its first start.*no network/],
  [{ kind: 'unpinned', registry: 'pypi', spec: 'git', name: 'git' }, /^git, as "git": .*each start, pinned by nothing/],
])('a package is told with what pins it: %j', (fetched, text) => {
  expect(packageText(fetched)).toMatch(text);
});
