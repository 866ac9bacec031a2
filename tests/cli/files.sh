#!/usr/bin/env bash
# stowage convert, check and diff.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# ---- convert ----

for model in "$models"/*.json; do
    name=$(basename "$model" .json)
    run convert "$model" -o "$name.json"
    check "convert $name: exit 0" exits 0
    check "convert $name: JSON holds everything" calm
    run convert "$name.json" -o "$name.2.json"
    check "convert $name: the second time the same bytes" cmp "$name.json" "$name.2.json"
    for planner in first-fit greedy-by-size lifetime; do
        "$STOWAGE" plan "$model" -p $planner --format json | jq 'del(.seconds)' >a
        "$STOWAGE" plan "$name.json" -p $planner --format json | jq 'del(.seconds)' >b
        check "convert $name: $planner does the same" cmp a b
    done
done
run convert "$models/example1.json" -o e1.csv
check "to CSV: exit 0" exits 0
check "to CSV: says what is lost" complains 'e1.csv: note: this format does not hold operators$'
check "to CSV: lifetimes are half-open" same "$(sed -n 2p e1.csv | cut -d, -f2,3)" 0,3
check "to CSV: the same bound" same "$("$STOWAGE" plan e1.csv --format json | jq .lower_bound)" \
    "$("$STOWAGE" plan "$models/example1.json" --format json | jq .lower_bound)"
run convert e1.csv -o - # JSON, which holds everything
check "to standard output: JSON" json '.format == "stowage-graph" and .version == 1'
run convert e1.csv -o e1.again.csv
check "CSV to CSV: the same bytes" cmp e1.csv e1.again.csv
printf 'id,start,end,size\na,0,3,8\n' >ends.csv
run convert ends.csv -o halves.csv
check "an inclusive end becomes exclusive" same "$(sed -n 2p halves.csv)" a,0,4,8
refuses "no output" convert e1.csv because 'convert needs -o'
refuses "no such format" convert e1.csv -o e1.svg because 'e1.svg: a graph cannot be written as .svg; the name must end in .json or .csv or .requests.csv$'
check "no such format: nothing written" test ! -e e1.svg
printf 'old\n' >old.json
refuses "bad input" convert nosuch.csv -o old.json because 'nosuch.csv: cannot open: No such file'
check "bad input: the output is as it was" same "$(cat old.json)" old

sed -n '/^```json$/,/^```$/p' "$models/README.md" | sed '1d;$d' >documented.json
run plan documented.json --format json
check "the documented graph: exit 0" exits 0
check "the documented graph: four buffers" json '.buffers == 4 and .operators == 2'

# ---- check ----

run plan "$models/example1.json" -p greedy-by-size -o plan.csv
run check "$models/example1.json" plan.csv
check "a valid plan: exit 0" exits 0
check "a valid plan: one line" says '^plan.csv: valid, 6 buffers, peak [0-9]+, bound [0-9]+$'
check "a valid plan: one line only" same "$(wc -l <out)" 1
run plan "$models/example1.json" -p greedy-by-size --base 0x20000000 -o based.csv
run check "$models/example1.json" based.csv --base 0x20000000
check "addresses: valid" exits 0
refuses "addresses below the base" check "$models/example1.json" plan.csv --base 0x20000000 because \
    'plan.csv:2:[0-9]+: offset [0-9]+ is below the base address 536870912$'
awk -F, 'NR > 1 { $5 = 0 } 1' OFS=, plan.csv >zeros.csv
run check "$models/example1.json" zeros.csv
check "overlaps: exit 1" exits 1
check "overlaps: a line for each" says '^[^ ]+ and [^ ]+ share bytes [0-9]+\.\.[0-9]+ of memory at time [0-9]+$'
check "overlaps: nothing else" same "$(grep -vc ' share bytes ' out)" 0
lines=$(wc -l <out)
run check "$models/example1.json" zeros.csv --format json
check "overlaps as JSON: exit 1" exits 1
check "overlaps as JSON" json ".valid == false and .fault_count == $lines and (.faults | length) == $lines and all(.faults[]; .kind == \"overlap\" and .hi > .lo)"
cat >over.json <<'EOF'
{"buffers":[{"name":"x","kind":"input","size":64},{"name":"h","size":64},{"name":"i","size":32},
            {"name":"y","kind":"output","size":32}],
 "operators":[{"name":"f","inputs":["x"],"outputs":["h"]},{"name":"g","inputs":["h"],"outputs":["i"]},
              {"name":"k","inputs":["i"],"outputs":["y"]}]}
EOF
printf 'id,offset\nx,0\nh,64\ni,96\ny,0\n' >over.csv
run check over.json over.csv
check "an overwrite that the graph does not permit: exit 1" exits 1
check "an overwrite that the graph does not permit: said" same "$(cat out)" "h and i share bytes 96..128 of memory at time 1"
# On several cores a conflict is told by what nothing orders, or by the operator that needs both.
printf 'id,offset\nD0,0\nD00,4\nD01,12\nD10,0\nD11,4\nD20,8\nD21,12\nD2,0\n' >cores.csv
run check "$SOURCE/scripts/models/two_cores.lua" cores.csv
check "conflicts on several cores: exit 1" exits 1
check "conflicts on several cores: said with their reasons" same "$(cat out)" "D0 and D00 share bytes 4..8 of memory: both are needed at step 0 (split)
D00 and D11 share bytes 4..8 of memory: conv_a on A and conv_b on B are not ordered by any synchronisation"
printf '{"operators":[],"buffers":[{"name":"a","size":8,"first":0,"last":1},{"name":"b","size":8,"first":3,"last":4}],"separate":[["a","b"]]}' >apart.json
printf 'id,offset\na,0\nb,4\n' >apart.csv
run check apart.json apart.csv
check "a demand of the input that is not kept: said as one" same "$(cat out)" "a and b share bytes 4..8 of memory: the input keeps them separate"
run check over.json over.csv --assume-overwrites
check "an overwrite assumed: exit 0" exits 0
check "an overwrite assumed: said" same "$(cat out)" "over.csv: valid, 4 buffers, peak 128, bound 128
assumed: i is written over h at time 1, though the graph does not permit it"
run check over.json over.csv --assume-overwrites --format json
check "an overwrite assumed, as JSON" json '.valid and .assumed_overwrites == [{"new":"i","old":"h","step":1}]'
sed 's/^y,0/y,120/' over.csv >overs.csv
run check over.json overs.csv --assume-overwrites
check "two of them" same "$(grep -c '^assumed: ' out)" 2
sed 's/"name":"g",/"name":"g","inplace":true,/' over.json >marked.json
run check marked.json over.csv
check "marked inplace, but not from the same offset: exit 1" exits 1
sed 's/^i,96/i,64/' over.csv >start.csv
run check marked.json start.csv
check "marked inplace, from the same offset: exit 0" exits 0
check "marked inplace, from the same offset: nothing assumed" same "$(wc -l <out)" 1
run check marked.json start.csv --inplace safe
check "marked inplace, whatever --inplace says: exit 0" exits 0
printf 'id,offset\nx,0\nh,32\ni,32\ny,0\n' >over.csv
run check over.json over.csv --assume-overwrites
check "h over x, which f reads for the last time, and i over h: two more" same "$(grep -c '^assumed: ' out)" 2
printf 'id,offset\nx,0\nh,64\ni,0\ny,0\n' >under.csv
run check over.json under.csv --assume-overwrites
check "what dies one step before needs none" same "$(grep -c '^assumed: ' out)" 1
sed 's/"inputs":\["i"\]/"inputs":["i","x"]/' over.json >kept.json
run check kept.json under.csv --assume-overwrites
check "a reader later on: exit 1" exits 1
check "a reader later on: said" says '^x and i share bytes 0..32 of memory at time 1$'
printf '{"placements":[{"buffer":"x","offset":0},{"buffer":"h","offset":32},{"buffer":"i","offset":96},{"buffer":"y","offset":0}],"transfers":[],"overwrites":[{"new":"h","old":"x","step":0}],"assumed_overwrites":[{"new":"h","old":"x","step":0}]}' >over-plan.json
run check over.json over-plan.json
check "what a plan says of its overwrites is not believed: exit 1" exits 1
check "what a plan says of its overwrites is not believed" says '^x and h share bytes 32..64 of memory at time 0$'
# A plan made wrong by hand: no operator is inplace.
mobilenet="$models/mobilenet_v1_025_96.json"
run plan "$mobilenet" -p greedy-by-size -o greedy.csv
sed 's/^\(dw_1_out,.*\),46080$/\1,0/' greedy.csv >corrupt.csv
check "the plan is another one" same "$(cmp -s greedy.csv corrupt.csv; echo $?)" 1
run check "$mobilenet" corrupt.csv
check "a corrupt plan: exit 1" exits 1
check "a corrupt plan: said" says '^dw_1_out and pw_1_out share bytes 0..18432 of memory at time 2$'
# A plan that lets live buffers overlap, and so ends below the bound: the alarm is everywhere.
printf 'id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,100,50\n' >wrong.csv
run plan wrong.csv -p as-built
check "wrong, as text: exit 1" exits 1
check "wrong, as text" says '^  below the bound .*BELOW THE BOUND: the plan is wrong, it lets buffers overlap that are needed together$'
run plan wrong.csv -p as-built --format json
check "wrong, as JSON" json '.below_bound == "wrong" and .feasible == false and .peak == 150 and .lower_bound == 200'
run compare wrong.csv -p as-built,first-fit
check "wrong, in a table" says '^as-built +150 +BELOW: WRONG '
check "wrong, below the table" grep -qx 'as-built IS WRONG: its plan is below the bound and lets buffers overlap that are needed together' <(unbroken "$tmp/out")
echo last >last.script
run wrong.csv -p as-built --screen 80x24 --script last.script
check "wrong, on the screen" says '^ .*peak 150 +bound 200 +BELOW THE BOUND: WRONG'
run export wrong.csv -p as-built -o wrong.svg
check "wrong, in a picture: exit 1" exits 1
check "wrong, in a picture" grep -q '>Infeasible: peak 150 B, lower bound 200 B; BELOW THE BOUND: WRONG; 2 blocks, 3 steps</text>' wrong.svg
run plan wrong.csv -p as-built -o again.csv
check "wrong: not written" test ! -e again.csv
run check "$mobilenet" corrupt.csv --assume-overwrites
check "below the bound by assumption: told" says 'peak 46080, bound 55296: below it only if operators can write over what they read$'
# An input that is handed back never dies; JSON keeps it.
printf '{"operators":[{"name":"f","inputs":["x"],"outputs":["c"],"inplace":true}],"buffers":[{"name":"x","kind":"input","output":true,"size":64},{"name":"c","kind":"output","size":64}]}' >back.json
run plan back.json -p greedy-by-size --inplace safe -o back.csv
check "an input that is an output is not written over" same "$(tail -n +2 back.csv | cut -d, -f5 | sort -n | tr '\n' ',')" "0,64,"
printf 'id,offset\nx,0\nc,0\n' >spoilt.csv
run check back.json spoilt.csv --inplace safe --assume-overwrites
check "and no assumption helps: exit 1" exits 1
run convert back.json -o again.json
check "convert keeps it" grep -q '"name":"x","kind":"input","output":true' again.json
for kind in scratch:true output:false; do
    printf '{"operators":[{"name":"f","inputs":[],"scratch":["s"]}],"buffers":[{"name":"s","kind":"%s","output":%s,"size":4}]}' "${kind%:*}" "${kind#*:}" >no.json
    refuses "output and kind contradict: $kind" plan no.json because 'no\.json:1:[0-9]+: '
done
# What a planner assumes is listed wherever its plan goes, and no runtime gets it.
tiers="$models/two_tiers.json"
run plan "$tiers" -p tier-search --set overwrite=any --format json
check "assumed: in the summary's JSON" json '.assumed_overwrites == .overwrites and (.assumed_overwrites | length) == 3'
cp out assumed.json
run check "$tiers" assumed.json
check "assumed: its own plan does not pass: exit 1" exits 1
run check "$tiers" assumed.json --assume-overwrites
check "assumed: but with the assumption: exit 0" exits 0
run plan "$tiers" -p tier-search --set overwrite=any
check "assumed: in the summary" says '^assumes 3 overwrites that the graph does not permit:$'
for name in assumed.h assumed.md; do
    run plan "$tiers" -p tier-search --set overwrite=any -o $name
    check "assumed: $name says so" grep -q 'assumes 3 overwrites that the graph does not permit' $name
done
for how in permitted off; do
    run plan "$tiers" -p tier-search --set overwrite=$how --format json
    check "overwrite=$how assumes nothing" json '.overwrites == [] and .assumed_overwrites == null and .cost == 120.625'
    cp out sound.json
    run check "$tiers" sound.json
    check "overwrite=$how: its plan passes: exit 0" exits 0
done
run trace "$tiers" -p tier-search --set actions=cross-tier,same-tier
check "actions: only these" same "$(jq -r 'select(.kind == "try") | .action' out | sort -u | tr '\n' ',')" "cross-tier move,same-tier move,"
check "actions: in this order" same "$(jq -r 'select(.kind == "try") | .action' out | head -n 1)" "cross-tier move"
for list in none cross-tier,cross-tier "" same-tier,; do
    refuses "actions=$list" plan "$tiers" -p tier-search --set "actions=$list" because 'parameter actions of tier-search must be some of same-tier, overwrite, cross-tier'
done
run plan "$tiers" -p tier-search --set segments=at:1,3 --format json
check "segments=at: the result says where they begin" json '.details.segments_at == [0, 1, 3]'
cp out listed.json
run check "$tiers" listed.json
check "segments=at: the plan reads back" exits 0
run trace "$tiers" -p tier-search --set segments=at:1,3 --set grow=false --state
check "segments=at: updates are where they end" same "$(jq -c 'select(.kind == "update") | .time' out | tr '\n' ',')" "0,2,3,"
check "segments=at: the state lists them" jq -es 'all(.[].state["segments of the last walk"].rows; . == [[0, 0, 0], [1, 1, 2], [2, 3, 3]])' out
dashes() { # SETTING: how many dashed lines the picture has, and whether its legend tells of segments
    run export "$tiers" -p tier-search --set "$1" --view layout -o dashes.svg
    printf '%s %s' "$(grep -c dasharray dashes.svg)" "$(grep -c 'a segment begins' dashes.svg)"
}
check "segments=at: in the picture of each tier they are lines" same "$(dashes segment=1)|$(dashes segments=at:2)|$(dashes segment=2)|$(dashes segments=at:1,3)" "1 0|5 1|5 1|8 1"
refuses "segments that do not ascend" plan "$tiers" -p tier-search --set segments=at:3,1 because 'segments=at:3,1: 1 does not come after 3'
refuses "segments beyond the end" plan "$tiers" -p tier-search --set segments=at:1,9 -o none.json because 'segments=at:1,9: 9 is beyond the end: the last step is 3'
refuses "segments in words" plan "$tiers" -p tier-search --set segments=at:soon because "segments=at:soon: 'soon' is no step"
printf 'last\nset segments=at:2\nlast\nset segments=at:2,7\n' >commands
refuses "segments beyond the end, in the explorer" "$tiers" -p tier-search --script commands --screen 80x24 because 'commands:4:1: segments=at:2,7: 7 is beyond the end: the last step is 3'
run list params --format json
check "segments are listed" json 'any(.[]; .planner == "tier-search" and .name == "segments" and .default == "equal" and .values == "at:STEP,...")'
sed 3d plan.csv >fewer.csv
run check "$models/example1.json" fewer.csv
check "a buffer without a place: exit 1" exits 1
check "a buffer without a place: said" says ' has no place at time '
run check "$models/example1.json" plan.csv --capacity 1
check "above the capacity" says 'above the capacity of 1$'
sed 's/^[^,]*/nobody/;1s/nobody/id/' plan.csv >nobody.csv
run check "$models/example1.json" nobody.csv
check "an unknown buffer: exit 1" exits 1
check "an unknown buffer: said" says "^the graph has no buffer 'nobody'$"
sed 's/^b1,1,5,2048/b1,1,5,2047/; s/^b2,2,4/b2,2,3/' plan.csv >other.csv
run check "$models/example1.json" other.csv
check "sizes and lifetimes that differ: exit 1" exits 1
check "another size: said" says "^'b1' has 2047 bytes in the plan, 2048 in the graph$"
check "a part of a life: said" says "^b2 has no place at time 3$"
run check "$models/example1.json" other.csv --format json
check "differences as JSON" json '.valid == false and ([.faults[].kind] == ["mismatch", "missing"])'
# ---- a plan as CSV cannot name its planner, and may hold only as that one sees the model ----
run plan "$models/cpu_npu.lua" -p token-sharing -o tokens.csv
run check "$models/cpu_npu.lua" tokens.csv
check "tokens as CSV: not one of the graph" exits 1
check "tokens as CSV: says for which planner it is valid" complains 'tokens.csv: note: it is valid for the model as token-sharing sees it, which check -p token-sharing judges$'
run check "$models/cpu_npu.lua" tokens.csv -p token-sharing
check "tokens as CSV: says how it was read" says '^tokens.csv: valid, .*, for the model as token-sharing sees it$'
awk -F, -v OFS=, 'NR > 1 { $5 = 0 } { print }' tokens.csv >spoilt-tokens.csv
run check "$models/cpu_npu.lua" spoilt-tokens.csv
check "tokens as CSV: a wrong one stays wrong" exits 1
check "tokens as CSV: it is no planner's" calm
refuses "no plan in it" check "$models/example1.json" e1.csv because "e1.csv:1:1: the header has no column 'offset'$"
refuses "a format it has not" check "$models/example1.json" plan.csv -o out.csv because ''
printf '{"operators":[{"name":"o","outputs":["a","b"]}],"buffers":[{"name":"a\\u001b[31m","size":8},{"name":"b","size":8}],"overlays":[{"of":"a\\u001b[31m","name":"a","lo":0,"hi":8}]}' >rude.json
printf 'id,offset\n"a\033[31m",0\nb,4\n' >rude.csv
run check rude.json rude.csv
check "names are made harmless" says '^a\?\[31m and b share'

