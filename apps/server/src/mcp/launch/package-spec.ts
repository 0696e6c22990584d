import { type PackageName, parsePackageName } from '../../install/package-name.ts';
import { parseWanted, type WantedVersion } from '../../install/wanted-version.ts';

/** `name`, `name@version`, `@scope/name@tag`, as `npx` takes them; undefined for addresses, paths and aliases. */
export function parseSpec(spec: string): { readonly name: PackageName; readonly wanted: WantedVersion } | undefined {
  const cut = spec.lastIndexOf('@');
  const [text, version] = cut > 0 ? [spec.slice(0, cut), spec.slice(cut + 1)] : [spec, 'latest'];
  const name = parsePackageName(text);
  const wanted = parseWanted(version);
  return name === undefined || wanted === undefined ? undefined : { name, wanted };
}
