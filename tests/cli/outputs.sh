#!/usr/bin/env bash
# Plans for others: as C headers, compiled as C99, C11 and C++, run, and held against the same plan
# as JSON; as tables in Markdown.
. "$(dirname "$0")/lib.bash"
read -ra compiler <<<"${CC:-cc}"

# program HEADER PREFIX: prints every offset and size, and whether the checksum is right.
program() {
    cat >"$tmp/main.c" <<END
#include <stdio.h>
#include "$1"
int main(void) {
    for (unsigned i = 0; i < $2_COUNT; i++)
        printf("%llu,%llu\n", (unsigned long long)$2_SIZES[i], (unsigned long long)$2_OFFSETS[i]);
    return $2_checksum() == $2_CHECKSUM ? 0 : 1;
}
END
}

# holds NAME PREFIX ARGUMENT...: the header of a plan says what its table says.
holds() {
    local name=$1 prefix=$2
    shift 2
    "$STOWAGE" plan "$@" -o "$tmp/plan.h" && "$STOWAGE" plan "$@" --format json >"$tmp/plan.json"
    check "$name: written" test -s "$tmp/plan.h"
    program plan.h "$prefix"
    for standard in c99 c11; do
        check "$name: compiles as $standard" "${compiler[@]}" -std=$standard -Wall -Wextra -Werror \
            -pedantic -o "$tmp/program" "$tmp/main.c"
        check "$name: its checksum is right" "$tmp/program"
    done
    if command -v g++ >/dev/null; then
        check "$name: compiles as C++" g++ -x c++ -std=c++11 -Wall -Wextra -Werror -o "$tmp/cpp" "$tmp/main.c"
    else
        skip "$name as C++: g++ is not installed"
    fi
    "$tmp/program" | sort >"$tmp/said"
    jq -r '.placements[] | "\(.size),\(.offset)"' "$tmp/plan.json" | sort >"$tmp/wanted"
    check "$name: the same offsets" diff "$tmp/wanted" "$tmp/said"
}
holds 'a network' MOBILENET_V1_025_96 "$models/mobilenet_v1_025_96.json" -p best-fit
holds 'a program' DENSENET121 "$models/densenet121.lua" -p greedy-by-size
holds 'two tiers' TWO_TIERS "$models/two_tiers.json" -p first-fit
check 'two tiers: each has an arena' grep -q '^#define TWO_TIERS_ARENA_SRAM_SIZE ' "$tmp/plan.h"
check 'two tiers: each has a peak' grep -qE '^ \* peaks +sram 70 bytes, dram 120 bytes \*/$' "$tmp/plan.h"
run plan "$models/example1.json" -p random-order --set evaluations=7 -o "$tmp/plan.h"
check 'input and settings are told' grep -qzE 'digest [0-9a-f]{16}, problem [0-9a-f]{16}.*random-order, seed 1.*evaluations=7' "$tmp/plan.h"

# Names that are no identifiers, that are the same when they are, and that would end a comment.
cat >"$tmp/odd.json" <<'END'
{"format": "stowage-graph", "version": 1, "name": "2nd model/a", "operators": [],
 "buffers": [{"name": "a b", "size": 64, "first": 0, "last": 1, "alignment": 64},
  {"name": "a_b", "size": 32, "first": 0, "last": 1},
  {"name": "A.B", "size": 8, "first": 1, "last": 2},
  {"name": "a_b_2", "size": 8, "first": 1, "last": 2},
  {"name": "arena", "size": 16, "first": 0, "last": 1},
  {"name": "x*/#error", "size": 4, "first": 2, "last": 3},
  {"name": "x/*y", "size": 4, "first": 2, "last": 3},
  {"name": "層", "size": 4, "first": 2, "last": 3}]}
