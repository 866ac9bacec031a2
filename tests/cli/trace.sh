#!/usr/bin/env bash
# stowage trace: JSON Lines at every level.
. "$(dirname "$0")/lib.bash"
example=$models/example1.json
every() { jq -es "all(.[]; $1)" "$tmp/out"; }
slurp() { jq -es "$1" "$tmp/out"; }

run trace "$example" -p lifetime
check "exit 0" exits 0
check "nothing on standard error" calm
check "one object a line" same "$(wc -l <"$tmp/out")" "$(jq -c . "$tmp/out" | wc -l)"
check "steps count from 1" slurp '[.[].step] == [range(1; length + 1)]'
check "keys in their order" every '(keys_unsorted[0:12] | join(" ")) == "step level kind buffer tier offset size peak live cost reason candidates"'
check "the default level" every '.level == "decision"'
check "as many as plan counts" same "$(wc -l <"$tmp/out")" "$("$STOWAGE" plan "$example" -p lifetime --format json | jq .decisions)"
check "the kinds of the method" slurp '[.[].kind] | unique | . - ["append","coalesce","grow","place","release"] == []'
check "every append, place and grow names its block" every '.kind == "release" or .kind == "coalesce" or (.buffer | type == "string")'
check "the last peak is the arena" slurp '.[-1].peak == 5120'
check "verdicts" every 'all(.candidates[]; .verdict == "chosen" or .verdict == "fits" or .verdict == "refused")'
check "a refusal says why" every 'all(.candidates[] | select(.verdict == "refused"); .reason != "")'
check "a place has one chosen candidate" every '.kind != "place" or ([.candidates[] | select(.verdict == "chosen")] | length) == 1'
cp "$tmp/out" "$tmp/all"
run trace "$example" -p lifetime
check "the same bytes twice" cmp "$tmp/out" "$tmp/all"
run trace "$example" -p lifetime --from 3 --to 5
check "from and to" cmp "$tmp/out" <(sed -n 3,5p "$tmp/all")
run trace "$example" -p lifetime --from 100000
check "from beyond the end: nothing, exit 0" exits 0
check "from beyond the end: nothing" silent
run trace "$example" -p lifetime -o "$tmp/trace.jsonl"
check "into a file" cmp "$tmp/trace.jsonl" "$tmp/all"
run trace "$example" -p lifetime -o -
check "into standard output" cmp "$tmp/out" "$tmp/all"
run trace "$example" -p lifetime --base 0x1000
check "addresses" slurp '[.[] | select(.kind == "append" or .kind == "place") | .offset] | min == 4096'

run trace "$models/example2.json" -p lifetime
check "a grow tells what moved" slurp '[.[] | select(.kind == "grow") | .moved[] | {buffer, from, to}] == [{"buffer":"b1","from":100,"to":120}]'

for level in operator group run; do
    run trace "$example" -p lifetime --level "$level"
    check "$level: exit 0" exits 0
    check "$level: says its level" every ".level == \"$level\""
    check "$level: a sentence with the peak before and after" every '.sentence | test("^(operator op[0-9]|group 0|the run of lifetime-best-fit): [0-9]+ decisions?, peak [0-9,]+ -> [0-9,]+ B; at last it [a-z]+s ")'
    check "$level: peaks meet" slurp '. as $u | $u[0].peak_before == 0 and all(range(1; length); $u[.].peak_before == $u[. - 1].peak)'
    check "$level: spans all decisions" slurp "([.[].decisions] | add) == $(wc -l <"$tmp/all")"
    check "$level: ends with the arena" slurp '.[-1].peak == 5120'
    check "$level: first and last steps meet" slurp '. as $u | all(range(1; length); $u[.].first_step == $u[. - 1].step + 1)'
done
run trace "$example" -p lifetime --level operator
check "operator: one per operator" slurp '[.[].operator] == ["op0","op1","op2","op3","op4","op5"]'
run trace "$example" -p lifetime --level run
check "run: one object" same "$(wc -l <"$tmp/out")" 1
run trace "$example" -p lifetime --level event
check "event: how lifetimes come into being is told first" slurp '[.[].kind][0:8] == ["derive"] + [range(6) | "widen"] + ["candidate"]'
check "event: the ends that operators give" slurp '[.[1:7][].sentence | split(":")[0]] ==
    ["ends the lifetime of b0 at 1 and not at 0", "ends the lifetime of b0 at 2 and not at 1", "ends the lifetime of b2 at 3 and not at 2",
     "ends the lifetime of b1 at 4 and not at 1", "ends the lifetime of b3 at 4 and not at 3", "ends the lifetime of b4 at 5 and not at 4"]'
run trace "$example" -p lifetime --set events=true
check "and as decisions, which change nothing after them" slurp '[.[7:][] | [.kind, .buffer, .offset, .peak]] ==
    ['"$(jq -c '[.kind, .buffer, .offset, .peak]' "$tmp/all" | paste -sd,)"']'
