#!/usr/bin/env bash
# stowage suggest: what it says, and that it comes true.
. "$(dirname "$0")/lib.bash"
model=$models/mobilenet_v1_025_96.json

# typed FILE PLANNER COMMANDS: the peak of the tier of the list, after these commands and the end of the run.
typed() {
    printf '%s\nlast\nwrite %s\n' "$3" "$tmp/typed.json" >"$tmp/typed.txt"
    rm -f "$tmp/typed.json"
    "$STOWAGE" "$1" -p "$2" --script "$tmp/typed.txt" --write-anywhere --screen 80x10 >/dev/null 2>"$tmp/err" || return
    jq --arg tier "$(jq -r .tier "$tmp/list.json")" '.tiers[] | select(.name == $tier) | .peak' "$tmp/typed.json"
}
# comes_true FILE PLANNER: each of the first twelve suggestions.
comes_true() {
    run suggest "$1" -p "$2" --effort 3000000 --format json
    cp "$tmp/out" "$tmp/list.json"
    check "$(basename "$1") $2: exit 0" exits 0
    local count i
    count=$(jq '[.suggestions | length, 12] | min' "$tmp/list.json")
    made=$((${made:-0} + count))
    for ((i = 0; i < count; i++)); do
        check "$(basename "$1") $2: number $i comes true" same "$(jq ".suggestions[$i].peak" "$tmp/list.json")" \
            "$(typed "$1" "$2" "$(jq -r ".suggestions[$i].commands[]" "$tmp/list.json")")"
    done
}

run suggest "$model" -p greedy-by-size
check "exit 0" exits 0
check "nothing on standard error" calm
check "the run" says '^mobilenet_v1_025_96, greedy-by-size: peak 64,512 B, lower bound 55,296 B$'
check "the first suggestion is the pin" same '55,296  9,216  goto 1; pin conv_1_out 0' "$(sed -n 4p "$tmp/out")"
why='dw_1_out (46,080..64,512) set the peak: it lay on conv_1_out (both alive at dw_1, step 1), and 9,216 of the bytes below it were unused at pw_1 (step 2); with conv_1_out at 0 it lies at 36,864 on pw_1_out, with none unused below it then, and still sets the peak'
check "and why" same "$why." "$(sed -n 5,8p "$tmp/out" | xargs)"
check "no row is too wide" [ "$(wc -L <"$tmp/out")" -le 80 ]
check "what lies elsewhere" says '^  3 blocks lie elsewhere: image, conv_1_out, dw_1_out\.$'
check "how much was tried" says '^[0-9,]+ moves were tried: pin [0-9,]+, forbid '
cp "$tmp/out" "$tmp/first"
run suggest "$model" -p greedy-by-size
check "the same again" cmp "$tmp/out" "$tmp/first"
run suggest "$model" -p greedy-by-size --format json
check "json" json '.planner == "greedy-by-size" and .peak == 64512 and .lower_bound == 55296 and .capacity == null and .fits'
check "json: the first" json '.suggestions[0] | .kind == "pin" and .before == 2 and .commands == ["goto 1", "pin conv_1_out 0"] and .saved == 9216'
check "json: why" json ".suggestions[0] | .why == \"$why\""' and .largest_elsewhere == ["image", "conv_1_out", "dw_1_out"] and .blocks_elsewhere == 3'
check "json: a reason for each" json '[.suggestions[].why | length > 40] | all'
check "json: the best first" json '[.suggestions[].peak] | . == sort'
check "json: all of them save something" json '[.suggestions[] | .saved > 0 and .saved == 64512 - .peak] | all'
check "json: what was tried" json '.tried.pin > 50 and .work > 0 and .spent == false'
run suggest "$model" -p greedy-by-size --format csv
check "csv" same 'peak,saved,kind,lower_bound,fits,commands,price,minimizes,goal,why' "$(head -1 "$tmp/out")"
check "csv: a row each" same "55296,9216,pin,55296,yes,\"goto 1; pin conv_1_out 0\",,peak,,\"$why\"" "$(sed -n 2p "$tmp/out")"
run suggest "$model" -p greedy-by-size --format md -o "$tmp/s.md"
check "md: the run" grep -q '^mobilenet\\_v1\\_025\\_96, greedy-by-size: peak 64,512 B' "$tmp/s.md"
check "md" grep -q '^| 55,296 | 9,216 |' "$tmp/s.md"
run suggest "$model" -p greedy-by-size --base 0x20000000
check "offsets have the base" says 'goto 1; pin conv_1_out 536870912$'

