#!/usr/bin/env bash
# stowage plan: the worked examples, the summary in its formats, plans in files, limits.
. "$(dirname "$0")/lib.bash"
example=$models/example1.json

# ---- the published example ----
run plan "$example" -p lifetime-best-fit --format json
check "example 1: exit 0" exits 0
check "example 1: nothing on standard error" calm
check "example 1: offsets" json '[.placements[].offset] == [0,2048,4096,0,4096,0]'
check "example 1: arena" json '.peak == 5120 and .tiers == [{"name":"memory","capacity":null,"peak":5120}]'
check "example 1: naive" json '.naive == 12288'
check "example 1: lifetimes" json '[.details.life[]] == [[0,2],[1,4],[2,3],[3,4],[4,5],[5,5]]'
check "example 1: lifetimes by name" json '.details.life | keys == ["b0","b1","b2","b3","b4","b5"]'
check "example 1: counts" json '.buffers == 6 and .operators == 6 and .seed == 1 and .graph == "example1"'
check "example 1: placements" json '.placements[3] == {"buffer":"b3","tier":"memory","offset":0,"size":2048,"first":3,"last":4}'
check "keys in their order" same "$(jq -r 'keys_unsorted | join(" ")' "$tmp/out")" \
    "planner graph seed buffers operators peak lower_bound naive feasible optimal cost migration_bytes tiers decisions stopped_at seconds placements transfers overwrites details"
check "what does not apply is null" json '.cost == null and .migration_bytes == null and .stopped_at == null and .transfers == [] and .overwrites == []'
run plan "$models/example2.json" -p lifetime --format json
check "example 2: offsets" json '[.placements[].offset] == [0,120,0,170]'
check "example 2: arena" json '.peak == 180'

run plan "$models/mobilenet_v1_025_96.json" -p greedy-by-size --format json
check "mobilenet: greedy-by-size" json '.peak == 64512 and .lower_bound == 55296 and .naive == 259716 and .buffers == 32 and .operators == 31'
check "mobilenet: not optimal" json '.feasible == true and .optimal == false'

# ---- several tiers ----
run plan "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any --format json
check "tiers: exit 0" exits 0
check "tiers: E at the start and at the end" json '.details.initial_cost == 161.125 and .cost == 80.125'
check "tiers: no peak over several" json '.peak == null and [.tiers[].peak] == [60,60]'
check "tiers: where" json '[.placements[] | .tier + "+" + (.offset | tostring)] == ["dram+964","sram+0","sram+0","sram+0","sram+0"]'
check "tiers: what is written over what" json '.overwrites == [{"new":"h2","old":"h1","step":1},{"new":"h3","old":"h2","step":2},{"new":"y","old":"h3","step":3}]'
run plan "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any --set carry=false --format json
check "tiers: carry=false" json '.cost == 120.625'
run plan "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any
check "tiers, text: E and its bound" says '^  cost +80\.125   at least 39\.625 is needed'
run plan "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any --bounds
check "bounds: the peak's proof" says '^peak: at least 180 B in all memories together, alive at op1 .step 1.; less where buffers are written over, as in this plan$'
check "bounds: the cost's proof" says '^  y +1\.625 +1 access$'
check "bounds: the migration's proof" says '^migration: at least 80 B when every access is in sram'
run plan "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any --bounds --format json
check "bounds: as JSON" json '.details.bounds == {"peak":{"bytes":180,"step":1,"alive":["w","h1","h2"]},"order":{"bytes":180,"best":180,"present":180,"operator":"op2","held_bytes":180,"held":[{"buffer":"w","forced":true},{"buffer":"h2","forced":true},{"buffer":"h3","forced":true}]},"cost":39.625,"migration":{"bytes":80,"fetched_again":[{"buffer":"w","step":3,"bytes":20},{"buffer":"h3","step":3,"bytes":20}]}}'
run plan "$example" --bounds --format json
check "bounds: what every order holds" json '.details.bounds.order | .bytes == .best and .present >= .best and (.held | length) > 0'
check "bounds: none of cost and migration where there is nothing to say" json '.details.bounds | .cost == null and .migration == null and .peak.bytes == 5120'
refuses "tiers: one memory without a bandwidth" plan "$example" -p tier-search because 'tier-search needs several memory tiers, or one with a bandwidth'
run trace "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any
check "tiers, trace: an action has its name and E before and after" same 1 "$(jq -c 'select(.kind == "try" and .buffer == "w" and .action == "cross-tier move" and .figures == [161.125,120.625,null])' "$tmp/out" | wc -l)"
printf '{"tiers":[{"name":"sram","capacity":70,"bandwidth":16},{"name":"dram","capacity":50}]}' >"$tmp/tiers.json"
run plan "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any --tiers "$tmp/tiers.json" --format json
check "tiers: no room: exit 1" exits 1
check "tiers: no room: which, when, how much" json '.feasible == false and .details.reason == "infeasible: h1 finds no room at time 0: 60 B required, 60 B available, largest hole 50 B in dram"'

