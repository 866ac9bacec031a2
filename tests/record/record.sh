#!/usr/bin/env bash
# The recorder in C99, C++11 and Python: it compiles without a warning everywhere, and what it promises holds.
. "$(dirname "$0")/../cli/lib.bash"
unset STOWAGE_RECORD STOWAGE_DEMANDS CATCH BLOCK WAITING CASES_THREADS
# The rest of the compilers, kills and kept failures runs with STOWAGE_LONG.
long() { [ -n "${STOWAGE_LONG-}" ]; }
here=$SOURCE/tests/record
export RECORDER=$SOURCE/engine/record PYTHONDONTWRITEBYTECODE=1
cc=${CC:-cc}
cc=${cc##* } # without what goes before it, as ccache
include=-I$RECORDER
strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Werror'
flags="$include -pthread -g -O1"
[ "$SANITIZE" = none ] || flags="$flags -fsanitize=$SANITIZE"
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) # not a script that looks for it each time

check "at most 600 lines" [ "$(wc -l <"$RECORDER/stowage/record.h")" -le 600 ]
check "names no clock" same "" "$(grep -nE '\b(time|clock_gettime|gettimeofday)\(' "$RECORDER/stowage/record.h")"

# ---- compilers ----

implementation='#define STOWAGE_RECORD_IMPLEMENTATION\n#include <stowage/record.h>\n'
printf "$implementation" | tee "$tmp/one.c" >"$tmp/one.cc"
printf "#include <stdio.h>\\n#include <stowage/record.h>\\n$implementation" >"$tmp/late.c"
for compiler in "$cc" clang; do
    command -v "$compiler" >/dev/null || { skip "$compiler is not installed"; continue; }
    for standard in c99 $(long && echo c11 gnu99); do
        # shellcheck disable=SC2086
        check "$compiler -std=$standard" "$compiler" -std=$standard $strict -Wstrict-prototypes -Wmissing-prototypes \
            $include -c "$tmp/one.c" -o "$tmp/one.o"
    done
    # shellcheck disable=SC2086
    check "$compiler after other headers" "$compiler" -std=gnu99 $strict $include -c "$tmp/late.c" -o "$tmp/one.o"
    # shellcheck disable=SC2086
    ! long || check "$compiler -O3 -ffast-math" "$compiler" -std=c99 -O3 -ffast-math $strict $include -c "$tmp/one.c" -o "$tmp/one.o"
    "$compiler" -std=c99 "$include" -c "$tmp/late.c" -o "$tmp/one.o" >"$tmp/out" 2>&1
    check "$compiler -std=c99 after other headers says what to do" says 'error:.*include stowage/record.h first'
done
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || { skip "$compiler is not installed"; continue; }
    for standard in c++11 $(long && echo c++17); do
        # shellcheck disable=SC2086
        check "$compiler -std=$standard" "$compiler" -std=$standard $strict -Wold-style-cast -Wcast-qual \
            $include -c "$tmp/one.cc" -o "$tmp/one.o"
    done
done
# shellcheck disable=SC2086
build() { # NAME LANGUAGE-FLAGS COMPILER
    "$3" $2 $flags "$here/cases.c" -o "$tmp/$1" "$here/second.c"
}
check "two files, C99" build c "-std=c99 $strict" "$cc"
[ -x "$tmp/c" ] || { finish; exit 1; }
cases=c
if command -v g++ >/dev/null; then
    check "two files, C++11" build cpp "-x c++ -std=c++11 $strict -Wold-style-cast" g++
    cases="c cpp"
else
    skip "C++: there is no g++"
fi
[ -z "$python" ] && skip "Python: python3 is not installed" || cases="$cases py"

# ask WHICH CASE [FILE]: one case of one recorder; sets status, and the files $tmp/out and $tmp/err.
ask() {
    local which=$1
    shift
    if [ "$which" = py ]; then
        set -- "$python" -W error::ResourceWarning "$here/cases.py" "$@"
    else
        set -- "$tmp/$which" "$@"
    fi
    timeout 60 "$@" >"$tmp/out" 2>"$tmp/err"
    status=$?
}
answers() { check "$1" same "$(cat "$tmp/out")$([ "$status" = 0 ] || echo " status $status")" "$2"; }
valid() { [ "$(jq -c . "$1" | wc -l)" = "$(wc -l <"$1")" ]; }

