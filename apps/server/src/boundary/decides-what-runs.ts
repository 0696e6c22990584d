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
  return NAMES.has(variable) || /^(?:LD_|DYLD_|GCONV_PATH$)/.test(variable) || /^LUA_INIT_/.test(variable);
}