# A bound that is reached is a proof.
run plan "$models/example2.json" -p greedy-by-size --format json
check "optimal exactly when the peak is the bound" json '.optimal == (.peak == .lower_bound)'

# ---- choices=plain: placements, moves and figures as they were when there was nothing else ----
plainly='[.peak,.migration_bytes,.decisions,[.placements[]|[.buffer,.tier,.offset,.first,.last]],[.transfers[]|[.buffer,.step,.from]],.details.assignment]'
while read -r model capacity seed set sum; do
    file=$(ls "$models/$model" "$SOURCE/tests/golden/models/$model" 2>/dev/null)
    run plan "$file" -p segment-genetic --capacity "$capacity" --seed "$seed" --set "$set" --set choices=plain --format json
    check "plain segment-genetic: $model, $capacity, seed $seed, $set" same "$(jq -c "$plainly" "$tmp/out" | cksum)" "$sum $(jq -c "$plainly" "$tmp/out" | wc -c)"
done <<'EOT'
swap.json 100 1 owners=free 1935314428
swap.json 100 2 owners=fixed 2490000167
swap.json 90 3 migration=literal 3708939681
migrate.json 180 1 owners=free 3979877170
migrate.json 180 2 k=all 2217794004
migrate.json 180 3 exchange=5 439433414
two_tiers.json 180 1 fitness=cost 1258812883
mobilenet_v1_025_96.json 100K 1 rounds=9 1033410067
train_cnn.lua 16M 1 owners=free 3724088136
train_cnn.lua 16M 2 parents=3 3430634294
train_cnn.lua 30M 1 choose=distinct 3171526742
train_cnn.lua 30M 3 draw=any 1923105624
EOT

