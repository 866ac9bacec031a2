#!/usr/bin/env bash
# One moment of an allocator in the explorer, in pictures, in files and in commands that need a run.
. "$(dirname "$0")/lib.bash"
moment=$models/out_of_memory_moment.log
refused() { exits 2 && silent && complains ".*$1"; }
never() { ! says "$1"; }
never_in() { ! grep -q "$1" "$2"; }
# The sums of the log, apart from the program.
reserved=$(awk '/Next region of size/ { sum += $NF } END { printf "%d", sum }' "$moment")
used=$(awk '/ InUse at / { sub(/.* size /, ""); sum += $1 } END { printf "%d", sum }' "$moment")
free=$(awk '/ Free  at / { sub(/.* size /, ""); sum += $1; n++ } END { printf "%d", sum }' "$moment")
blocks=$(grep -cE ' (InUse|Free ) at ' "$moment")

# ---- files: as JSON and back, its blocks as CSV ----
run convert "$moment" -o "$tmp/kept.json"
check 'a moment is written as JSON' exits 0
check 'of which one can sum the segments' test "$(jq '[.moment.segments[].size] | add' "$tmp/kept.json")" = "$reserved"
check 'the blocks in use' test "$(jq '[.moment.segments[].blocks[] | select(.state == "in use").size] | add' "$tmp/kept.json")" = "$used"
check 'and those that are free' test "$(jq '[.moment.segments[].blocks[] | select(.state == "free").size] | add' "$tmp/kept.json")" = "$free"
run convert "$tmp/kept.json" -o "$tmp/again.json"
check 'it reads back the same' cmp "$tmp/kept.json" "$tmp/again.json"
"$STOWAGE" plan "$moment" | tail -n +2 >"$tmp/of_log"
"$STOWAGE" plan "$tmp/kept.json" | tail -n +2 >"$tmp/of_json"
check 'and says the same' cmp "$tmp/of_log" "$tmp/of_json"
run plan "$moment" -o "$tmp/summary.json"
"$STOWAGE" plan "$tmp/summary.json" | tail -n +2 >"$tmp/of_summary"
check 'so does the summary as JSON' cmp "$tmp/of_log" "$tmp/of_summary"
run convert "$moment" -o "$tmp/blocks.csv"
check 'the blocks are a table' test "$(tail -n +2 "$tmp/blocks.csv" | wc -l)" = "$blocks"
check 'with their sizes' test "$(awk -F, 'NR > 1 { sum += $3 } END { printf "%d", sum }' "$tmp/blocks.csv")" = "$reserved"
check 'and what that lacks is said' complains '.*holds the blocks'
run plan "$moment" -o "$tmp/plan.csv"
check 'plan writes the same table' cmp "$tmp/blocks.csv" "$tmp/plan.csv"
for name in x.h x.requests.csv x.tflite; do
    run convert "$moment" -o "$tmp/$name"
    check "no moment is written as $name" exits 2
    check "$name is not there" test ! -e "$tmp/$name"
done
run plan "$moment" -o "$tmp/x.h"
check 'nor as a plan in C' refused 'written as .json'
# What is told by half, high addresses, what is implied.
cat >"$tmp/odd.json" <<'END'
{"format":"stowage-graph","version":1,"name":"odd","moment":{"failed":{"size":4096,"about":10,"rounded":8192},
 "told":[{"figure":"limit","bytes":10000},{"figure":"peak_in_use","allocator":"a","bytes":7,"about":1}],
 "segments":[{"address":4096,"size":4096,"pool":"p","stream":"7","blocks":[{"address":4096,"size":1024,"state":"waiting","name":"n","origin":"f\ng"}]},
  {"size":512,"blocks":[{"size":128,"count":3,"requested":100,"state":"in use"}]}],
 "blocks":[{"address":"0xffff800000000000","size":256,"state":"in use"},{"size":64,"count":2,"state":"free"}]}}