# ---- diff ----

printf 'id,lower,upper,size,offset\na,0,3,64,0\nb,1,5,32,64\nc,2,4,8,96\nw,0,1,8,72\n' >old.csv
printf 'id,lower,upper,size,offset\nb,1,6,40,64\nc,2,4,4,104\nd,5,9,8,8\na,0,3,64,0\n' >new.csv
run diff old.csv old.csv
check "nothing changed: exit 0" exits 0
check "nothing changed: said" says '^no buffer changed; the new one needs the same \(peak\)$'
run diff old.csv new.csv
check "more is needed: exit 1" exits 1
check "grew and lives longer: counted once" says '^  grew, lifetime b +32 B, 1\.\.4 -> 40 B, 1\.\.5$'
check "shrank and moved: counted once" says '^  shrank, moved c +8 B, at 96 -> 4 B, at 104$'
check "each buffer has one row" same "$(awk 'f; /changed; the new/ { f = 1 }' out | grep -cE '^  (grew|shrank|came|went|moved|lifetime)')" 4
check "totals first" same "$(grep -nE '^  peak|^  went' out | cut -d: -f2 | awk '{ print $1 }' | tr '\n' ' ')" 'peak went '
check "what weighs most first" same "$(grep -oE '^  (grew|shrank|came|went)' out | tr -s ' \n' ' ')" ' grew went came shrank '
check "came" says '^  came +d +8 B, alive 5\.\.8$'
check "went" says '^  went +w +8 B, alive 0\.\.0$'
check "totals" says '^  peak +104 +108 +\+4$'
check "unchanged ones are not listed" same "$(grep -c '  a  ' out)" 0
check "the sentence" says '^4 buffers changed; the new one needs 4 B more \(peak\)$'
run diff new.csv old.csv
check "less is needed: exit 0" exits 0
run diff old.csv new.csv --format json
check "JSON: exit 1" exits 1
check "JSON" json '.measure == "peak" and .needs_more and .old.peak == 104 and .new.peak == 108 and ([.changes[].change] | sort) == ["came","grew","shrank","went"] and ([.changes[].changes[]] | sort) == ["came","grew","lifetime","moved","shrank","went"]'
check "JSON: both sides" json '.changes[] | select(.change == "grew") | .old.size == 32 and .new.size == 40'
run diff old.csv new.csv --format csv
check "CSV" says '^moved,c,96,104$'
check "CSV: totals" says '^total,naive,112,116$'
run diff old.csv new.csv --format md
check "md: first what is compared" same "$(head -n 1 out)" '**old.csv → new.csv**: peak 104 → 108 bytes (+4, +3.8%)'
check "md: totals, then changes" same "$(sed '/^| due to/,/^$/d' out | grep -c '^| ')" 12
check "md: what weighs most first" same "$(grep -m 1 -A 2 '^| change' out | tail -n 1 | tr -s ' ')" '| grew, lifetime | b | 32 B, 1..4 | 40 B, 1..5 |'
check "md: the picture's words" same "$(grep -cE '^\| (added|removed) ' out)" 2
printf 'id,lower,upper,size,offset\n*x*,0,3,65,0\n' >star.csv
run diff old.csv star.csv --format md
check "md: names are names" grep -qE '^\| added +\| \\\*x\\\* +\|' out
for i in $(seq 15); do echo "n$i,0,2,8,$((i * 8))"; done | sed '1iid,lower,upper,size,offset' >many.csv
run diff old.csv many.csv --format md
check "md: many rows are folded" same "$(grep -c '<details>\|</details>' out)" 2
run diff old.csv new.csv --format md
run diff old.csv new.csv -o diff.md
check "md by its name" grep -qE '^\| shrank, moved +\| c +\| +8 B, at 96 \| +4 B, at 104 \|' diff.md
printf 'id,lower,upper,size\na,0,3,64\nb,1,5,32\n' >small.csv
printf 'id,lower,upper,size\na,0,3,64\nb,1,5,33\n' >large.csv
run diff small.csv large.csv
check "models: planned here, compared by peak" says 'needs 1 B more \(peak\)$'
run diff small.csv old.csv
check "a model and a plan: compared by bound" says '\(bound\)$'
run diff "$models/two_tiers.json" "$models/two_tiers.json"
check "two tiers: by bound" exits 0
run plan "$models/example1.json" -p greedy-by-size -o plan.json
run diff plan.csv plan.json
check "plans in two formats are the same" says '^no buffer changed'
refuses "one is missing" diff old.csv because 'diff needs OLD NEW'
refuses "one is no model" diff old.csv "$SOURCE/LICENSE" because '.*this is text, but no table of buffers'
# A planner that gives buffers other sizes made its plan for those.
cat >"$tmp/quantised.json" <<'EOT'
{"operators":[{"name":"conv","kind":"conv2d","inputs":["x"],"outputs":["y"],"dtype":"float32"},
              {"name":"q","kind":"fake_quantize","inputs":["y"],"outputs":["z"]}],
 "buffers":[{"name":"x","kind":"input","shape":[1,3,8,8],"dtype":"float32"},
            {"name":"y","shape":[1,64,8,8],"dtype":"float32"},
            {"name":"z","kind":"output","shape":[1,64,8,8],"dtype":"float32"}]}
EOT
run plan "$tmp/quantised.json" -p token-sharing -o "$tmp/quantised.plan.json"
run plan "$tmp/quantised.json" -p token-sharing -o "$tmp/quantised.plan.csv"
run check "$tmp/quantised.json" "$tmp/quantised.plan.json"
check "check: a plan as JSON names its planner" exits 0
run check "$tmp/quantised.json" "$tmp/quantised.plan.csv"
check "check: other sizes are told" says "^'y' has 4096 bytes in the plan, 16384 in the graph"
check "check: other sizes: exit 1" exits 1
run check "$tmp/quantised.json" "$tmp/quantised.plan.csv" -p token-sharing
check "check: -p names the planner of a plan as CSV" exits 0
refuses "check: -p nobody" check "$tmp/quantised.json" "$tmp/quantised.plan.csv" -p nobody because "there is no planner 'nobody'"
finish