# ---- what each of them does ----

for which in $cases; do
    trace=$tmp/$which.trace
    ask "$which" nothing -
    answers "$which: nothing is recorded" '1 1 0'

    ask "$which" hostile "$trace"
    answers "$which: hostile strings" '0 0'
    check "$which: they are JSON" valid "$trace"
    check "$which: and UTF-8" iconv -f UTF-8 -t UTF-8 "$trace"
    check "$which: and no control characters" same 0 \
        "$(LC_ALL=C tr -d '\n' <"$trace" | LC_ALL=C grep -cP '[\x00-\x1f\x7f]')"
    check "$which: two runs" same 2 "$(jq -s '[.[] | select(has("stowage-trace"))] | length' "$trace")"
    check "$which: what was UTF-8 is kept" jq -se \
        '.[0].planner | startswith("\"\\\b\f\n\r\t\u0001\u001f\u007f}{%s%n/ é € 😀 ��")' "$trace"
    mv "$trace" "$tmp/$which.hostile"

    ask "$which" figures "$trace"
    answers "$which: figures; errno stays" '77 0'
    check "$which: figures are exact" jq -se '.[1].figures | .infinite == null and .none == null and .f3 == 0.1
        and .f9 == 5e-324 and .f4 == 1 / 3 and .f7 == -123456789012345 and has("none")' "$trace"
    check "$which: an offset of 64 bits" grep -q '"offset":18446744073709551614' "$trace"
    mv "$trace" "$tmp/$which.figures"

    ask "$which" kinds "$trace"
    answers "$which: kinds" 0
    mv "$trace" "$tmp/$which.kinds"

    ask "$which" threads "$trace"
    answers "$which: four threads" '0 0'
    check "$which: every line is JSON" valid "$trace"
    # Before each decision stand its five candidates, and before the run's end it has all.
    jq -r 'if has("candidate") then "c " + .reason
        elif has("decision") then "d " + .buffer + " " + (.figures | keys[0]) + .asked elif has("buffer") then "b " + .buffer else "x" end' "$trace" | awk '
        $1 == "c" { if (count && $2 != name) bad++; name = $2; count++ }
        $1 == "d" { if (count != 5 || $2 != name || $3 != name "demand" || !($2 in known)) bad++; count = 0; decisions++ }
        $1 == "b" { if (count) bad++; known[$2] = 1 }
        END { print decisions + 0, bad + 0 }' >"$tmp/out"
    answers "$which: candidates stand before their decision" '4000 0'

    ask "$which" full /dev/full
    answers "$which: a full disk" ENOSPC
    for catch in '' 1; do
        rm -f "$trace"
        CATCH=$catch
        if [ -n "$catch" ]; then export CATCH; else unset CATCH; fi
        ask "$which" limited "$trace"
        answers "$which: the limit of a file's size${catch:+, caught}" 'EFBIG 0'
        check "$which: the file ends at the limit" same 100000 "$(wc -c <"$trace")"
        check "$which: in whole lines but for the last" same 0 "$(sed '$d' "$trace" | jq -c . 2>&1 >/dev/null | wc -l)"
        ask "$which" broken -
        answers "$which: a reader that has gone${catch:+, caught}" 'EPIPE caught 0 blocked 0 waiting 0'
    done
    unset CATCH
    export BLOCK=1
    ask "$which" broken -
    answers "$which: with the signal blocked" 'EPIPE caught 0 blocked 1 waiting 0'
    WAITING=1 ask "$which" broken -
    answers "$which: with one of the program's own waiting" 'EPIPE caught 0 blocked 1 waiting 1'
    unset BLOCK
    CASES_THREADS=1 ask "$which" broken -
    answers "$which: with four threads" 'EPIPE caught 0 blocked 0 waiting 0'

    mkfifo "$tmp/fifo"
    { timeout 60 dd bs=700 of="$tmp/through" status=none <"$tmp/fifo"; } &
    ask "$which" slow "$tmp/fifo"
    wait $!
    check "$which: a pipe that does not block" same 0 "$(cat "$tmp/err")"
    check "$which: is waited for" valid "$tmp/through"
    check "$which: to the end" same '{"end":"done"}' "$(tail -n 1 "$tmp/through")"
    rm "$tmp/fifo"

    echo stale >"$trace"
    ask "$which" again "$trace"
    answers "$which: two at a time, and one after the other" 'EBUSY 0 0'
    check "$which: appends a run" same '["one","two"]' "$(jq -sc 'map(.planner // empty)' "$trace")"
    check "$which: keeps the other out" same 0 "$(grep -c '"b"\|stale' "$trace")"
    check "$which: an end once" same 2 "$(grep -c '^{"end"' "$trace")"

    ask "$which" numbered "$tmp/numbered"
    read -r process error <"$tmp/out"
    check "$which: a folder that is not there" same ENOENT "$error"
    for n in 1 2 3; do
        check "$which: the name of open $n" valid "$tmp/numbered-$n-$process-%-%x"
    done

    ask "$which" forked "$trace"
    answers "$which: children go on recording" '0 0'
    check "$which: their lines are whole" valid "$trace"
    check "$which: and all there" same '1 1500 500 50 1 1' "$(jq -sr '[(map(select(.buffer == "before")) | length),
        (map(select(.decision and .buffer == "child")) | length),
        (map(select(.decision and (.buffer | startswith("t9")))) | length),
        (map(select(.buffer == "late child")) | length), (map(select(has("end"))) | length),
        (map(select(has("stowage-trace"))) | length)] | map(tostring) | join(" ")' "$trace")"

    # Killed at any moment: whole lines, but possibly the last.
    broken=0 lines=0
    for pause in 1 5 $(long && echo 2 3 8 13); do
        rm -f "$trace"
        if [ "$which" = py ]; then set -- "$python" "$here/cases.py"; else set -- "$tmp/$which"; fi
        "$@" forever "$trace" >"$tmp/out" 2>"$tmp/err" &
        child=$!
        until [ -s "$trace" ] || ! kill -0 "$child" 2>/dev/null; do sleep 0.01; done
        sleep "0.0$pause"
        kill -9 "$child"
        wait "$child" 2>/dev/null
        tail -n 3000 "$trace" | sed '$d' | jq -c . >/dev/null 2>&1 || broken=$((broken + 1))
        lines=$((lines + $(wc -l <"$trace")))
    done
    check "$which: killed: lines are whole" same 0 "$broken"
    check "$which: killed: there are some" [ "$lines" -gt 100 ]
