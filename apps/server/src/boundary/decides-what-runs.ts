const NAMES = new Set([
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_REPL_EXTERNAL_MODULE', 'BUN_OPTIONS', 'DENO_DIR'],
  ...['PYTHONPATH', 'PYTHONHOME', 'PYTHONSTARTUP', 'PYTHONUSERBASE', 'PYTHONINSPECT', 'PYTHONPLATLIBDIR'],
  ...[
    'RUBYOPT',
    'RUBYLIB',
    'PERL5OPT',
    'PERL5LIB',
    'PERL5DB',
    'LUA_INIT',
    'LUA_PATH',
    'LUA_CPATH',
    'PHPRC',
    'PHP_INI_SCAN_DIR',
  ],
  ...[
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'JDK_JAVA_OPTIONS',
    'CLASSPATH',
    'DOTNET_STARTUP_HOOKS',
    'CORECLR_PROFILER_PATH',
  ],
  ...['BASH_ENV', 'SHELLOPTS', 'BASHOPTS', 'PROMPT_COMMAND', 'ZDOTDIR'],
]);

/**
 * Whether a variable of a server's environment has its program run other code than its command line names: what a person approves by the
 * command line alone would not be what runs. `PATH` does so for a command without a slash.
 */
export function decidesWhatRuns(variable: string): boolean {
  return NAMES.has(variable) || /^(?:LD_|DYLD_|GCONV_PATH$|BASH_FUNC_|LUA_INIT_)/.test(variable) || NPM.test(variable);
}

/** npm reads its settings from variables, whatever their case. */
const NPM = /^npm_config_(?:node[-_]options|script[-_]shell|shell)$/i;

/**
 * The variables among these by which other code may run than a person is shown: values are never shown, they may be secrets. `PATH` is
 * one of them where the command is looked up in it.
 */
export function unseenLoaders(command: string, env: Readonly<Record<string, string>>): readonly string[] {
  const looksUp = (name: string): boolean => name === 'PATH' && !command.includes('/');
  return Object.keys(env).filter((name) => decidesWhatRuns(name) || looksUp(name));
}