END
holds 'odd names' PLAN_2ND_MODEL_A "$tmp/odd.json" -p first-fit
check 'odd names: a base' "$STOWAGE" plan "$tmp/odd.json" -p first-fit --base 0x10000040 -o "$tmp/plan.h"
check 'and compiles' "${compiler[@]}" -std=c11 -Wall -Werror -o "$tmp/program" "$tmp/main.c"
# The assertions are about what the program uses: they fail when it is changed.
spoils() { # NAME SED-EXPRESSION WORDS
    sed -E "$2" "$tmp/plan.h" >"$tmp/spoilt.h"
    check "$1: it is another" bash -c '! cmp -s "$1" "$2"' - "$tmp/plan.h" "$tmp/spoilt.h"
    printf '#include "spoilt.h"\nint main(void) { return 0; }\n' >"$tmp/spoilt.c"
    "${compiler[@]}" -std=c11 -fsyntax-only "$tmp/spoilt.c" 2>"$tmp/reason"
    check "$1: refused" same $? 1
    check "$1: for that reason" grep -q "$3" "$tmp/reason"
}
spoils 'an offset too high' 's/^(#define PLAN_2ND_MODEL_A_A_B_OFFSET) .*/\1 0x10001000u/' 'it ends inside'
spoils 'an offset too low' 's/^(#define PLAN_2ND_MODEL_A_A_B_OFFSET) .*/\1 0x10000000u/' 'it ends inside'
spoils 'a crooked offset' 's/^(#define PLAN_2ND_MODEL_A_A_B_OFFSET) .*/\1 0x10000041u/' 'it is aligned'
spoils 'a smaller arena' 's/^(#define PLAN_2ND_MODEL_A_ARENA_SIZE) .*/\1 63u/' 'it ends inside'
refuses 'a base that spoils the alignment' plan "$tmp/odd.json" -p first-fit --base 0x10000001 -o "$tmp/none.h" because '--base 0x10000001: a b needs an address that is a multiple of 64'
check 'nothing is written then' test ! -e "$tmp/none.h"
printf 'id,lower,upper,size\nbig,0,5,6000000000\nnext,2,9,7\n' >"$tmp/big.csv"
holds 'more than four GiB' BIG "$tmp/big.csv" -p first-fit
printf 'id,lower,upper,size\n' >"$tmp/empty.csv"
"$STOWAGE" plan "$tmp/empty.csv" -p first-fit -o "$tmp/plan.h"
printf '#include "plan.h"\nint main(void) { return EMPTY_checksum() == EMPTY_CHECKSUM ? 0 : 1; }\n' >"$tmp/main.c"
check 'nothing at all compiles' "${compiler[@]}" -std=c11 -Wall -Wextra -Werror -o "$tmp/program" "$tmp/main.c"
check 'and its checksum is right' "$tmp/program"
# What moves in mid-life has no single offset.
run plan "$models/two_tiers.json" -p first-fit -o "$tmp/nowhere/plan.h"
check 'a folder that is not there: exit 2' exits 2

# Markdown: a row per block, the highest first, and nothing in a name that would end its cell.
"$STOWAGE" plan "$models/mobilenet_v1_025_96.json" -p greedy-by-size -o "$tmp/plan.md"
check 'a row for every block' test "$(grep -c '^| [a-z]' "$tmp/plan.md")" = 33
check 'the highest first' same "$(sed -n 5p "$tmp/plan.md")" '| dw\_1\_out | 46080 | 18432 | 1..2 |'
check 'what it needs' grep -qF '64512 bytes, lower bound 55296 (+16.7%)' "$tmp/plan.md"
printf 'id,lower,upper,size\n"a|b\\c",0,5,6\n' >"$tmp/pipe.csv"
"$STOWAGE" plan "$tmp/pipe.csv" -p first-fit -o "$tmp/plan.md"
check 'a name is one cell' grep -qxF '| a\|b\\c | 0 | 6 | 0..4 |' "$tmp/plan.md"