END
run convert "$tmp/odd.json" -o "$tmp/odd1.json"
check 'a moment of few words is read' exits 0
run convert "$tmp/odd1.json" -o "$tmp/odd2.json"
check 'and reads back the same' cmp "$tmp/odd1.json" "$tmp/odd2.json"
check 'all of it is kept' jq -e '.moment | (.failed | [.size, .about, .rounded]) == [4096, 10, 8192]
    and (.told[1] | [.figure, .allocator, .bytes, .about]) == ["peak_in_use", "a", 7, 1]
    and ([.segments[] | select(.size == 4096) | .pool, .stream] == ["p", "7"])
    and ([.segments[] | .blocks[] | select(.state == "waiting") | .size, .name, .origin] == [1024, "n", "f\ng"])
    and ([.segments[] | select(.size == 512) | .blocks[] | .size, .count, .requested] == [128, 3, 100])
    and ([.blocks[] | .size, .count, .state] == [64, 2, "free"])' "$tmp/odd1.json"
check 'a high address stays' grep -q '"address":"0xffff800000000000"' "$tmp/odd2.json"
check 'what is not told is free of nothing' test "$(jq '[.moment.segments[0].blocks[] | select(.state == "not told").size] | add' "$tmp/odd2.json")" = 3072
for wrong in 's/"size":4096,"pool"/"size":1000,"pool"/' 's/"waiting"/"lost"/' 's/"limit"/"limits"/' \
    's/"0xffff800000000000"/"ffff"/' 's/"count":3/"count":0/' 's/"pool"/"pools"/' 's/"name":"odd"/"buffers":[]/' 's/"size":4096,"about"/"size":-1,"about"/'; do
    sed "$wrong" "$tmp/odd.json" >"$tmp/wrong.json"
    run plan "$tmp/wrong.json"
    check "refused in a line: $wrong" exits 2
    check "with one line: $wrong" test "$(wc -l <"$tmp/err")" = 1
done

# ---- what keeps memory: no way to make it fit, and under a heading of its own ----
run plan "$moment" --format json
check 'of segments no way is told' jq -e '.moment.failed.ways | all(test("keep") | not)' "$tmp/out"
# The rule, apart from the program: at least half is free, and something is in use.
check 'segments that are at least half free, and the blocks there' jq -e '[.moment.segments[] | {at: .address, used: [.blocks[] | select(.state == "in use")], free: ([.blocks[] | select(.state == "free").size] | add // 0)}
    | select((.used | length) > 0 and .free >= ([.used[].size] | add))] as $pins | .moment.failed.keeps as $said | ($pins | length) == 2 and ($said | length) == 3
    and ([$pins[].used | length] == [10, 3]) and ($said[0] | startswith("10 blocks")) and ($said[1] | startswith("3 blocks"))
    and ($said[1] | test("0x7f3c40000000 of 49 MiB, 0x7f3c46200000 of 24.5 MiB, 0x7f3c4dc80000 of 9 MiB\\.$")) and ($said[0] | endswith("and 4 more."))' "$tmp/out"
run plan "$moment"
check 'under its heading' says '^What keeps memory$'
check 'with the rule' says 'These are segments of which at least half is free, the smallest share in use'

# ---- commands that need a run ----
for command in compare tune fit suggest trace; do
    run $command "$moment"
    check "$command of a moment" refused 'this is one moment of an allocator, without times: there is nothing to plan'
done
echo 'id,lower,upper,size,offset' >"$tmp/none.csv"
run check "$moment" "$tmp/none.csv"
check 'check of a moment' refused 'this is one moment of an allocator'
run plan "$moment" --max-peak 1M
check 'a gate' refused '--max-peak: this is one moment'
run plan "$moment" -p best-fit
check 'a planner' refused '--planner: this is one moment'

# ---- pictures ----
run export "$moment" -o "$tmp/map.svg"
check 'the map of a moment' exits 0
check 'names its segments' grep -q '0x7f3c40000000' "$tmp/map.svg"
check 'and what it comes to' grep -q 'Reserved 962 MiB, in use 492 MiB, free 470 MiB' "$tmp/map.svg"
check 'and marks what would make room' grep -q 'these would make room' "$tmp/map.svg"
check 'and frames what that comes to' grep -q 'one free piece of 207 MiB then' "$tmp/map.svg"
for view in moment sizes buffers card; do
    run export "$moment" --view "$view" -o "$tmp/$view.svg"
    check "a picture of $view" exits 0