check "what merged with what" slurp '.[16].operands | .below == 2048 and .above == 0'
run trace "$example" -p lifetime --level event --set events=false
check "event: exit 0" exits 0
check "event: as many as candidates and moves, or one" same "$(wc -l <"$tmp/out")" \
    "$(jq -s '[.[] | (.candidates | length) + (.moved | length) | if . == 0 then 1 else . end] | add' "$tmp/all")"
check "event: a sentence each" every '(.sentence | length) > 12'
check "event: numbered within the decision" slurp 'group_by(.step) | all(.[]; [.[].event] == [range(1; length + 1)])'

for planner in $("$STOWAGE" list planners | awk '{print $1}'); do
    [ "$planner" = as-built ] && continue
    run trace "$models/branches.json" -p "$planner"
    [ "$status" -eq 2 ] && complains "$planner needs " && continue
    check "$planner: exit 0" exits 0
    check "$planner: steps count from 1" slurp '[.[].step] == [range(1; length + 1)]'
done
# ---- every kind that a planner makes is a sentence, and every candidate has a reason ----
awk 'function draw(below) { s = (s * 1103515245 + 12345) % 2147483648; return int(s / 65536) % below }
    BEGIN { print "id,start,end,size"; s = 7
        for (i = 0; i < 30; i++) { a = draw(20); l = draw(12); print "b" i "," a "," a + l "," 1 + draw(50) } }' >"$tmp/many.csv"
"$STOWAGE" plan "$models/branches.json" -p first-fit -o "$tmp/finished.csv" >/dev/null
: >"$tmp/kinds"
said() { # FILE PLANNER OPTION...
    run trace "$@"
    slurp '[.[] | select((.sentence | length) < 12 or (.kind as $k | .sentence | test("^" + $k + "( |:|$)")))] == []' &&
        slurp 'all(.[]; all(.candidates[]; (.reason | length) > 4))' &&
        jq -r '.kind' "$tmp/out" | sort -u >>"$tmp/kinds"
}
for planner in first-fit best-fit greedy-by-size greedy-by-breadth lifetime-best-fit tflm-greedy auto token-sharing; do
    check "$planner: in sentences" said "$models/branches.json" -p "$planner"
done
check "as-built: in sentences" said "$tmp/finished.csv" -p as-built
check "branch-and-bound: in sentences" said "$tmp/many.csv" -p branch-and-bound --work 300000
check "order-genetic: in sentences" said "$tmp/many.csv" -p order-genetic --set population=8 --set generations=3
check "random-order: in sentences" said "$tmp/many.csv" -p random-order --set evaluations=10
check "tier-search: in sentences" said "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any
check "tier-search, carry=false: in sentences" said "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any --set carry=false
check "segment-genetic: in sentences" said "$models/mobilenet_v1_025_96.json" -p segment-genetic --capacity 100K --set population=6 --set survivors=3 --set rounds=3
few=("$models/train_cnn.lua" -p segment-genetic --capacity 16M --set population=6 --set survivors=3 --set rounds=2)
run trace "${few[@]}"
check "segment-genetic: members are no places" every '.kind != "evaluate" or all(.candidates[]; .offset == null and .size == null)'
check "segment-genetic: migration with its digits in groups" slurp '[.[].sentence | select(test("migration [0-9]"))] | length > 0 and all(.[]; test("migration (still )?[0-9]{1,3}(,[0-9]{3})+ "))'
echo "goto $(jq -s 'first(.[] | select(.kind == "select") | .step)' "$tmp/out")" >"$tmp/select"
run "${few[@]}" --script "$tmp/select" --screen 80x24
check "segment-genetic: a decision that measures nothing has no figure of its own" grep -q 'best moved ' "$tmp/out"
check "farthest-next-use: in sentences" said "$models/two_tiers.json" -p farthest-next-use --capacity 130
check "the kinds that were met" same "$(sort -u "$tmp/kinds" | tr '\n' ' ')" \
    "accept append backtrack branch choose coalesce crossover decode enlarge evaluate evict fetch finish generation grow immigrate incumbent individual merge mutate new partition place preconf proved prune release request revert select sort swap token try update "
run trace "$example" -p first-fit --capacity 4K
check "infeasible: exit 1" exits 1
check "infeasible: one line" complains 'infeasible: '
check "infeasible: the trace all the same" slurp 'length == 6'
# ---- --where ----
run trace "$models/branches.json" -p lifetime-best-fit --where 'kind == grow and size >= 4K'
check "where: only those" slurp 'length > 0 and all(.kind == "grow" and .size >= 4096)'
run trace "$models/branches.json" -p lifetime-best-fit --where 'peak > bound * 100'
check "where: none" silent
check "where: none is no fault" exits 0
refuses "where: an unknown name" trace "$example" --where 'size > big' because "a decision has no 'big'; it has peak, "
refuses "where: no expression" trace "$example" --where 'size >' because "something is missing behind '>'"
refuses "where: what a decision lacks" trace "$example" -p first-fit --where 'other.x == 1' because "attempt to index a nil value \\(local 'other'\\)"
# ---- --state ----
run trace "$example" -p lifetime-best-fit --state --from 9 --to 9
check "state: exit 0" exits 0
check "state: the free list as the method has it" json '.state["free list"] == {"columns":["tier","from","to","bytes","state"],
    "row_count":2,"first":0,"touched":1,"rows":[["memory",0,2048,2048,null],["memory",2048,4096,2048,"released, not coalesced yet"]]}'
