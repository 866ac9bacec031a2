#!/usr/bin/env bash
# stowage compare and list.
. "$(dirname "$0")/lib.bash"
model=$models/mobilenet_v1_025_96.json
planners=$("$STOWAGE" list planners | awk '$1 != "long-first" && $1 != "fit" && $1 !~ /^order-(exact|beam|greedy|lpmf)$/ && !/Online: / { print $1 }') # scripts, allocators, what changes the model, and the parts of order, run when they are named

run compare "$model" --format json
check "exit 0" exits 0
check "every planner has a row or a remark" same "$(jq -r '[.planners[].planner, .remarks[].planner] | unique | join(" ")' "$tmp/out")" "$(echo $planners | tr ' ' '\n' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
check "what does not apply is said" json '.remarks | map(.planner) | sort == ["as-built", "farthest-next-use", "recorded", "segment-genetic", "tier-search"]'
check "optimal is said" json '[.planners[] | select(.optimal) | .peak] | length > 1 and all(. == 55296)'
check "figures" json '.planners[] | select(.planner == "greedy-by-size") | .peak == 64512 and (.over_bound * 1000 | round) == 167 and (.fragmentation * 1000 | round) == 143 and .feasible'
check "auto is the best" json '(.planners[] | select(.planner == "auto") | .peak) == ([.planners[].peak] | min)'
run compare "$model"
check "text: a row each, or a name below one" same "$(unfold "$tmp/out" | grep -cE '^(first-fit|best-fit|greedy-by-size|greedy-by-breadth|lifetime-best-fit|auto) ')" 6
check "text: figures" says '^greedy-by-size +64,512 +\+16.7% +14.3% +[0-9]+ +[0-9.]+$'
check "text: a star is a proof" says '^lifetime-best-fit +55,296\* +0.0% '
check "text: the star is explained" says '^\* proved: nothing smaller exists in this order of the operators$'
check "text: no column without a value" says '^planner +peak +over bound +fragmentation +decisions +seconds$'
check "text: the same peak and proof" says '^  \+7 others at 54 KiB\*: first-fit, best-fit, auto, improve, branch-and-bound,$'
check "text: another proof is another row" says '^order +55,296\+ +0.0% '
check "text: two rows stay two" says '^tflm-greedy +73,728 '
check "text: what does not apply, in a line" says '^unsuited: as-built, recorded, tier-search, segment-genetic, farthest-next-use$'
check "text: and why, in JSON" same "$("$STOWAGE" compare "$model" --format json | jq -r '.remarks[0].remark')" 'as-built needs a finished plan, and not every buffer of this file has an offset'
run compare "$model" -p as-built,first-fit
check "text: and where it is named" says '^as-built needs a finished plan'
# Every row is one of 80 columns, and every form says the same of each planner.
printf '{"tiers":[{"name":"sram","capacity":1048576,"bandwidth":16,"latency":1},{"name":"dram","capacity":16777216,"bandwidth":4,"latency":10}]}' >"$tmp/wide.json"
while read -r name options; do
    run compare "$models/$name" --work 20000 $options
    table=$(sed '1,2d; /^$/,$d' "$tmp/out")
    check "$name $options: rows of 80 columns" same "$(awk 'length($0) > 80' <<<"$table")" ""
    check "$name $options: two lines or more" [ "$(wc -l <<<"$table")" -gt 1 ]
    unfold <<<"$table" | awk 'NR > 1 { print $1 }' | sort >"$tmp/text_planners"
    cp "$tmp/out" "$tmp/text_out"
    run compare "$models/$name" --work 20000 $options --format csv
    check "$name $options: CSV has a row for each planner" same "$(cut -d, -f1 "$tmp/out" | sort -u | wc -l)" "$(wc -l <"$tmp/out")"
    awk -F, '{ print $1, $4 }' "$tmp/out" | sort >"$tmp/csv_peaks"
    unfold "$tmp/text_out" | awk '$2 ~ /^[0-9,]+[*+]?$/ && $3 ~ /[%-]/ { gsub(/[,*+]/, "", $2); print $1, $2 }' | sort >"$tmp/text_peaks"
    check "$name $options: the peaks of the table are those of the CSV" same "$(comm -23 "$tmp/text_peaks" "$tmp/csv_peaks")" ""
    run compare "$models/$name" --work 20000 $options --format json
    check "$name $options: JSON has one for each" same "$(jq -r '.planners[].planner' "$tmp/out" | sort)" "$(cat "$tmp/text_planners")"
