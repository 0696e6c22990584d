import { markerVariable } from './process-marker.ts';

/**
 * The program of the guard, for any POSIX sh (dash, busybox, bash). It reads lines from its stdin,
 *
 *     + MARKER PGID    hold this tree; PGID 0 when its group is not known yet; replaces an earlier line
 *     - MARKER         this tree is gone
 *
 * and at the end of its input, which is the end of the server, kills every registered group and every process whose
 * environment holds a registered marker: at least twice, and until no marker is found, for 2 s at most. A group is no
 * measure of that, since one of nothing but zombies still takes signals; but no member of it can fork past a signal.
 *
 * busybox's grep sees no further than the first NUL of a file, and is given each environment in lines.
 *
 * End of input comes only when each child that the server was forking has executed its program, because until then
 * that child holds a copy of the pipe. So no process is missed for not having its marker yet.
 */
export const guardScript = `# Ends the processes of a Reeve server when that server is gone.
trap '' HUP INT QUIT TERM PIPE
held=''
newline='
'
forget() {
  kept=''
  for entry in $held; do
    case $entry in "$1":*) ;; *) kept="$kept $entry" ;; esac
  done
  held=$kept
}
marked() {
  if printf 'a\\0b' | grep -qF b; then
    grep -lsF "$patterns" /proc/[0-9]*/environ
  else
    for file in /proc/[0-9]*/environ; do
      tr '\\0' '\\n' <"$file" | grep -qF "$patterns" && printf '%s\\n' "$file"
    done
  fi 2>/dev/null
}
sweep() {
  found=0
  patterns=''
  for entry in $held; do
    group=\${entry##*:}
    [ "$group" -gt 1 ] && kill -s KILL -- "-$group" 2>/dev/null
    patterns="$patterns\${patterns:+$newline}${markerVariable}=\${entry%%:*}"
  done
  [ -r /proc/self/environ ] || return 0
  for file in $(marked); do
    pid=\${file#/proc/}
    if kill -s KILL "\${pid%/environ}" 2>/dev/null; then found=1; fi
  done
}
while IFS=' ' read -r sign marker group; do
  forget "$marker"
  [ "$sign" = + ] && held="$held $marker:$group"
done
[ -n "$held" ] || exit 0
passes=0
while [ "$passes" -lt 20 ]; do
  sweep
  passes=$((passes + 1))
  [ "$found" -eq 0 ] && [ "$passes" -ge 2 ] && exit 0
  sleep 0.1 2>/dev/null || sleep 1
done
`;