check "state: lives" json '.state.lifetimes.rows[4] == ["b4",1024,4,5,"alive"]'
run trace "$example" -p first-fit --state --to 2 --base 4096
check "state: offsets are addresses when there is a base" slurp '.[1].state["free for the next"].rows[0][1] == 8192'
run trace "$example" -p first-fit --to 2
check "state: not without it" slurp 'all(has("state") | not)'
refuses "state: at another level" trace "$example" --state --level group because '\-\-state is the state after each decision'
run trace "$SOURCE/tests/tui/models/small.json" -p token-sharing --state
check "state: tokens as the method has them, from the first on" slurp 'map(select(.kind == "token")) | length > 0 and
    all(.state.tokens.columns == ["tensor","id","reuse","count","tensor bytes","allocated bytes","layer"]) and
    .[0].state.tokens.row_count == 1'
run trace "$models/branches.json" -p auto --state
check "state: every decision, of every planner inside" slurp 'all(.state.portfolio.row_count == 6) and any(.state.queue)'
# ---- several tiers have a peak each ----
printf '{"tiers":[{"name":"sram","capacity":100},{"name":"dram","capacity":1000}],"operators":[{"name":"p","inputs":[],"outputs":["a","c"]},{"name":"u","inputs":["a","c"],"outputs":[]}],"buffers":[{"name":"a","size":60},{"name":"c","size":500}]}' >"$tmp/two_tiers.json"
run trace "$tmp/two_tiers.json" --planner first-fit --level run
check "a run in two tiers has two peaks" grep -q 'peak of sram 0 -> 60 B, peak of dram 0 -> 500 B' "$tmp/out"
# A session that tells lifetimes as decisions, and one step of them.
printf 'set events=true\ngoto 3\nlast\ngoto 5\nsave %s\n' "$tmp/lives.txt" >"$tmp/commands"
run "$example" -p lifetime-best-fit --script "$tmp/commands" --write-anywhere --screen 80x24
check "lifetimes: the explorer steps through them" grep -q 'Ends the lifetime of b1 at 4 and not at 1: op4 uses it' "$tmp/out"
run "$tmp/lives.txt" --format json
jq -c .placements "$tmp/out" >"$tmp/replayed"
run plan "$example" -p lifetime-best-fit --format json
check "lifetimes: a session comes back to the same plan" cmp "$tmp/replayed" <(jq -c .placements "$tmp/out")

# ---- what becomes free in tier-search ----
tiers="$models/two_tiers.json"
plain=(-p tier-search --set choices=plain --set overwrite=any)
run trace "$tiers" "${plain[@]}"
cp "$tmp/out" "$tmp/all"
run trace "$tiers" "${plain[@]}" --set events=true
frees='select(.kind == "release" or .kind == "coalesce")'
check "free space: the releases and merges are told" same "$(jq -c "$frees"' | [.step, .kind, .buffer, .tier, .offset, .size]' "$tmp/out" | head -n 4 | paste -sd' ')" \
    '[7,"release","w","sram",0,60] [8,"coalesce","w","sram",0,100] [13,"release","w","sram",40,60] [14,"coalesce","w","sram",0,100]'
check "free space: what merged with what" same "$(jq -c "$frees"' | .operands | [.before, .below, .above]' "$tmp/out" | sed -n 4p)" '[60,40,0]'
check "free space: nothing else changes" cmp <(jq -c 'del(.step)' "$tmp/all") <(jq -c 'select(.kind != "release" and .kind != "coalesce") | del(.step)' "$tmp/out")
run trace "$tiers" "${plain[@]}" --level event
check "free space: told at the level of events" slurp '[.[] | select(.kind == "coalesce")] | length > 3'
run trace "$tiers" "${plain[@]}" --level event --set events=false
check "free space: or not, as asked for" slurp 'all(.kind != "release" and .kind != "coalesce")'
printf 'set events=true\ngoto 8\npin h1 100 dram\nundo\nredo\nundo\nlast\ngoto 14\nsave %s\n' "$tmp/frees.txt" >"$tmp/commands"
run "$tiers" "${plain[@]}" --script "$tmp/commands" --write-anywhere --screen 80x24
check "free space: the explorer steps through it" grep -q 'Joins the freed space of w with 40 B free below, 60 -> 100 B free at sram+0' "$tmp/out"
run "$tmp/frees.txt" --format json
check "free space: a session comes back to the same plan" json '.cost == 80.125'
run trace "$tiers" "${plain[@]}" --set events=true -o "$tmp/frees.trace"
run plan "$tmp/frees.trace" --format json
check "free space: a trace of it can be read again" json '[.placements[] | .tier + "+" + (.offset | tostring)] == ["dram+964","sram+0","sram+0","sram+0","sram+0"]'
finish
