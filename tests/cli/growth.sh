#!/usr/bin/env bash
# Each kind of thing that a small file can hold many of: however it grows, there is an answer, or one line that says which
# limit is met. A wrong order of growth takes minutes of the processor's time, which ends the program here; load does not.
# With STOWAGE_LONG files of about 1 MB, else a share of that.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1
share=${STOWAGE_LONG:+8}
share=${share:-1}
printf 'key G\nkey p\n' >keys

# bounded ARGUMENT...: as run, with at most 60 seconds of the processor's time.
bounded() {
    (ulimit -t 60 && exec "$STOWAGE" "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
# Something was printed or written, or one line says why not.
answered() { [ "$status" -eq 0 ] || { [ "$status" -eq 2 ] && complains '.*'; }; }

# grown NAME FILE OPTION...: the summary, a picture and a frame of the explorer.
grown() {
    local name=$1 file=$2
    shift 2
    bounded plan "$file" "$@"
    check "$name: plan" answered
    bounded export "$file" "$@" -o layout.svg
    check "$name: picture" answered
    bounded "$file" "$@" --script keys --screen 100x30
    check "$name: explorer" answered
}

# planned NAME FILE PLANNER...: each of them, and one of its decisions with its reasons.
planned() {
    local name=$1 file=$2 planner
    shift 2
    for planner; do
        bounded plan "$file" -p "$planner"
        check "$name: $planner" answered
        bounded "$file" -p "$planner" --script keys --screen 100x30
        check "$name: $planner, explained" answered
    done
}

# pieces COUNT FIRST LAST LO HI: two buffers of so many pieces; i is the number of the piece, b that of the buffer.
pieces() {
    awk -v n="$1" "BEGIN {
        printf \"{\\\"buffers\\\":[\"
        for (b = 0; b < 2; b++) {
            printf \"%s{\\\"name\\\":\\\"b%d\\\",\\\"size\\\":%d,\\\"pieces\\\":[\", b ? \",\" : \"\", b, 8 * n
            for (i = 0; i < n; i++)
                printf \"%s{\\\"first\\\":%d,\\\"last\\\":%d,\\\"lo\\\":%d,\\\"hi\\\":%d}\", i ? \",\" : \"\", $2, $3, $4, $5
            printf \"]}\"
        }
        printf \"],\\\"operators\\\":[]}\\n\"
    }"
}
pieces $((1000 * share)) 'i * 2 + b' 'i * 2 + b' '(i % 2) * 32' '(i % 2) * 32 + 32' >apart.json
grown 'pieces apart' apart.json
pieces $((1000 * share)) i i 'i * 8' 'i * 8 + 8' >walking.json
grown 'pieces that walk' walking.json
pieces $((1000 * share)) i 'i + n' 'i * 8' 'i * 8 + 8' >stairs.json
grown 'pieces that touch' stairs.json
pieces 400 i 'i + n' 'i * 8' 'i * 8 + 4' >few.json
grown 'pieces alive together' few.json
pieces $((1000 * share)) i 'i + n' 'i * 8' 'i * 8 + 4' >many.json
refuses 'pieces in too many pairs' plan many.json because 'many.json: the pieces of buffers share steps in [0-9]+ pairs; at most 262144 can be handled \(b0 has the most pieces, [0-9]+\)'

# ---- buffers ----
awk -v n=$((7000 * share)) 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < n; i++) printf "b%d,0,9,%d\n", i, 1 + i * 7919 % 1000 }' >together.csv
grown 'buffers alive together' together.csv
awk -v n=$((9000 + 6000 * (share - 1))) 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < n; i++) printf "b%d,%d,%d,%d\n", i, i % 7, 9 + i % 5, 1 + i * 7919 % 1000 }' >pile.csv
for planner in random-order order-genetic; do
    bounded plan pile.csv -p $planner --format json
    check "$planner of buffers alive together: each lies on those before it" \
        json ".peak == $(awk -F, 'NR > 1 { sum += $4 } END { print sum }' pile.csv)"
done
bounded trace together.csv -p greedy-by-size --max-candidates 10000
check 'a trace of buffers alive together: each candidate counts' same "$(tail -1 "$tmp/err" | tr -d ,)" \
    "stowage: the trace ends before decision $(($(wc -l <"$tmp/out") + 1)) with which $(($(grep -o '"verdict"' "$tmp/out" | wc -l) + $(wc -l <"$tmp/out") + 1)) candidates are looked at more than --max-candidates 10000"
for level in decision event; do
    bounded trace together.csv -p greedy-by-size --level $level
    check "a trace of buffers alive together, level $level" answered
