import { basename } from 'node:path';

/** What a command line is that fetches its program before it runs it. */
export type PackageRunner =
  /** `npx pkg@version args` and its kin: `bin` where another program of the package than the plain one is meant. */
  | {
      readonly kind: 'npm';
      readonly spec: string;
      readonly bin: string | undefined;
      readonly args: readonly string[];
    }
  /** Of npm, in words that are not understood here. `why` names no argument. */
  | { readonly kind: 'unclear'; readonly why: string }
  /** Fetches Python packages when it starts. `spec`: the one that its program is of; undefined where that is not clear. */
  | { readonly kind: 'python'; readonly runner: string; readonly spec: string | undefined }
  /** Asks a container engine, through whose socket the whole machine can be had. */
  | { readonly kind: 'engine'; readonly runner: string };

/** Flags of npx and npm exec that say nothing about which program runs. */
const PLAIN =
  /^(?:-y|--yes|-q|--quiet|--silent|--prefer-offline|--prefer-online|--offline|--no-install|--ignore-existing|--bun|-b)$/;

/** Flags of uvx and pipx that the next word belongs to. */
const PYTHON_VALUE =
  /^(?:-p|--python|-w|--with|--with-editable|--with-requirements|-c|--constraints?|-i|--index|--index-url|--extra-index-url|--default-index|-f|--find-links|--pip-args|--suffix)$/;

/** Undefined for a program that is there already. */
export function packageRunner(command: string, args: readonly string[]): PackageRunner | undefined {
  const runner = basename(command).replace(/\.(?:cmd|exe)$/i, '');
  const [first, ...rest] = args;
  switch (runner) {
    case 'npx':
    case 'bunx':
      return readNpm(args);
    case 'npm':
      return first === 'exec' || first === 'x' ? readNpm(rest) : undefined;
    case 'pnpm':
    case 'yarn':
      return first === 'dlx' ? readNpm(rest) : undefined;
    case 'uvx':
      return { kind: 'python', runner, spec: pythonSpec(args) };
    case 'pipx':
      return { kind: 'python', runner, spec: first === 'run' ? pythonSpec(rest) : undefined };
    case 'uv':
      if (first !== 'tool' && first !== 'x') return undefined;
      return { kind: 'python', runner, spec: pythonSpec(first === 'tool' && rest[0] === 'run' ? rest.slice(1) : rest) };
    case 'docker':
    case 'podman':
      return { kind: 'engine', runner };
    default:
      return undefined;
  }
}

function readNpm(args: readonly string[]): PackageRunner {
  const named: string[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] as string;
    if (word === '--') {
      at += 1;
      break;
    }
    if (!word.startsWith('-')) break;
    const [flag, value] = word.split(/=(.*)/s);
    if (flag === '-p' || flag === '--package') named.push(value ?? args[++at] ?? '');
    else if (!PLAIN.test(word)) return { kind: 'unclear', why: 'it has an option that Reeve does not know' };
  }
  const [program, ...others] = args.slice(at);
  const [spec, ...more] = named;
  if (more.length > 0) return { kind: 'unclear', why: 'it names more than one package' };
  if (spec === undefined) {
    if (program === undefined) return { kind: 'unclear', why: 'it names no package' };
    return { kind: 'npm', spec: program, bin: undefined, args: dropSeparator(others) };
  }
  if (program === undefined) return { kind: 'unclear', why: 'it names no program of its package' };
  return { kind: 'npm', spec, bin: program, args: dropSeparator(others) };
}

/** What `--from` or `--spec` names, else the program, which has the name of its package then. */
function pythonSpec(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string;
    const [flag, value] = word.split(/=(.*)/s);
    if (flag === '--from' || flag === '--spec') return value ?? args[at + 1];
    if (!word.startsWith('-')) return word;
    if (value === undefined && PYTHON_VALUE.test(word)) at += 1;
  }
  return undefined;
}

/** `npm exec pkg -- args`. */
function dropSeparator(args: readonly string[]): readonly string[] {
  return args[0] === '--' ? args.slice(1) : args;
}
