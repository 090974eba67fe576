#!/bin/sh
# Runs one test binary for `go test -exec`. The testing package writes its log only after every test of the binary has
# come to its end, so that an empty log betrays a binary that left before.
folder=$1
shift
log=$(mktemp "$folder/log-XXXXXXXX") || exit 125
"$@" "-test.testlogfile=$log"
code=$?
begin=$(head -c 10 "$log")
printf '%s\nexit %s\n%s\n' "$begin" "$code" "$(pwd)" >"$log"
exit "$code"