done
check 'why it failed stands there' grep -q 'smaller than that' "$tmp/moment.svg"
run export "$moment" --view report -o "$tmp/report.pdf"
check 'a report' exits 0
check 'which is a PDF' grep -aq '^%PDF' "$tmp/report.pdf"
run export "$moment" --view live -o "$tmp/live.svg"
check 'a view of runs' refused "the view 'live' is about a run; of one moment of an allocator there are: .*moment-map"
run export "$models/mobilenet_v1_025_96.json" --view moment -o "$tmp/live.svg"
check 'a moment of a run' refused "the view 'moment' is about one moment"

# ---- the explorer ----
cd "$tmp" || exit 1
say() { # LINE...: a script
    printf '%s\n' "$@" >"$tmp/script"
    run "$moment" --script "$tmp/script" --screen 120x40
}
say
check 'the header has the sums' says 'reserved 962M  in use 492M  free 470M  largest free 98M  failed 192M'
check 'and no peak' never 'peak|bound'
check 'no keys of runs are offered' never 'step|what-if|continue'
for line in step last 'pin 0x7f3c20000000 0' 'planner best-fit' 'break true' 'compare auto' 'cursor 0' 'write x.csv' ghosts suggest; do
    say "$line"
    check "$line" refused 'this is one moment of an allocator, without times; it has no run'
done
say help
check 'the help tells of segments' says 'a bar for each segment with its blocks'
say 'pane blame'
check 'a pane about runs' refused "the view 'blame' is about a run"
say 'select 0x7f3c46200000' 'pane card' 'zoom-block' 'sort size' 'pane card' 'save here.stowage'
cp "$tmp/out" "$tmp/before"
check 'a session is saved' exits 0
run here.stowage --screen 120x40
check 'and opened' exits 0
check 'with what was selected' says '102,760,448 bytes from the start of'
head -n 39 "$tmp/out" >"$tmp/after"
check 'where it was' cmp <(head -n 39 "$tmp/before") "$tmp/after"
# What is free is selected as well: by its address, with keys, from the table; the card tells what giving back adds.
say 'select 0x7f3c47a80000' 'pane card' 'save piece.stowage' 'whole on'
check 'a free piece is selected' says '^ 0x7f3c47a80000'
card=$(tr -s '\n ' ' ' <"$tmp/out")
at=$((0x7f3c47a80000)) below=$((0x7f3c46200000)) above=$((0x7f3c4dc80000)) most=$((192 << 20))
bytes_at() { awk -v at="at $(printf %x "$1") of" '/ (InUse|Free ) at / && index($0, at) { sub(/.* size /, ""); print $1 }' "$moment"; }
mib() { awk -v bytes="$1" 'BEGIN { printf "%.3g MiB", bytes / 1048576 }'; }
told() { [[ $card == *"$1"* ]]; }
piece=$(bytes_at $at) low=$(bytes_at $below) high=$(bytes_at $above)
under=$(bytes_at $((0x7f3c43100000))) over=$(bytes_at $((0x7f3c4e580000)))
check 'its size' told "free, $(printf "%'d" "$piece" | sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta') bytes"
check 'what it lacks' told "one free piece of $(mib "$piece"), $(mib $((most - piece))) too small"
check 'what the block below adds' told "Giving back the $(mib "$low") below it leaves one free piece of $(mib $((under + low + piece))), $(mib $((most - under - low - piece))) too small"
check 'what the block above adds' told "Giving back the $(mib "$high") above it leaves one free piece of $(mib $((piece + high + over)))"
check 'and what both do' told "Both leave one free piece of $(mib $((under + low + piece + high + over))), enough for the request that failed"
check 'its place is said without times' never 'alive'
run piece.stowage --screen 120x40
check 'a session keeps it' says '0x7f3c47a80000'
for key in select-next select-right next-row; do
    say 'select 0x7f3c47a80000' $key
    check "$key goes on from it" says '^ 0x7f3c4dc80000: 9 MiB, in use, in segment 5 of 6'
done
for key in select-previous select-left previous-row; do
    say 'select 0x7f3c4dc80000' $key
    check "$key comes to it" says '^ 0x7f3c47a80000: 98 MiB, free, in segment 5 of 6'
done
for key in Right Down; do
    say 'select 0x7f3c47a80000' "key $key"
    check "the arrow $key goes on from it" says '^ 0x7f3c4dc80000: 9 MiB, in use'
