/**
 * One pipe for both outputs keeps them in the order in which they were written. A command without arguments that no program is called
 * is a line for the shell: agents send `npm test && npm run build` as a command.
 */
const SCRIPT = `exec 2>&1
case $#:$0 in
0:*[!A-Za-z0-9_./+-]*) [ -x "$0" ] || { eval "$0"; exit; } ;;
esac
exec "$0" "$@"`;

/** How a command of `terminal/create` is started; one that cannot be found says so in its output and exits with 127, as in any shell. */
export function commandLine(command: string, args: readonly string[]): { command: string; args: readonly string[] } {
  return { command: '/bin/sh', args: ['-c', SCRIPT, command, ...args] };
}