run suggest "$model"
check "at the bound it says so" says '^The peak is the lower bound: no plan of this model in this order needs less'
check "and what it tried then" says '^1 move was tried: reorder 1$'
run suggest "$models/nasnet.lua" --effort 30000000 --format json
check "at the bound: what lowers the bound" json '(.peak == .lower_bound) and (.suggestions[0] | .peak < .lower_bound or .lower_bound < 4238424) and ([.suggestions[].kind] | index("pin") == null)'
run suggest "$model" -p greedy-by-size --effort 1000
check "the work is spent" says 'the work is spent, --effort gives more$'

run suggest "$model" -p greedy-by-size --capacity 54K
check "what makes it fit" exits 0
check "it does not fit by itself" says '^It does not fit into 55,296 B\.$'
check "and these moves make it fit" says '^55,296  9,216  yes   goto 1; pin conv_1_out 0$'
run suggest "$model" -p greedy-by-size --capacity 50K --effort 3000000
check "nothing makes it fit: exit 1" exits 1
check "which is said" says '^Nothing that was tried makes it fit, and no plan of this model in this order can without moving blocks out and back\.$'
run suggest "$model" -p greedy-by-size --capacity 1M
check "it fits already" says '^It fits into 1,048,576 B\.$'
# blame CAPACITY: the pane at the end of the run with it.
blame() {
    printf 'capacity %s\nlast\npane blame\n' "$1" >"$tmp/blame.txt"
    run "$model" -p greedy-by-size --script "$tmp/blame.txt" --screen 400x50
}
blame 50K
check "blame: no move makes it fit" says 'run to its end [(]none fits[)]:'
blame 54K
check "blame: a move that makes it fit" says 'bound; fits'
blame 70K
check "blame: a run that fits" says 'run to its end:'

run suggest "$models/train_cnn.lua" --capacity 16M -p segment-genetic --set choices=plain --effort 3000000
check "a peak below the bound" says 'peak 16,777,216 B, lower bound 36,403,836 B; less will do only with migration$'
check "what minimizes moves is said to" says '^The planner minimizes the bytes moved \(here [0-9,]+ B\), not the peak: moves that raise them are left out\.$'
run suggest "$models/randwire.lua" -p order-exact
check "a planner without moves" says '^No moves are known for this planner\.$'

run suggest "$model" -p nonsense
check "a wrong planner" exits 2
run suggest "$model" --effort 0
check "a wrong effort" complains '--effort'
run suggest "$tmp/none.json"
check "no file" exits 2
run suggest "$model" "$model"
check "one file" exits 2

for name in mobilenet_v1_025_96.json branches.json example2.json teaching.lua darts.lua out_of_memory.csv two_tiers.json train_cnn.lua gpt_decoder.lua; do
    for planner in greedy-by-size first-fit tflm-greedy; do
        comes_true "$models/$name" "$planner"
    done
done
check "enough was made" [ "${made:-0}" -gt 80 ]
run suggest "$models/two_tiers.json" -p tier-search
check "what minimizes E is said to" says '^The planner minimizes E \(here 120\.625\), not the peak: moves that raise E are left out\.$'
run suggest "$models/two_tiers.json" -p tier-search --format md
check "so in Markdown" says '^The planner minimizes E \(here 120\.625\), not the peak'
run suggest "$models/two_tiers.json" -p tier-search --format json
check "nothing raises E" json '.minimizes == "cost" and .goal == 120.625 and ([.suggestions[] | .goal == null or .goal <= 120.625] | all)'
check "kernels are not assumed to do more than the run assumes" json '[.suggestions[] | select(.commands[0] == "set overwrite=any")] == []'
# A recorded run: one of our planners goes on.
run trace "$model" -p greedy-by-size -o "$tmp/run.trace"
comes_true "$tmp/run.trace" recorded
cp "$tmp/list.json" "$tmp/out"
check "a recorded run: continue-with" json '.suggestions[0] | .kind == "continue" and .peak == 55296 and (.commands[0] | startswith("continue-with "))'
# Names that are no words.
jq '(.buffers[].name, .operators[].inputs[]?, .operators[].outputs[]?) |= (if type == "string" then gsub("_"; " \"\\") else . end)' \
    "$model" >"$tmp/names.json"
comes_true "$tmp/names.json" greedy-by-size
check "names that are no words" json '[.suggestions[].commands[]] | any(startswith("pin \"conv \\\"\\\\1"))'
run export "$models/mobilenet_v1_025_96.json" -p greedy-by-size --view suggestions -o "$tmp/s.svg"
check "a picture of the view has what was tried" grep -q '>conv_1_out at 0, before decision 2</text>' "$tmp/s.svg"
finish