done
for key in Left Up; do
    say 'select 0x7f3c4dc80000' "key $key"
    check "the arrow $key comes to it" says '^ 0x7f3c47a80000: 98 MiB, free'
done
for key in b f w = D M P "'"; do
    say "key $key"
    check "the key $key of a run asks for no words" never 'Tab completes'
    check "and says why not: $key" says '^ [a-z-]+: this is one moment of an allocator, without times; it has no run'
done
say 'select-previous'
check 'the last block is before the first' says '^ 0x7f3c7a080100: 63.5 MiB, free, in segment 6 of 6'
say 'select 0x7f3c47a80000' zoom-block
check 'and zoomed to' says '2 of 6 segments, 40M a row'
say 'select 0x7f3c47a80000' select zoom-block
check 'it is let go' refused 'no block is selected'
say 'select 0x7f3c47a80001'
check 'an address inside of one is none' refused "there is no buffer '0x7f3c47a80001'"
say 'select 0x7f3c6f500000' zoom-block
check 'each row of a near zoom has its own address' says '0x7f3c6f4fff60┤'
check 'and the next one too' says '0x7f3c6f4fffc0┤'
check 'a block that begins in a row above goes on' says 'free, rest of 98M'
say sort
check 'what is sorted is the table of blocks' says '^ 46 blocks, the largest first'
say sort sort
check 'or lies by address' says '^ 46 blocks, by address'
say 'sort life'
check 'blocks of a moment have no length of life' refused 'the blocks of a moment are sorted by size, or by offset'
run export "$moment" -o "$tmp/legend.svg"
check 'the legend has no hue that is not drawn' never_in 'other sizes' "$tmp/legend.svg"
check 'and units that suit each size' grep -q '1 block of 72 KiB\|too small to draw' "$tmp/legend.svg"
# Every block is drawn, or counted by what stands for it.
say 'zoom-fit'
check 'no more rows than there are' never 'rows 1 to'
# Many segments: those that have room, told; the largest first.
awk 'BEGIN { for (i = 0; i < 300; i++) { printf "x bfc_allocator.cc:1] Next region of size %d\n", 4096 + i * 256
    printf "x bfc_allocator.cc:1] InUse at %x of size 256 next 1\nx bfc_allocator.cc:1] Free  at %x of size %d next 2\n", 131072 * (i + 1), 131072 * (i + 1) + 256, 3840 + i * 256 } }' >"$tmp/many.log"
printf '\n' >"$tmp/script"
run "$tmp/many.log" --script "$tmp/script" --screen 100x30
check 'many segments are told' says 'rows 1 to [0-9]+ of 300, from segment 1 of 300 segments'
echo 'select 0x2000000' >"$tmp/script"
run "$tmp/many.log" --script "$tmp/script" --screen 100x30
check 'the selected one is in sight' says '0x2000000 '
echo 'sort size' >"$tmp/script"
run "$tmp/many.log" --script "$tmp/script" --screen 100x30
check 'the largest first' says '0x2580000'
# Without addresses there is a table and no map.
printf '%s\n' 'RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6291456 bytes.' 'Peak buffers:' '	Buffer 1:' \
    '		Size: 6.00MiB' '		XLA Label: concatenate' '		Shape: f32[4096,128,3]' >"$tmp/peak.txt"
printf '\n' >"$tmp/empty"
run "$tmp/peak.txt" --screen 80x24 --script "$tmp/empty"
check 'blocks without addresses are listed as told' says '1 of 1 block, as told'
check 'and no key goes from one to the next' never 'next block|zoom block'
run export "$tmp/peak.txt" -o "$tmp/peak.svg"
check 'nor are there segments' never_in 'segments' "$tmp/peak.svg"
run plan "$tmp/peak.txt"
check 'and why it failed is not made up' says 'What was free then, or what the limit was, is not told'
run plan "$moment"
check 'where it is told that is not said' never 'is not told'
printf '%s\n' 'Allocator (GPU_0_bfc) ran out of memory trying to allocate 510.00MiB.' \
    'x bfc_allocator.cc:1] Sum Total of in-use chunks: 382.50MiB' >"$tmp/sums.log"
printf '\n' >"$tmp/empty"
run "$tmp/sums.log" --screen 80x24 --script "$tmp/empty"
check 'sums alone open' exits 0
check 'with what they say' says 'in use 383M  failed 510M'
finish