done
rm -f run.trace
bounded trace together.csv -p greedy-by-size -o run.trace --max-candidates 10000
check 'such a trace as a file' answered
check 'such a trace as a file is not written' test ! -e run.trace
planned 'alive together' together.csv tflm-greedy greedy-by-size greedy-by-breadth lifetime-best-fit improve
planned 'one on the other' pile.csv random-order order-genetic tflm-greedy
sed 's/size$/size,alignment/; t; s/$/,64/' together.csv >aligned.csv
planned 'alive together, aligned' aligned.csv tflm-greedy greedy-by-size first-fit best-fit
# Short lives and long ones; most blocks that are born enlarge a free one, and move what lies above it.
awk -v n=$((4000 * share)) 'BEGIN {
    print "id,lower,upper,size"
    for (i = 0; i < n; i++) printf "b%d,%d,%d,%d\n", i, i, i + 1 + i * 7919 % 997 * (i % 7 ? 1 : 40), 1 + i * 7919 % 1000 }' >mixed.csv
planned 'blocks that grow' mixed.csv lifetime-best-fit random-order order-genetic
awk -v n=$((4000 * share)) 'BEGIN {
    srand(3)
    print "id,lower,upper,size,alignment"
    for (i = 0; i < n; i++) {
        lower = int(rand() * n)
        printf "b%d,%d,%d,%d,%d\n", i, lower, lower + 1 + int(rand() * rand() * n), 1 + int(rand() * 5000), 2 ^ int(rand() * 7)
    } }' >random.csv
planned 'lives of any length' random.csv first-fit best-fit lifetime-best-fit
awk -v n=12000 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < n; i++) printf "b%d,%d,%d,%d\n", i, i, i + n / 2, 1 + i % 9 }' >pairs.csv
refuses 'pairs in conflict' plan pairs.csv -p random-order \
    because 'more than 8388608 pairs of buffers are in conflict, the most that random-order can handle here'
awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 1000000; i++) printf "x"; print ",0,1,4" }' >name.csv
grown 'one long name' name.csv
awk -v n=$((12000 * share)) 'BEGIN { printf "id,lower,upper,size"; for (i = 0; i < n; i++) printf ",c%d", i; print ""; printf "a,0,1,4"; for (i = 0; i < n; i++) printf ","; print "" }' >columns.csv
grown columns columns.csv

head -801 random.csv >some.csv
bounded compare some.csv -p random-order,order-genetic -o pages.html
check 'a page of planners that lay all anew at each decision' exits 0
bounded export random.csv -p first-fit --size 3000x2000 --color-by size -o large.svg
check 'what is merged on a very fine grid: the legend says that it has no color' grep -q '1/4 to all; without colors at this resolution' large.svg
awk -v n=$((20000 * share)) 'BEGIN {
    print "x bfc_allocator.cc:1] Next region of size", n * 512
    for (i = 0; i < n; i++) printf "x bfc_allocator.cc:1] %s at %x of size 512 next 1\n", i % 2 ? "Free " : "InUse", 1048576 + i * 512 }' >held.log
bounded export held.log -o held.html
check 'a page of a moment' exits 0

# ---- graphs ----
many() { # many COUNT FORMAT: FORMAT with i, COUNT times, with commas between
    awk -v n="$1" "BEGIN { for (i = 0; i < n; i++) printf \"%s\" \"$2\", i ? \",\" : \"\", i }"
}
printf '{"operators":[{"name":"o","inputs":[%s]}],"buffers":[%s]}\n' "$(many $((3600 * share)) '\"b%d\"')" \
    "$(many $((3600 * share)) '{\"name\":\"b%d\",\"size\":8}')" >inputs.json
planned 'inputs of an operator' inputs.json ggml-dyn token-sharing tflm-greedy
awk -v n=$((1300 * share)) 'BEGIN {
    printf "{\"operators\":[{\"name\":\"s\",\"outputs\":[\"x\"]}"
    for (i = 0; i < n; i++) printf ",{\"name\":\"o%d\",\"inputs\":[\"x\"],\"outputs\":[\"b%d\"]}", i, i
    printf ",{\"name\":\"e\",\"inputs\":["
    for (i = 0; i < n; i++) printf "%s\"b%d\"", i ? "," : "", i
    printf "]}],\"buffers\":[{\"name\":\"x\",\"size\":77}"
    for (i = 0; i < n; i++) printf ",{\"name\":\"b%d\",\"size\":%d}", i, 1 + i * 7919 % 1000
    print "]}" }' >wide.json
planned 'a wide graph' wide.json ggml-dyn token-sharing tflm-greedy
printf '{"operators":[%s],"buffers":[{"name":"a","size":5,"first":0,"last":1}]}\n' \
    "$(awk -v n=$((2000 * share)) 'BEGIN { printf "{\"name\":\"o0\"}"; for (i = 1; i < n; i++) printf ",{\"name\":\"o%d\",\"after\":[\"o%d\",\"o%d\"]}", i, i - 1, int(i / 2) }')" >after.json
grown 'operators after others' after.json
printf '{"overlays":[%s],"operators":[],"buffers":[{"name":"a","size":500000,"first":0,"last":1}]}\n' \
    "$(many $((2500 * share)) '{\"of\":\"a\",\"name\":\"p%d\",\"lo\":0,\"hi\":7}')" >overlays.json