# Gates: one line and 1 when the limit is passed, and the plan is written all the same.
gate() { run plan "$models/mobilenet_v1_025_96.json" -p greedy-by-size "$@"; }
gate --max-peak 63K
check 'at the limit' exits 0
gate --max-peak 62K -o "$tmp/gate.csv"
check 'above it: exit 1' exits 1
check 'above it: one line' complains '.*the peak of 64,512 B is above --max-peak 63,488 B'
check 'above it: no plan lies there as if it had passed' test ! -e "$tmp/gate.csv"
gate --max-fragmentation 14.3%
check 'as fragmented as allowed' exits 0
gate --max-fragmentation 10%
check 'more fragmented: exit 1' exits 1
check 'more fragmented: one line' complains '.*14.3% of the peak is fragmentation, above --max-fragmentation 10.0%'
# 7 bytes of 1000 are 0.7%, and no rounding on the way makes them more.
printf 'id,lower,upper,size,offset\na,0,2,493,0\nb,0,2,500,500\n' >"$tmp/gap.csv"
run plan "$tmp/gap.csv" -p as-built --max-fragmentation 0.7%
check 'exactly as fragmented as allowed' exits 0
run plan "$tmp/gap.csv" -p as-built --max-fragmentation 0.699%
check 'a little more: exit 1' exits 1
check 'a little more: the two differ' complains '.*0\.700% of the peak is fragmentation, above --max-fragmentation 0\.699%'
run plan "$models/two_tiers.json" -p first-fit --max-fragmentation 0%
check 'several memories have no such figure: exit 1' exits 1
check 'several memories: one line' complains '.*fragmentation cannot be measured'
refuses 'a percentage without its sign' plan "$models/two_tiers.json" --max-fragmentation 10 because '.*percentage'
refuses 'a peak that is no number' plan "$models/two_tiers.json" --max-peak much because '.*max-peak'

# Parts of a picture.
picture() { run export "$models/mobilenet_v1_025_96.json" -p best-fit -o "$tmp/part.svg" "$@"; }
picture --highlight pw_1_out --time 2:9 --address 16K:48K
check 'a part of a picture' exits 0
check 'it is one' grep -q '</svg>' "$tmp/part.svg"
cp "$tmp/part.svg" "$tmp/marked.svg"
picture --time 2:9 --address 16K:48K
run export "$models/mobilenet_v1_025_96.json" -p best-fit --view conflicts -o "$tmp/plain.svg"
run export "$models/mobilenet_v1_025_96.json" -p best-fit --view conflicts --highlight pw_1_out -o "$tmp/rows.svg"
check 'conflicts: the mark is seen' bash -c '! cmp -s "$1" "$2"' - "$tmp/plain.svg" "$tmp/rows.svg"
check 'the mark is seen' bash -c '! cmp -s "$1" "$2"' - "$tmp/part.svg" "$tmp/marked.svg"
refuses 'a buffer that is not there' export "$models/mobilenet_v1_025_96.json" -o "$tmp/x.svg" --highlight nobody because ".*there is no buffer 'nobody'"
refuses 'times that are none' export "$models/mobilenet_v1_025_96.json" -o "$tmp/x.svg" --time 9:2 because '.*two times'
refuses 'times beyond the end' export "$models/mobilenet_v1_025_96.json" -o "$tmp/x.svg" --time 99:100 because '.*meets nothing: time runs from 0 to 30'
refuses 'addresses that are none' export "$models/mobilenet_v1_025_96.json" -o "$tmp/x.svg" --address 4K because '.*two addresses'
printf 'id,lower,upper,size\na,0,5,2305843009213693952\n' >"$tmp/huge.csv"
refuses 'addresses too near to each other' export "$tmp/huge.csv" -o "$tmp/x.svg" --address 2305843009213693951:2305843009213693952 because '.*too small to be drawn'
for view in live conflicts blame convergence; do
    refuses "addresses in $view" export "$models/mobilenet_v1_025_96.json" -o "$tmp/x.svg" --view $view --address 0:4K because ".*the view '$view' has no axis of addresses"