done

# ---- the same bytes ----

for which in cpp py; do
    [ -e "$tmp/$which.hostile" ] || continue
    check "$which writes hostile strings as C" cmp "$tmp/c.hostile" "$tmp/$which.hostile"
    check "$which writes figures as C" cmp "$tmp/c.figures" "$tmp/$which.figures"
    check "$which writes kinds as C" cmp "$tmp/c.kinds" "$tmp/$which.kinds"
done

# ---- what the kinds do to the layout ----

"$STOWAGE" trace "$tmp/c.kinds" >"$tmp/out" 2>"$tmp/err"
check "live bytes after each decision" same '64 0 64 0 64 64 128 128' "$(jq -r .live "$tmp/out" | head -n 8 | xargs)"
check "a sentence says what it leaves" says '"sentence":"takes backtrack \(64 B\) back from memory\+0"'
check "an open end" same 'null 4' "$(jq -r '.candidates[].size' "$tmp/out" | uniq -c | awk '{ print $2, $1 }')"
check "conversions" says '"reason":"4294967295 4294967295 4294967295 18446744073709551615 \\""'
check "conversions of the C library" says '"reason":"    7|x    |0.2|-5|%|c|%d"'
check "what has no place" grep -q 'backtrack has no place at time 0, and more' "$tmp/err"

# ---- demands ----

