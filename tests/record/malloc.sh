#!/usr/bin/env bash
# The wrapper of malloc: preloaded into programs, and linked into one.
. "$(dirname "$0")/../cli/lib.bash"
unset STOWAGE_RECORD STOWAGE_RECORD_PROCESS STOWAGE_DEMANDS LD_PRELOAD
here=$SOURCE/tests/record wrapper=$SOURCE/engine/record/stowage_malloc.c
cc=${CC:-cc}
cc=${cc##* } # without what goes before it, as ccache
strict='-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror'
trace=$tmp/run.trace

for compiler in "$cc" clang; do
    command -v "$compiler" >/dev/null || { skip "$compiler is not installed"; continue; }
    for standard in c99 gnu11; do
        # shellcheck disable=SC2086
        check "$compiler -std=$standard" "$compiler" -std=$standard $strict -O2 -shared -fPIC "$wrapper" -o "$tmp/$compiler.so" -ldl -pthread
    done
    # shellcheck disable=SC2086
    check "$compiler, to be linked in" "$compiler" $strict -DSTOWAGE_MALLOC_WRAP -O2 -c "$wrapper" -o "$tmp/$compiler.o"
    # shellcheck disable=SC2086
    check "$compiler, with few functions" "$compiler" $strict -DSTOWAGE_MALLOC_WRAP -DSTOWAGE_MALLOC_FEW -c "$wrapper" -o "$tmp/few.o"
done
check "as the page says" "$cc" -shared -fPIC "$wrapper" -o "$tmp/wrap.so" -ldl
check "the program" "$cc" -O1 -fno-builtin "$here/allocs.c" -o "$tmp/allocs" -pthread
[ -e "$tmp/wrap.so" ] && [ -x "$tmp/allocs" ] || { finish; exit 1; }

# preload COMMAND...: run it, with a trace.
preload() {
    rm -f "$trace"
    STOWAGE_RECORD=$trace LD_PRELOAD=$tmp/wrap.so "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
# Does nothing that is allocated lie at an address that is in use, and is nothing freed that is not?
consistent() {
    jq -r 'if .alloc then "+ " + .alloc elif .free then "- " + .free else empty end' "$1" | awk '
        $1 == "+" && $2 in live { print "taken: " $2; bad++ }
        $1 == "+" { live[$2] = 1 }
        $1 == "-" && !($2 in live) { print "not there: " $2; bad++ }
        $1 == "-" { delete live[$2] }
        END { exit bad > 0 }'
}
# The sizes of this program's own requests, in order, and the order numbers of those that are freed.
events() {
    jq -r 'if .alloc then "+ " + .alloc + " " + (.size | tostring) elif .free then "- " + .free else empty end' "$1" | awk '
        $1 == "+" { size[$2] = $3 } { s = size[$2]; if (s == 0 || (s > 1000 && s < 1025) || s == 3009 || s == 100000) printf "%s%d ", $1, s }'
}
wanted='+1001 +1002 +3009 -3009 +100000 +1004 -1002 +1005 -100000 -1004 -1005 +1024 -1024 +0 -0 '

# ---- preloaded ----

preload "$tmp/allocs"
check "each way: exit" exits 0
check "each way: what is written" same "$wanted" "$(events "$trace")"
check "each way: has an end" same '{"end":"done"}' "$(tail -n 1 "$trace")"
check "each way: consistent" consistent "$trace"
check "each way: its planner and its model" jq -se '.[0].planner == "malloc" and .[0].model == "allocs"' "$trace"
run plan "$trace" --format json
check "each way: opens" exits 0
check "each way: all of them" json ".buffers == $(grep -c '^{"alloc"' "$trace")"

# Real programs: what they print stays the same, and their frees match.
for program in jq sort bash; do
    case $program in
    jq) set -- jq -n '[range(200)] | map(tostring) | sort' ;;
    sort) set -- sort "$wrapper" ;;
    *) set -- bash -c 'echo $((6 * 7))' ;;
    esac
    "$@" >"$tmp/alone" 2>&1
    preload "$@"
    check "$1: exit" exits 0
    check "$1: prints the same" cmp "$tmp/alone" "$tmp/out"
    check "$1: consistent" consistent "$trace"
    run plan "$trace" -p first-fit --format json
    check "$1: opens" exits 0
    check "$1: all of them" json ".buffers == $(grep -c '^{"alloc"' "$trace") and .peak >= .lower_bound"
    run "$trace" -p first-fit
    check "$1: frees match" [ "$(grep -c 'freed that .* not allocated' "$tmp/out")" = 0 ]
