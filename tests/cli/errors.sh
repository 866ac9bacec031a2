#!/usr/bin/env bash
# Bad input: one line, with the file and where in it; exit 2. Names from files are harmless.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# bad NAME FILE PATTERN: FILE is not accepted, and the line begins with FILE PATTERN.
bad() {
    run plan "$2"
    check "$1: exit 2" exits 2
    check "$1: nothing on standard output" silent
    check "$1: where and what" complains "$2$3"
}

bad "no such file" nosuch.json ': .*No such file'
bad "a folder" "$tmp" ': '
printf '' >empty.json
bad "an empty file" empty.json ':'
printf 'MZ\220\000\003' >binary
bad "not text" binary ':'
printf '{"buffers":[],\n "operators":[}\n' >syntax.json
bad "JSON syntax" syntax.json ':2:[0-9]+: '
printf '{"format":"stowage-graph","version":2,"operators":[],"buffers":[]}' >version.json
bad "a version of a later day" version.json ':'
printf '{"format":"stowage-graph","version":1,\n"operators":[{"name":"a","inputs":["nosuch"],"outputs":[]}],\n"buffers":[]}' >reference.json
bad "a buffer that is not there" reference.json ':2:[0-9]+: .*nosuch'
printf '{"format":"stowage-graph","version":1,\n"operators":[],\n"buffers":[{"name":"x","size":-1}]}' >negative.json
bad "a negative size" negative.json ':3:[0-9]+: '
printf '{"format":"stowage-graph","version":1,\n"operators":[{"name":"a","outputs":["x"]}],\n"buffers":[{"name":"x","size":1},\n{"name":"x","size":1}]}' >twice.json
bad "a name twice" twice.json ':4:[0-9]+: .*x'
printf 'id,lower,upper,size\na,0,1,10\nb,2,1,10\n' >backward.csv
bad "a life that ends before it begins" backward.csv ':3:[0-9]+: '
printf 'id,lower,upper,size\na,0,1,ten\n' >word.csv
bad "a size that is no number" word.csv ':2:7: '
printf 'id,lower,upper,size\na,0,1,99999999999999999999999\n' >huge.csv
bad "a size beyond everything" huge.csv ':2:7: '
printf 'id,lower,upper\na,0,1\n' >column.csv
bad "a column that is missing" column.csv ':1.*size'
printf 'id,lower,upper,size\na,0,1,10\na,0,1,10\n' >same.csv
bad "an id twice" same.csv ':3'
printf 'id,lower,upper,size\n\377\376,0,1,10\n' >latin.csv
bad "not UTF-8" latin.csv ':'

# Control characters of a name must not reach a terminal.
printf 'id,lower,upper,size\n"a\033[31mb",0,x,10\n' >escape.csv
run plan escape.csv
check "escape sequences: exit 2" exits 2
check "escape sequences: none on standard error" same "" "$(grep -P '\x1b' "$tmp/err")"
run plan "$(printf 'no\033[2Jsuch.csv')"
check "escape sequences in file names" same "" "$(grep -P '\x1b' "$tmp/err")"
printf 'id,lower,upper,size\n"a\033[31mb",0,2,10\n' >colored.csv
run plan colored.csv -p first-fit
check "control characters in buffers: shown as ?" says 'a\?\[31mb: 10 B'
check "escape sequences in buffers: none in the summary" same "" "$(grep -P '\x1b' "$tmp/out")"
run plan "$tmp/colored.csv" --capacity 12
check "escape sequences in buffers: none in what does not fit" same "" "$(grep -P '\x1b' "$tmp/out" "$tmp/err")"

printf '{"tiers":[{"name":"sram","capacity":"big"}]}' >tiers.json
run plan "$models/example1.json" --tiers tiers.json
check "a bad --tiers file: exit 2" exits 2
check "a bad --tiers file: where" complains 'tiers.json:1:[0-9]+: '
printf '{\n "format":"stowage-graph",\n "tiers":[{"name":"sram"}]\n}\n' >graph.json
run plan "$models/two_cores.lua" --tiers graph.json # the model is the program's text
check "a bad --tiers file beside a program: where" complains 'graph.json:2:[0-9]+: unknown key "format"'
run plan "$models/example1.json" --tiers nosuch.json
check "a missing --tiers file" complains 'nosuch.json: '
printf '{"tiers":[{"name":"fast","capacity":4096},{"name":"slow"}]}' >two.json
run plan "$models/example1.json" --tiers two.json -p first-fit --format json
check "--tiers" json '[.tiers[].name] == ["fast","slow"] and .peak == null'
check "--tiers: the first is kept to its capacity" json '.tiers[0].peak <= 4096 and .tiers[1].peak > 0'

run check "$models/example1.json" nosuch.csv
check "a missing plan: exit 2" exits 2
check "a missing plan: which" complains 'nosuch.csv: '
printf 'id,lower,upper,size,offset\nb0,0,3,2048,0\nb1,1,5,2048,0\nb2,2,4,1024,4096\nb3,3,5,2048,0\nb4,4,6,1024,4096\nb5,5,6,4096,0\n' >overlap.csv
run check "$models/example1.json" overlap.csv
check "a plan with faults: exit 1" exits 1
check "a plan with faults: a line each" says 'b0.*b1'
run plan overlap.csv -p as-built --format json
check "a plan with faults, as built: exit 1" exits 1
check "a plan with faults, as built: not feasible" json '.feasible == false'
check "a plan with faults, as built: which" complains 'infeasible: .*b0.*b1'
run plan backward.csv -o out.csv
check "no file after an error" [ ! -e out.csv ]

# The smallest inputs there are.
printf 'id,lower,upper,size\n' >none.csv
run plan none.csv --format json
check "no buffers: exit 0" exits 0
check "no buffers: nothing needed" json '.peak == 0 and .lower_bound == 0 and .placements == [] and .feasible'
run plan none.csv
check "no buffers: text" exits 0
run compare none.csv
check "no buffers: compare" exits 0
run trace none.csv -p first-fit
check "no buffers: trace" silent
printf 'id,lower,upper,size\na,0,1,0\n' >zero.csv
run plan zero.csv --format json
check "a buffer of size 0" json '.peak == 0 and (.placements | length) == 1'

# Each allocator has something of its own behind it, which is no script.
for allocator in cuda-caching bfc-arena tlsf buddy free-list ggml-dyn; do
    run "$models/out_of_memory.csv" -p $allocator --screen 80x24 --script <(printf 'step 3\nsave %s.session\n' $allocator)
    check "$allocator: a session is saved" exits 0
    check "$allocator: and names it" grep -q "$allocator" $allocator.session
    run $allocator.session --screen 80x24 --script <(printf 'step 1\n')
    check "$allocator: and opens" exits 0
done
finish
