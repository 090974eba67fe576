#!/bin/sh
# Runs one test command, collects what it reported and closes the folder with a code that only the key can make.
#
# Standard input: the key, the report folder, the root of the tree, each on a line. Arguments: `go` or `xml`, the folder
# below the root to run in, then the command as words. The command gets no standard input, so the key is gone when code
# under test starts.
IFS= read -r key
IFS= read -r folder
IFS= read -r root
what=$1
inside=$2
shift 2
mkdir -p "$folder" || exit 125
cd "$root/$inside" || exit 125

reports() {
    find . -type f \( -path '*/target/surefire-reports/TEST-*.xml' -o -path '*/build/test-results/*/TEST-*.xml' \) "$@"
}

if [ "$what" = go ]; then
    # Tests may print more than a report can hold; how they ended stands in lines of its own.
    code=$({ { "$@" </dev/null 3>&-; echo $? >&3; } |
        LC_ALL=C awk '/"Action":"(build-)?output"/ { size += length($0); if (size > 16777216) next } { print }' \
            3>&- >"$folder/go.jsonl"; } 3>&1)
else
    # A report that is there before the tests ran was not written by them, and what was built before says nothing about
    # the files that are here now, whatever their times.
    find . -type f -name pom.xml | while IFS= read -r file; do
        rm -rf "${file%pom.xml}target"
    done
    reports -exec rm -f {} +
    # What the tests print goes elsewhere, so lines of this form come from the build tool, which counts what it was told.
    exec 4>&1
    code=$({ { "$@" </dev/null 3>&- 4>&-; echo $? >&3; } | tee "$folder/out" 3>&- >&4; } 3>&1)
    exec 4>&-
    grep -a -E '^(\[(INFO|WARNING|ERROR)\] +)?Tests run: [0-9, A-Za-z:]*$' "$folder/out" | tail -n 1000 >"$folder/counts"
    rm -f "$folder/out"
    reports -print | {
        n=0
        while IFS= read -r file; do
            n=$((n + 1))
            # Tests may print more than a report can hold. The end of what they printed cannot stand within it.
            if [ "$(wc -c <"$file")" -gt 4194304 ]; then
                LC_ALL=C awk '
                    { line = $0 }
                    inside { at = match(line, /\]\]><\/system-(out|err)>/); if (!at) next
                        line = substr(line, at + RLENGTH); inside = 0 }
                    { while ((at = match(line, /<system-(out|err)><!\[CDATA\[/))) {
                        head = head substr(line, 1, at - 1); line = substr(line, at + RLENGTH)
                        if (!(at = match(line, /\]\]><\/system-(out|err)>/))) { inside = 1; line = ""; break }
                        line = substr(line, at + RLENGTH) }
                      print head line; head = "" }' "$file" >"$folder/report-$n.xml"
            else
                cp "$file" "$folder/report-$n.xml"
            fi
        done
    }
fi

cd "$folder" || exit 125
text="exit $code
"
for file in *; do
    [ -f "$file" ] && [ "$file" != seal ] || continue
    sum=$(sha256sum <"$file")
    text="$text${sum%% *}  $file
"
done
sum=$(printf '%s\n%s%s\n' "$key" "$text" "$key" | sha256sum)
printf '%scode %s\n' "$text" "${sum%% *}" >seal
exit "$code"