done

preload "$tmp/allocs" threads
check "threads: exit" exits 0
check "threads: every line is JSON" jq -c . "$trace"
check "threads: consistent" consistent "$trace"
check "threads: all are there" [ "$(grep -c '^{"alloc"' "$trace")" -ge 35988 ]
check "forks: children write nothing" same 0 "$(grep -c '"size":77777' "$trace")"
check "forks: nor do programs that they run" same 1 "$(grep -c stowage-trace "$trace")"
preload "$tmp/allocs" exec "$tmp/allocs"
check "exec: the program that takes its place begins anew" same "$wanted" "$(events "$trace")"
STOWAGE_RECORD=$tmp/each-%p.trace LD_PRELOAD=$tmp/wrap.so "$tmp/allocs" threads
check "forks: with %p each program has its own" same 21 "$(cat "$tmp"/each-*.trace | grep -c stowage-trace)"

preload bash -c "STOWAGE_RECORD=$tmp/inner.trace $tmp/allocs; :"
check "a child with a name of its own: it records" same "$wanted" "$(events "$tmp/inner.trace")"
check "and its parent as well" same '{"end":"done"}' "$(tail -n 1 "$trace")"

LD_PRELOAD=$tmp/wrap.so "$tmp/allocs" threads >"$tmp/out" 2>"$tmp/err"
check "without a name nothing is recorded" same 0 $?
STOWAGE_RECORD=/nowhere/run.trace LD_PRELOAD=$tmp/wrap.so "$tmp/allocs" >"$tmp/out" 2>"$tmp/err"
check "a folder that is not there: the program goes on" same 0 $?
check "and says nothing" calm
STOWAGE_RECORD=/dev/full LD_PRELOAD=$tmp/wrap.so "$tmp/allocs" threads >"$tmp/out" 2>"$tmp/err"
check "a full disk: the program goes on" same 0 $?
if command -v g++ >/dev/null; then
    printf '#include <string>\n#include <vector>\nint main() { std::vector<std::string> v(100, std::string(1007, 0)); delete[] new char[1008]; }\n' >"$tmp/new.cc"
    check "C++ compiles" g++ -O0 "$tmp/new.cc" -o "$tmp/new"
    preload "$tmp/new"
    check "new and delete: consistent" consistent "$trace"
    check "new: in the trace" same 102 "$(grep -c '"size":1008' "$trace")" # a string, a hundred copies, an array
else
    skip "C++: there is no g++"
fi

# ---- linked in ----

wrap=-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=posix_memalign,--wrap=aligned_alloc
check "linked" "$cc" -O1 -fno-builtin "$here/allocs.c" "$tmp/$cc.o" $wrap -o "$tmp/linked" -pthread
rm -f "$trace"
STOWAGE_RECORD=$trace "$tmp/linked" >"$tmp/out" 2>"$tmp/err"
status=$?
check "linked: exit" exits 0
check "linked: what is written" same "$wanted" "$(events "$trace")"
check "linked: consistent" consistent "$trace"
run plan "$trace" --format json
check "linked: opens" json '.buffers == 8'
rm -f "$trace"
"$tmp/linked"
check "linked: without a name nothing is recorded" [ ! -e "$trace" ]
check "with a name in it: compiles" "$cc" -DSTOWAGE_MALLOC_WRAP "-DSTOWAGE_MALLOC_RECORD=\"$trace\"" -c "$wrapper" -o "$tmp/named.o"
check "with a name in it: links" "$cc" -O1 -fno-builtin "$here/allocs.c" "$tmp/named.o" $wrap -o "$tmp/named" -pthread
env -i "$tmp/named"
check "with a name in it: what is written" same "$wanted" "$(events "$trace")"
finish