done <<EOT
mobilenet_v1_025_96.json
mobilenet_v1_025_96.json --capacity 40K
densenet121.lua
train_cnn.lua
train_cnn.lua --capacity 16M
two_tiers.json
cpu_npu.lua
two_cores.lua --tiers $tmp/wide.json
EOT
for network in "$models"/*.json "$models"/*.lua; do
    run compare "$network" --work 20000
    check "$(basename "$network"): no line of more than 80 columns" same "$(awk 'length($0) > 80' "$tmp/out")" ""
done
run compare "$model" -p first,best --format csv
check "csv: the planners named, in their order" same "$(cut -d, -f1 "$tmp/out" | tr '\n' ' ')" "planner first-fit best-fit "
run compare "$model" -p first-fit,lifetime --format md
check "md: a table" same "$(grep -c '^| ' "$tmp/out")" 4
check "md: every row has as many columns" same "$(grep '^|' "$tmp/out" | tr -cd '|\n' | sort -u | wc -l)" 1
run compare "$model" -p first-fit -o "$tmp/c.md"
check "md by its name" grep -q '^| first-fit' "$tmp/c.md"
run compare "$model" -p first-fit,lifetime --set keep_outputs=false --format json
check "a parameter goes to the planners that have it" exits 0
run compare "$model" -p first-fit,greedy-by-size --capacity 1K
check "no plan fits: exit 1" exits 1
check "no plan fits: said for each" same "$(grep -c 'does not fit into memory' "$tmp/out")" 2
# A run that a limit ended before all is placed says so in its row, and nothing of a peak that would still rise.
run compare "$model" -p first-fit,greedy-by-size,improve --work 10
check "unfinished: in its row" says '^greedy-by-size +>=[0-9,]+ +- +[0-9]+ +[0-9.]+  unfinished: [0-9]+ of 32$'
run compare "$model" -p first-fit --work 10 --format csv
check "unfinished: in CSV" same "$(tail -n 1 "$tmp/out" | cut -d, -f3,5,6,13)" 'false,,,false'
run compare "$model" -p first-fit --work 10 --format json
check "unfinished: in JSON" json '.planners[0] | .complete == false and .over_bound == null and .stopped_at > 0'
run compare "$model" -p first-fit --work 10 --format md
check "unfinished: in Markdown" same "$(grep -c 'unfinished: [0-9]* of 32 blocks |$' "$tmp/out")" 1
check "unfinished: as many columns" same "$(grep '^|' "$tmp/out" | tr -cd '|\n' | sort -u | wc -l)" 1
run compare "$model" -p first-fit,best-fit --work 10 -o "$tmp/u.svg"
check "unfinished: in the picture" grep -q 'unfinished: [0-9]* of 32 blocks' "$tmp/u.svg"
check "unfinished: never the best" same "$(grep -c 'least peak' "$tmp/u.svg")" 0
run compare "$model" -p first-fit --format json
check "finished: complete" json '.planners[0] | .complete and .over_bound == 0 and .stopped_at == null'
run compare "$models/two_tiers.json" -p first-fit --format json
check "two tiers: a peak for each" json '.planners[0] | .peak == null and .tier_peaks == [70,120]'
run compare "$models/two_tiers.json" -p first-fit
check "two tiers: in the table" says '^first-fit +70 \+ 120 '

# Allocators on requests: rows of 80 columns as well; large figures are rounded, and CSV has all of them.
run compare "$models/out_of_memory.csv" --capacity 340M
check "requests: rows of 80 columns" same "$(sed -n '/^allocator /,/^$/p' "$tmp/out" | awk 'length($0) > 80')" ""
check "requests: figures" says '^buddy +268,435,456 +0\.0% +23\.8 MiB +0 +70 MiB +0 +4$'
run compare "$models/out_of_memory.csv" --capacity 340M --format csv
check "requests: every column" same "$(head -n 1 "$tmp/out" | tr ',' '\n' | wc -l)" 11

# order-genetic beside random-order
cat >"$tmp/odd.csv" <<'EOT'
id,start,end,size
a,1,4,5
b,1,6,3
c,1,6,4
d,2,3,2
e,5,6,1
f,5,6,6
EOT
run compare "$tmp/odd.csv" --seeds 20 --format json
check "seeds: exit 0" exits 0
check "seeds: the best peak is the optimum" json '.best_peak == 14 and .seeds == 20 and .planners[0].planner == "order-genetic" and .planners[1].planner == "random-order"'
check "seeds: a run each" json '.planners | all((.runs | length) == 20 and ([.runs[].seed] == [range(1; 21)]))'
check "seeds: gains fall to the peak" json '.planners[].runs | all(.peak == .gains[-1][1] and (.gains | map(-.[1]) == (map(-.[1]) | sort)))'
check "seeds: equal evaluations" json '.evaluations as $most | all(.planners[].runs[]; .evaluations <= $most)'
check "seeds: the medians are those of the runs" json 'all(.planners[]; ([.runs[] | .gains[-1][0]] | sort | (.[9] + .[10]) / 2) == .median_evaluations)'
check "seeds: a tie is called a tie" json '.ties == 20 and .wins == 0 and .losses == 0 and (.ahead == "tie") == (.planners[0].median_evaluations == .planners[1].median_evaluations)'
check "seeds: the curve ends at the last evaluation" json '.curve[-1].evaluations == .evaluations and .curve[0].evaluations == 1 and .curve[-1]["order-genetic"] == 14'
run compare "$tmp/odd.csv" --seeds 3
check "seeds: text" says '^order-genetic +3 of 3 +[0-9.]+$'
check "seeds: the curve in text" says '^ +1 +[0-9]+ +[0-9]+$'
run compare "$tmp/odd.csv" --seeds 2 --format csv
check "seeds: csv" same "$(head -1 "$tmp/out")" "planner,seed,evaluation,peak"
run compare "$tmp/odd.csv" --seeds 2 -p first-fit
check "seeds: always the same two" exits 2

run compare "$model" -p as-built
check "does not apply: exit 1" exits 1
check "does not apply: said" says '^as-built needs a finished plan'

for topic in planners params views themes scripts formats commands keys subcommands options; do
    run list "$topic" --format json
    check "list $topic: exit 0" exits 0
    check "list $topic: JSON" json 'type == "array" and length > 0 and all(.[]; all(.[]; type == "string"))'
    rows=$(jq length "$tmp/out")
    run list "$topic"
    check "list $topic: a line each" same "$(wc -l <"$tmp/out")" "$rows"
done
run list params -p lifetime --format json
check "list params of one planner" json 'all(.[]; .planner == "lifetime-best-fit") and any(.[]; .name == "keep_outputs" and .default == "true")'
run list planners --format json
check "list planners: what each needs" json 'map({(.name): .needs}) | add | .["as-built"] == "finished plan" and .["tier-search"] == "tiers or bandwidth, access times" and .["token-sharing"] == "operators" and .["segment-genetic"] == "capacity, access times" and .["first-fit"] == "-"'
run compare "$models/two_tiers.json" -p segment-genetic,farthest-next-use --format json
check "a layout that migrates is not measured by the bound" json 'all(.planners[]; .over_bound == null and .fragmentation == null)'

# ---- memories that are priced, and more than one of them ----
printf '{"tiers":[{"name":"sram","capacity":16384,"bandwidth":16,"latency":1},{"name":"dram","capacity":65536,"bandwidth":4,"latency":10}]}' >"$tmp/two.json"
two=("$models/two_cores.lua" --tiers "$tmp/two.json")
run compare "${two[@]}" --format json
check "E of every planner" json '[.planners[].cost] | length > 10 and all(. != null)'
check "E of a reference without addresses" json '[.planners[] | select(.planner == "farthest-next-use" or .planner == "segment-genetic")] | length == 2 and all(.migration_bytes == 0 and .cost == 16.875)'
cp "$tmp/out" "$tmp/compared"
for planner in auto tier-search segment-genetic first-fit order-genetic farthest-next-use; do
    run plan "${two[@]}" -p $planner --format json
    check "compare and plan: the same of $planner" same "$(jq -c --arg p $planner '.planners[] | select(.planner == $p) | [.decisions, .cost, .migration_bytes, .tier_peaks]' "$tmp/compared")" "$(jq -c '[.decisions, .cost, .migration_bytes, [.tiers[].peak]]' "$tmp/out")"
done
# tier-search fills sram from both ends: 9 bytes below and 8 above are all that it holds.
run plan "${two[@]}" -p tier-search --format json
check "filled from both ends: what it holds" json '.peak == 17 and .tiers[0].peak == 17 and ([.placements[].offset] | max) == 16383'
run plan "${two[@]}" -p tier-search
check "filled from both ends: in words" says '^  sram +17 B +17 B   0\.1% of 16 KiB, filled from its far end, and at most 16 B in use at once$'
check "filled from both ends: what stands there" says '^  at the peak +sram, D21: 1 B at 8, '
run plan "${two[@]}" -p tier-search -o "$tmp/two.plan.json"
check "filled from both ends: in the plan" same "$(jq -c '[.tiers[].peak]' "$tmp/two.plan.json")" '[17,0]'
run check "${two[@]}" "$tmp/two.plan.json"
check "filled from both ends: the plan, checked" says 'peak 17'
run compare "${two[@]}" -p tier-search,farthest-next-use
check "no percentage of an arena that is not needed" says '^tier-search +17 +\+6\.2% +16\.875 '
check "no figure where there is none" says '^farthest-next-use +- +- +0 +16\.875 '
# Several memories in use: each has a peak, and no percentage is one of all.
run compare "$models/two_tiers.json" -p tier-search,first-fit --set overwrite=any
check "peaks of several memories" says '^tier-search +60 \+ 60 +- +(- +)?80\.125 '
run plan "$models/two_tiers.json" -p first-fit --format json
check "several memories: no peak of all" json '.peak == null and .cost > 39.6 and ([.tiers[].peak] | all(. > 0))'

run list scripts
check "list scripts: the models" says '^mobilenet_v1_025_96.json +models '
run list planners -o "$tmp/planners.json"
check "list into a file" jq -e 'length > 6' "$tmp/planners.json"
finish