grown overlays overlays.json
awk -v m=$((7500 * share)) 'BEGIN {
    n = 1000
    printf "{\"separate\":["
    for (i = 0; i < m; i++) printf "%s[\"b%d\",\"b%d\"]", i ? "," : "", i % n, (i % n + 1 + int(i / n)) % n
    printf "],\"operators\":[],\"buffers\":["
    for (i = 0; i < n; i++) printf "%s{\"name\":\"b%d\",\"size\":%d,\"first\":%d,\"last\":%d}", i ? "," : "", i, 1 + i % 100, i, i + 3
    print "]}" }' >separate.json
grown 'pairs kept separate' separate.json
awk -v n=$((6000 * share)) 'BEGIN { print "event,id,size,stream"; for (i = 0; i < n; i++) if (i % 3 == 2) printf "free,b%d\n", i - 1 - i % 2; else printf "alloc,b%d,%d,0\n", i, 1 + i * 7919 % 100000 }' >requests.csv
grown requests requests.csv
printf '{"tiers":[{"name":"m"}],"reserved":[%s],"buffers":[{"name":"a","size":5,"first":0,"last":1}],"operators":[]}\n' \
    "$(awk -v n=$((2200 * share)) 'BEGIN { for (i = 0; i < n; i++) printf "%s{\"tier\":\"m\",\"lo\":%d,\"hi\":%d}", i ? "," : "", i * 64, i * 64 + 32 }')" >reserved.json
grown 'reserved ranges' reserved.json
printf '{"tiers":[%s],"buffers":[{"name":"a","size":5}],"operators":[]}\n' "$(many $((2500 * share)) '{\"name\":\"t%d\",\"capacity\":100}')" >tiers.json
grown tiers tiers.json
awk -v n=$((1200 * share)) 'BEGIN {
    printf "{\"operators\":[{\"name\":\"o\",\"inplace\":true,\"inputs\":["
    for (i = 0; i < n; i++) printf "%s\"a%d\"", i ? "," : "", i
    printf "],\"outputs\":["
    for (i = 0; i < n; i++) printf "%s\"c%d\"", i ? "," : "", i
    printf "]}],\"buffers\":["
    for (i = 0; i < n; i++) printf "%s{\"name\":\"a%d\",\"size\":1},{\"name\":\"c%d\",\"size\":%d}", i ? "," : "", i, i, 1 + i % 7
    printf "]}\n" }' >inplace.json
grown 'pairs in place' inplace.json --inplace safe
awk -v n=$((110000 * share)) 'BEGIN { for (i = 0; i < n; i++) printf "["; print "" }' >nesting.json
grown nesting nesting.json
{ printf 'stowage-session 1\ninput apart.json\n'; awk -v n=$((6000 * share)) 'BEGIN { for (i = 0; i < n; i++) printf "arg k%d=1\n", i }'; } >arguments.sw
grown 'arguments of a session' arguments.sw

# ---- MLIR: what an alias stands for is read wherever it is named ----
# aliases DEFINITION TYPE: "@" in the definition stands for many times its next word; allocations of the type.
aliases() {
    awk -v n=$((1600 * share)) -v long=$((25000 * share)) -v definition="$1" -v type="$2" 'BEGIN {
        at = index(definition, "@")
        printf "%s", substr(definition, 1, at - 1)
        word = substr(definition, at + 1, 2)
        for (i = 0; i < long; i++) printf "%s", word
        print substr(definition, at + 3)
        print "func.func @f() {"
        for (i = 0; i < n; i++) printf "%%a%d = memref.alloc() : %s\n", i, type
        print "}" }'
}
aliases '!t = memref<@1xf32>' '!t' >alias.mlir
refuses 'alias of a memref' plan alias.mlir because 'alias.mlir:3:24: this is no memref of at most 8192 bytes: memref<4x8xf32>'
aliases '!e = vector<@1xf32>' 'memref<4x!e>' >alias.mlir
refuses 'alias of an element' plan alias.mlir because 'alias.mlir:3:33: !e is no element type of known size'
aliases '#m = affine_map<(d0) -> (d0@+1)>' 'memref<4xf32, #m>' >alias.mlir
grown 'alias of a layout' alias.mlir
aliases '!t = !@tt' '!t' >alias.mlir
refuses 'name of an alias' plan alias.mlir because 'alias.mlir:3:7: this is no allocation: .*'
# lines COUNT LINE: a function with an allocation and so many such lines
lines() { awk -v n="$1" -v line="$2" 'BEGIN { print "func.func @f() {\n%x = memref.alloc() : memref<4xi8>"; for (i = 0; i < n; i++) print line; print "}" }'; }
lines $((28000 * share)) '%a,' >lines.mlir
grown 'a list of results' lines.mlir
lines $((3000 * share)) '%v = memref.view %x[%c0][] : <' >lines.mlir
grown 'views of open types' lines.mlir
lines $((1500 * share)) 'func.func @f() attributes {stream.resources = #stream.resource_config<{ {' >lines.mlir
grown 'open configs' lines.mlir

finish
