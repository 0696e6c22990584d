# An agent that costs next to nothing: two cats between stdio and the FIFOs through which another process plays it.
#
#     sh played-agent.sh DIRECTORY    DIRECTORY/hello is a FIFO that takes one line, the directory of this agent's own FIFOs
#
# It ends with its stdin: then the player reads the end of `in` and closes `out`, which ends the second cat.
d=$(mktemp -d "$1/agent.XXXXXX") && mkfifo "$d/in" "$d/out" && echo "$d" >"$1/hello" || exit 1
cat "$d/out" &
exec cat >"$d/in"