done
for view in conflicts convergence blame buffers; do
    refuses "times in $view" export "$models/mobilenet_v1_025_96.json" -o "$tmp/x.svg" --view $view --time 1:2 because ".*the view '$view' has no axis of time"
done
refuses 'a buffer in live' export "$models/mobilenet_v1_025_96.json" -o "$tmp/x.svg" --view live --highlight dw_2_out because ".*the view 'live' marks no buffer"
refuses 'addresses of two memories' export "$models/two_tiers.json" -p first-fit -o "$tmp/x.svg" --address 0:4K because '.*speaks of one memory'
check 'nothing was written' test ! -e "$tmp/x.svg"

# ---- one of a kind is named as one ----
printf '{"operators":[{"name":"op","inputs":["x"],"outputs":["y"]}],"buffers":[{"name":"x","kind":"input","size":1},{"name":"y","kind":"output","size":1}]}\n' >"$tmp/one.json"
printf 'id,lower,upper,size\na,0,5,1\n' >"$tmp/one.csv"
printf 'event,id,size\nalloc,a,1\n' >"$tmp/one.requests.csv"
several='(^|[^0-9,.A-Za-z_])1 (blocks|steps|bytes|buffers|operators|decisions|requests|segments|orders|settings|growths|releases|moves|planners|runs|pairs|nodes|layouts|candidates|tensors|trials|members|generations)\b'
for file in "$tmp/one.json" "$tmp/one.csv" "$tmp/one.requests.csv"; do
    {
        for command in plan compare "plan --format md" "compare --format md" "plan -p random-order"; do
            "$STOWAGE" ${command%% *} "$file" $([ "$command" = "${command#* }" ] || echo "${command#* }")
        done
        "$STOWAGE" diff "$file" "$file"
        "$STOWAGE" tune "$file"
        for view in layout buffers decision card filmstrip; do
            "$STOWAGE" export "$file" --view $view -p first-fit -o "$tmp/one.svg" && grep -o '>[^<]*<' "$tmp/one.svg"
        done
        for pane in buffers decision card reserved; do
            printf 'last\npane %s\nwhole\n' "$pane" >"$tmp/one.txt"
            "$STOWAGE" "$file" -p first-fit --script "$tmp/one.txt" --screen 120x40
        done
    } >"$tmp/one.out" 2>&1
    check "one of a kind: ${file##*/}" same "$(grep -E "$several" "$tmp/one.out")" ""
    check "one of a kind: there is one" grep -qE '(^|[^0-9,.])1 (block|buffer|decision|operator|step|request)\b' "$tmp/one.out"
done

# ---- headings of compared maps are not cut ----
run compare "$models/two_tiers.json" --cost energy --size 500x420 -o "$tmp/tiers.svg"
check 'a narrow heading has the cost' grep -q '>cost 20243.4<' "$tmp/tiers.svg"
check 'a narrow heading has nothing that would be cut' same "$(grep -c '>sram [^<]*, cost' "$tmp/tiers.svg")" 0

# ---- arrows of more moves than can be told apart would hide the blocks ----
echo last >"$tmp/last.txt"
run "$models/train_cnn.lua" -p segment-genetic --capacity 30M --script "$tmp/last.txt" --screen 150x40
check 'moves that are not drawn are counted' says '[0-9]+ moves not drawn \(see occupancy\)'
check 'no arrows hide the blocks' same "$(grep -c '▲.*▲.*▲' "$tmp/out")" 0
moved=$("$STOWAGE" plan "$models/train_cnn.lua" -p segment-genetic --capacity 30M --format json | jq -r '.transfers[0].buffer')
printf 'last\nselect %s\n' "$moved" >"$tmp/moved.txt"
run "$models/train_cnn.lua" -p segment-genetic --capacity 30M --script "$tmp/moved.txt" --screen 150x40
check 'those of the selected buffer are drawn' says '▲|▼'
finish