cat >"$tmp/demands" <<'J'
{"step":2,"pin":{"buffer":"y","tier":"sram","offset":0}}
 	
 {"later":[{"step":1,"pin":{"buffer":"z","offset":1}},-0.5e+2,[],{},true,null,"\/"],"pin" : { "offset" : 512 , "tier":null, "buffer":"y"},"step":3}
{"step":1,"forbid":{"buffer":"*","tier":"sram","lo":4095,"hi":4096}}
{"step":2,"forbid":{"hi":18446744073709551615,"lo":0,"buffer":"z"}}
{"step":1,"something new":{"buffer":"y"}}
{"step":4,"pin":{"buffer":"caf\u00e9 \ud83d\ude00\"\n","tier":"sr\u0061m","offset":18446744073709551615}}
J
# Files that are not understood: a line that is right, and one that is not; then cut ones.
cat >"$tmp/wrong.lines" <<'J'
{"step":2,"pin":{"buffer":"y"
{"step":2,"pin":{"buffer":"y","offset":0}
"step":2,"pin":{"buffer":"y","offset":0}}
{"step":2,"pin":{"buffer":"y","offset":0}}}
{"step":2,"pin":{"buffer":"y","offset":0}} {}
{"step":2,"pin":{"buffer":"y","offset":0},}
{"step":2,"pin":{"buffer":"y","offset":0,}}
{"step":2,"pin":{"buffer":"y" "offset":0}}
{"step":2,"pin":{"buffer":"y","offset" 0}}
{"step":2 "pin":{"buffer":"y","offset":0}}
{"other":{"step":2},"pin":{"buffer":"y","offset":0}}
{"pin":{"step":2,"buffer":"y","offset":0}}
{"step":2,"pin":{"buffer":"y","inner":{"offset":0}}}
{"step":2,"pin":{"other":"buffer","y":"offset","offset":0}}
{"step":2,"buffer":"y","offset":0,"pin":{}}
{"step":2,"pin":null,"forbid":{"buffer":"y","lo":0,"hi":1}}
{"step":2,"pin":[{"buffer":"y","offset":0}]}
{"step":-2,"pin":{"buffer":"y","offset":0}}
{"step":"2","pin":{"buffer":"y","offset":0}}
{"step":2,"pin":{"buffer":"y","offset":18446744073709551616}}
{"step":2,"pin":{"buffer":"y","offset":1.5}}
{"step":2,"pin":{"buffer":"y","offset":1e3}}
{"step":2,"pin":{"buffer":"y","offset":01}}
{"step":2,"pin":{"buffer":"y","offset":0x10}}
{"step":2,"pin":{"buffer":"y","offset":0,"tier":7}}
{"step":2,"pin":{"buffer":"y","offset":0,"tier":["sram"]}}
{"step":2,"pin":{"offset":0}}
{"step":2,"pin":{"buffer":7,"offset":0}}
{"pin":{"buffer":"y","offset":0}}
{"step":2,"forbid":{"buffer":"y","lo":0}}
{"step":2,"forbid":{"buffer":"\q","lo":0,"hi":1}}
{"step":2,"forbid":{"buffer":"\u12","lo":0,"hi":1}}
{"step":2,"forbid":{"buffer":"a	tab","lo":0,"hi":1}}
{"step":1,"new":tru}
{"step":1,"new":NaN}
{"step":1,"new":-}
{"step":1,"new":1.}
{"step":1,"new":1e}
{"step":1,"new":[1 2]}
{"step":1,"new":[1,]}
{"step":1,"new":"unclosed}
{step:1}
{
pin
[1]
7
J
printf '{"step":2,"pin":{"buffer":"y\0","offset":0}}\n{"step":2,"pin":{"buffer":"\377","offset":0}}\n' >>"$tmp/wrong.lines"
mkdir "$tmp/wrong"
number=0
refusal() { # its bytes on standard input
    number=$((number + 1))
    cat >"$tmp/wrong/$number"
}
while [ "$number" -lt "$(wc -l <"$tmp/wrong.lines")" ]; do
    { head -n 1 "$tmp/demands"; sed -n "$((number + 1))p" "$tmp/wrong.lines"; } >"$tmp/one"
    refusal <"$tmp/one"
done
for size in 1 20 40 75; do
    refusal < <(head -c $size "$tmp/demands")
    echo "cut after $size" >>"$tmp/wrong.lines"
done
cat >"$tmp/answers" <<'A'
1 0: 0 untouched 99, 0 1 0 0
1 1: 0 untouched 99, 0 1 0 0
1 2: 0 untouched 99, 0 1 0 0
2 0: 1 sram 0, 0 1 0 0
2 1: 0 untouched 99, 1 1 1 1
2 2: 0 untouched 99, 0 1 0 0
3 0: 1 - 512, 0 1 0 0
3 1: 0 untouched 99, 1 1 1 1
3 2: 0 untouched 99, 0 1 0 0
4 0: 1 - 512, 0 1 0 0
4 1: 0 untouched 99, 1 1 1 1
4 2: 1 sram 18446744073709551615, 0 1 0 0
A
for which in $cases; do
    STOWAGE_DEMANDS=$tmp/demands ask "$which" demands "$tmp/trace"
    answers "$which: demands" "$(cat "$tmp/answers"; echo 0)"
    check "$which: says that it asked" same '["demand forbidden"]' \
        "$(jq -sc 'map(select(.decision) | .asked) | unique' "$tmp/trace")"
    ask "$which" demands "$tmp/plain"
    check "$which: the same file without demands" cmp "$tmp/trace" "$tmp/plain"
    STOWAGE_DEMANDS=$tmp/nowhere ask "$which" demands "$tmp/trace"
    check "$which: no such file of demands" same ENOENT "$(tail -n 1 "$tmp/out")"
    check "$which: gives none" same 0 "$(grep -c ': 1' "$tmp/out")"
    check "$which: and is recorded nevertheless" cmp "$tmp/trace" "$tmp/plain"
    ask "$which" refused "$tmp/wrong"
    answers "$which: what is not understood gives none" "$(LC_ALL=C sed 's/.*/EINVAL 0/' "$tmp/wrong.lines")"
done

# ---- no memory, races ----

check "with an allocator that fails" build starving "-std=c99 $strict -DCASES_STARVE" "$cc"
ask starving starve "$tmp/starved"
answers "each allocation fails once: close tells it" 'wrong 0, failures many'
check "what was written is whole" valid "$tmp/starved"
if [ "$SANITIZE" = none ] && flags="$include -pthread -g -O1 -fsanitize=thread" build race "-std=c99" "$cc" >/dev/null 2>&1 &&
    "$tmp/race" nothing - >/dev/null 2>&1; then
    for case in threads again numbered demands; do
        "$tmp/race" "$case" "$tmp/race.trace" >"$tmp/out" 2>"$tmp/err"
        status=$?
        check "no data race: $case" [ "$status" = 0 -a ! -s "$tmp/err" ]
    done
    CASES_THREADS=1 "$tmp/race" broken - >"$tmp/out" 2>"$tmp/err"
    check "no data race: a reader that has gone" calm
elif [ "$SANITIZE" = none ]; then
    skip "data races: the thread sanitizer does not run here"
fi

# ---- Python alone ----

if [ -n "$python" ]; then
    ask py wrong "$tmp/trace"
    answers "py: arguments of the wrong type raise" 'TypeError TypeError ValueError ValueError ValueError ValueError ValueError 0'
    check "py: and write nothing" same 2 "$(wc -l <"$tmp/trace")"
    check "py: an exception is how the run ended" grep -qx "{\"end\":\"failed\",\"reason\":\"KeyError: 'lost'\"}" "$tmp/trace"
    check "py: the end of a block warns" grep -q 'RuntimeWarning: stowage_record: the recording is not whole: No such file' "$tmp/err"
fi

# ---- the planners that ship ----

examples=$RECORDER/examples
# shellcheck disable=SC2086
check "the toy compiles" "$cc" -std=c11 $strict $flags "$examples/toy_planner.c" -o "$tmp/toy"
toy() { # WHICH TRACE [FILE]
    if [ "$1" = py ]; then set -- "$python" "$examples/toy_planner.py" "${@:2}"; else set -- "$tmp/toy" "${@:2}"; fi
    local trace=${*: -1}
    STOWAGE_RECORD=$trace "${@:1:$#-1}" >"$tmp/out" 2>"$tmp/err"
    status=$?
}
{
    echo id,lower,upper,size
    awk 'BEGIN { s = 7; for (i = 0; i < 120; i++) { s = (s * 1103515245 + 12345) % 2147483648; l = int(s / 65536) % 40
        s = (s * 1103515245 + 12345) % 2147483648; print "b" i "," l "," l + 1 + int(s / 4096) % 9 "," 1 + int(s / 65536) % 999 } }'
} >"$tmp/many.csv"
for demands in '' '{"step":3,"pin":{"buffer":"sum","offset":100}}' '{"step":2,"forbid":{"buffer":"*","lo":0,"hi":20000}}' \
    '{"step":1,"forbid":{"buffer":"pool","lo":0,"hi":18446744073709551615}}'; do
    printf '%s\n' "$demands" >"$tmp/wanted"
    export STOWAGE_DEMANDS=$tmp/wanted
    toy c "$tmp/toy.trace"
    cp "$tmp/out" "$tmp/toy.out"
    expected=$status
    check "toy, $demands: is JSON" valid "$tmp/toy.trace"
    case $demands in
    '')
        check "toy: its peak" grep -qx 'peak 20264' "$tmp/out"
        check "toy: a lone block lies below what it takes" grep -q '"buffer":"sum","offset":16384' "$tmp/toy.trace"
        ;;
    *pin*) check "toy: keeps to a pin" grep -qx 'sum 100' "$tmp/out" ;;
    *20000*) check "toy: keeps out of what is forbidden" same 1 "$(awk '$1 != "peak" && $2 < 20000' "$tmp/out" | wc -l)" ;;
    *) check "toy: no place is left" same "no plan 1" "$(cat "$tmp/out") $status" ;;
    esac
    if [ -n "$python" ]; then
        toy py "$tmp/toy_py.trace"
        check "toy, $demands: the same from Python" cmp "$tmp/toy.trace" "$tmp/toy_py.trace"
        check "toy, $demands: prints the same" cmp "$tmp/toy.out" "$tmp/out"
        check "toy, $demands: exits as well" same "$expected" "$status"
    fi
