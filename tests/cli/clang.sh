#!/usr/bin/env bash
# clang takes every file that this build compiles, each by itself, and has nothing to say about any. It looks at them only:
# most of a build's time goes into what comes after. ./dev cross builds everything with clang.
. "$(dirname "$0")/lib.bash"
command -v clang >/dev/null || {
    echo "skipped: clang is not installed; ./dev cross installs it"
    exit 77
}
cd "$BUILD" || exit 1
# The commands of the build with another compiler and without the warnings that are gcc's own. A file that meson wrote
# includes many others: each stands for itself here.
jq -r '.[].command' compile_commands.json | while read -r command; do
    unity=${command##* -c }
    case $unity in
    *-unity*) sed -n "s|^#include<\(.*\)>\$|${command%"$unity"}\1|p" "$unity" ;;
    *) printf '%s\n' "$command" ;;
    esac
done | sed -E 's/^[^ ]+( [^-][^ ]*)*/clang -fsyntax-only -Werror -Wno-unknown-warning-option/; s/ -o [^ ]+ -c / /; s/ -M[DQF]( [^-][^ ]*)?//g' |
    sort -u >"$tmp/commands"
check "the build has commands" [ "$(wc -l <"$tmp/commands")" -gt 700 ]
tr '\n' '\0' <"$tmp/commands" | xargs -0 -P "$(nproc)" -n 1 sh -c 'sh -c "$1" 2>&1 || echo "$1"' sh >"$tmp/out"
check "clang has nothing to say" silent
# It would.
printf 'int f(int x);\nint f(int x) { int x2 = x = x; return 1; }\n' >"$tmp/odd.c"
check "clang would say something" [ -n "$(clang -fsyntax-only -Wall "$tmp/odd.c" 2>&1)" ]
finish
