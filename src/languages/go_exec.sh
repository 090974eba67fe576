#!/bin/sh
# Runs one test binary for `go test -exec`. The testing package writes its log only after every test of the binary has
# come to its end, so that an empty log betrays a binary that left before. Arguments: the report folder, the root of the
# tree, the binary and what it gets.
folder=$1
root=$2
shift 2
log=$(mktemp "$folder/log-XXXXXXXX") || exit 125
"$@" "-test.testlogfile=$log"
code=$?
begin=$(head -c 10 "$log")
here=$(pwd)
here=${here#"$root"}
here=${here#/}
printf '%s\nexit %s\n%s\n' "$begin" "$code" "${here:-.}" >"$log"
exit "$code"