done
unset STOWAGE_DEMANDS
toy c "$tmp/many.csv" "$tmp/toy.trace"
check "toy: 120 buffers" same 121 "$(wc -l <"$tmp/out")"
cp "$tmp/out" "$tmp/toy.out"
if [ -n "$python" ]; then
    toy py "$tmp/many.csv" "$tmp/toy_py.trace"
    check "toy: 120 buffers: the same from Python" cmp "$tmp/toy.trace" "$tmp/toy_py.trace"
fi
# The plan is one: the program that checks plans says so; and worse than the same idea without the flaw.
paste -d, "$tmp/many.csv" <({ echo "x offset"; grep -v '^peak' "$tmp/toy.out"; } | cut -d' ' -f2) >"$tmp/toy_plan.csv"
run check "$tmp/many.csv" "$tmp/toy_plan.csv"
check "toy: its plan is one" exits 0
run plan "$tmp/many.csv" -p greedy-by-size --format json
check "toy: greedy-by-size does better" json ".peak < $(sed -n 's/^peak //p' "$tmp/toy.out")"
for line in 'id,lower,upper' 'b,3,2,1' 'b,-1,2,1' 'b,0,2,99999999999999999999' 'b,0,2,1,' ''; do
    printf 'id,lower,upper,size\na,0,1,1\n%s\n' "$line" >"$tmp/bad.csv"
    for which in c ${python:+py}; do
        toy $which "$tmp/bad.csv" "$tmp/bad.trace"
        check "toy $which: bad line '$line': refused" [ "$status" != 0 ]
        check "toy $which: bad line '$line': one line" same 1 "$(grep -c 'bad.csv:3: not a line of id,lower,upper,size' "$tmp/err")"
    done
done
finish