# ---- every planner, every model: valid by the independent checker, and the same bytes twice ----
for model in "$models"/*.json; do
    name=$(basename "$model" .json)
    for planner in $("$STOWAGE" list planners | awk '{print $1}'); do
        [ "$planner" = as-built ] && continue
        run plan "$model" -p "$planner" --format json
        if [ "$status" -eq 2 ] && complains "$planner needs "; then
            continue # it does not apply: one clear error
        fi
        case "$planner $status" in "segment-genetic 1" | "farthest-next-use 1")
            check "$name, $planner: why there is no room" json '.feasible == false and (.details.reason | test("^infeasible: "))'
            continue ;; # they use the first tier alone
        esac
        check "$name, $planner: exit 0" exits 0
        jq 'del(.seconds)' "$tmp/out" >"$tmp/first"
        run plan "$model" -p "$planner" --format json
        jq 'del(.seconds)' "$tmp/out" >"$tmp/second"
        check "$name, $planner: the same bytes twice" cmp "$tmp/first" "$tmp/second"
        check "$name, $planner: not below the bound" json '.peak == null or .peak >= .lower_bound'
        order=()
        case "$planner" in order | order-exact | order-beam | order-greedy | order-lpmf)
            jq -r '.details.order[]' "$tmp/out" >"$tmp/order.txt"
            check "$name, $planner: every operator is in the order" same "$(wc -l <"$tmp/order.txt")" "$(jq .operators "$tmp/out")"
            order=(--order "$tmp/order.txt") ;;
        esac
        for extension in csv json; do
            run plan "$model" -p "$planner" -o "$tmp/plan.$extension"
            check "$name, $planner: -o plan.$extension" exits 0
            check "$name, $planner: -o is silent" silent
            [ $extension = json ] && order=() # it holds its order itself
            run check "$model" "$tmp/plan.$extension" "${order[@]}"
            check "$name, $planner: the checker agrees with plan.$extension" exits 0
        done
    done
done

# ---- plans in files ----
run plan "$example" -p lifetime -o "$tmp/plan.csv"
check "plan CSV" same "$(cat "$tmp/plan.csv")" "$(printf '%s\n' id,lower,upper,size,offset b0,0,3,2048,0 b1,1,5,2048,2048 b2,2,4,1024,4096 b3,3,5,2048,0 b4,4,6,1024,4096 b5,5,6,4096,0)"
run plan "$example" -p lifetime -o -
check "plan on standard output is CSV" cmp "$tmp/out" "$tmp/plan.csv"
run plan "$example" -p lifetime -o - --format json
check "plan on standard output as JSON" json '[.placements[].offset] == [0,2048,4096,0,4096,0]'
run plan "$tmp/plan.csv" -p as-built --format json
check "a finished plan can be opened" json '[.placements[].offset] == [0,2048,4096,0,4096,0] and .peak == 5120'
run plan "$example" -p lifetime --base 0x20000000 --format json
check "offsets become addresses" json '.placements[1].offset == 536872960 and .peak == 5120'
cat "$example" | "$STOWAGE" plan - -p lifetime --format json >"$tmp/out"
check "a model on standard input" json '.peak == 5120'

# ---- text and CSV ----
run plan "$models/mobilenet_v1_025_96.json" -p greedy-by-size
check "text: exit 0" exits 0
check "text: the model" says '^mobilenet_v1_025_96: 31 operators, 32 buffers$'
check "text: the peak" says '^  peak +63 KiB +64,512 B'
check "text: the bound and where" says '^  lower bound +54 KiB +55,296 B +live at '
check "text: above the bound" says '9,216 B +\+16.7%; 14.3%'
check "text: what stands at the peak" says '^  at the peak +[a-z0-9_]+: [0-9,]+ B at [0-9,]+, alive [0-9]+\.\.[0-9]+$'
check "text: plain ASCII" same "" "$(grep -P '[^\x20-\x7e]' "$tmp/out")"
run plan "$example" -p lifetime --format csv
check "csv: a header and a row" same "$(wc -l <"$tmp/out")" 2
check "csv: the row" says '^lifetime-best-fit,example1,1,6,6,5120,[0-9]+,12288,true,(true|false),[0-9]+,,[0-9.]+,,,5120$'

# ---- no room ----
run plan "$example" -p first-fit --capacity 4K --format json
check "infeasible: exit 1" exits 1
check "infeasible: says so" json '.feasible == false and .optimal == false'
check "infeasible: what, where and by how much" json \
    '.details.does_not_fit | .available == 4096 and .excess == .required - 4096 and .excess > 0 and (.buffer | test("^b")) and .tier == "memory"'
check "infeasible: one line for people" complains 'infeasible: b[0-9] does not fit into memory: [0-9,]+ B required, 4,096 B available, [0-9,]+ B too many(; [0-9]+ blocks end above that, the highest at [0-9]+)?$'
run plan "$example" -p first-fit --capacity 4K
check "infeasible text: exit 1" exits 1
check "infeasible text: which" says '^infeasible: b[0-9] \([0-9,]+ B\) does not fit into memory at time [0-9]+'
check "infeasible text: required" says '^  required +[0-9.]+ KiB +[0-9,]+ B$'
check "infeasible text: available" says '^  available +4 KiB +4,096 B$'
check "infeasible text: no planner can" says 'no planner can do it'
run plan "$example" -p first-fit --capacity 4K -o "$tmp/none.csv"
check "infeasible: exit 1 with -o" exits 1
check "infeasible: no file that looks like a plan" [ ! -e "$tmp/none.csv" ]

cat >"$tmp/tight.json" <<'EOF'
{"tiers":[{"name":"sram","capacity":100,"bandwidth":16,"latency":1},
          {"name":"dram","capacity":64,"bandwidth":4,"latency":10}],
 "buffers":[{"name":"w","kind":"input","size":60},{"name":"h","size":60},{"name":"i","size":60},
            {"name":"y","kind":"output","size":60}],
 "operators":[{"name":"a","inputs":["w"],"outputs":["h"]},
              {"name":"b","inputs":["h","w"],"outputs":["i"]},
              {"name":"c","inputs":["i","h","w"],"outputs":["y"]}]}
EOF
run plan "$tmp/tight.json" -p tier-search --set choices=plain --set overwrite=any --format json
check "no room in any tier: exit 1" exits 1
check "no room in any tier: which block, when, how much" json \
    '.details.does_not_fit == {buffer:"i",tier:"sram",time:1,required:60,available:44,excess:20,largest_hole:40}'
check "no room in any tier: the layout so far" json \
    '.feasible == false and ([.placements[].buffer] == ["w","h"])'
check "no room in any tier: said" complains \
    'infeasible: i finds no room at time 1: 60 B required, 44 B available, largest hole 40 B in sram$'
run plan "$tmp/tight.json" -p tier-search --set choices=plain --set overwrite=any
check "no room in any tier, text: exit 1" exits 1
check "no room in any tier, text: said" says '^infeasible: i finds no room at time 1: 60 B required'

printf 'id,lower,upper,size,offset\na,0,2,10,0\nb,0,2,10,5\nc,0,2,10,\n' >"$tmp/pins.csv"
run plan "$tmp/pins.csv" --format json
check "pins that collide: exit 1" exits 1
check "pins that collide: said" json '.feasible == false and (.details.reason | test("^infeasible: a is pinned to .* b lies"))'

# ---- limits ----
run plan "$models/branches.json" -p first-fit --work 1 --format json
check "work: undecided" exits 1
check "work: where it stopped" json '.feasible == null and .stopped_at == .decisions and .decisions >= 1'
jq 'del(.seconds)' "$tmp/out" >"$tmp/first"
run plan "$models/branches.json" -p first-fit --work 1 --format json
check "work: at the same decision again" same "$(jq 'del(.seconds)' "$tmp/out")" "$(cat "$tmp/first")"
run plan "$models/branches.json" -p first-fit --work 1000000000 --format json
check "work: enough is no limit" json '.feasible == true and .stopped_at == null'
finish
