#!/usr/bin/env bash
# Cost models and actions in Lua, by --cost and --actions.
. "$(dirname "$0")/lib.bash"
two=$models/two_tiers.json
costs=$SOURCE/scripts/costs actions=$SOURCE/scripts/actions
cd "$tmp" || exit 1
printf '{"tiers":[{"name":"sram","capacity":40960,"bandwidth":16,"latency":1,"conflict":0.125},{"name":"l2","capacity":65536,"bandwidth":8,"latency":4},{"name":"dram","bandwidth":3,"latency":10}]}' >tiers.json
net=$models/mobilenet_v1_025_96.json
cat >turns.json <<'END'
{"format":"stowage-graph","version":1,"name":"turns","alignment":1,
 "tiers":[{"name":"sram","capacity":130,"bandwidth":16,"latency":1},{"name":"dram","capacity":4096,"bandwidth":4,"latency":10}],
 "operators":[
  {"name":"o0","inputs":[],"outputs":["a"]},{"name":"o1","inputs":["a"],"outputs":["b"]},
  {"name":"o2","inputs":["b"],"outputs":["c"]},{"name":"o3","inputs":["c"],"outputs":["d"]},
  {"name":"o4","inputs":["d","c"],"outputs":["e"]},{"name":"o5","inputs":["e","b"],"outputs":["f"]},
  {"name":"o6","inputs":["f","a"],"outputs":["g"]}],
 "buffers":[{"name":"a","size":50},{"name":"b","size":40},{"name":"c","size":30},{"name":"d","size":20},
  {"name":"e","size":15},{"name":"f","size":12},{"name":"g","size":10,"kind":"output"}]}
END

# x is used three times, rests while others need the room, and is used three times again.
cat >spill.json <<'END'
{"format":"stowage-graph","version":1,"name":"spill","alignment":1,
 "tiers":[{"name":"sram","capacity":100,"bandwidth":16,"latency":1},{"name":"dram","capacity":4096,"bandwidth":4,"latency":10}],
 "operators":[
  {"name":"o0","inputs":[],"outputs":["x"]},{"name":"o1","inputs":["x"],"outputs":["p"]},
  {"name":"o2","inputs":["x","p"],"outputs":["q"]},{"name":"o3","inputs":["q"],"outputs":["m1"]},
  {"name":"o4","inputs":["m1"],"outputs":["m2"]},{"name":"o5","inputs":["m2"],"outputs":["m3"]},
  {"name":"o6","inputs":["m3"],"outputs":["r"]},{"name":"o7","inputs":["x","r"],"outputs":["s"]},
  {"name":"o8","inputs":["x","s"],"outputs":["t"]},{"name":"o9","inputs":["x","t"],"outputs":["y"]}],
 "buffers":[{"name":"x","size":60},{"name":"p","size":10},{"name":"q","size":10},{"name":"m1","size":45},
  {"name":"m2","size":45},{"name":"m3","size":45},{"name":"r","size":10},{"name":"s","size":10},
  {"name":"t","size":10},{"name":"y","size":10,"kind":"output"}]}
END

# ---- the shipped costs ----

run plan "$two" -p tier-search --set choices=plain --set overwrite=any --cost "$costs/latency_bandwidth.lua" --format json
check "the worked example: 161.125 to 80.125" json '.cost == 80.125 and .details.initial_cost == 161.125'
for input in "$two" turns.json "$net --tiers tiers.json"; do
    # shellcheck disable=SC2086
    run trace $input -p tier-search --set choices=plain --set overwrite=any --to 300
    cp out built-in
    # shellcheck disable=SC2086
    run trace $input -p tier-search --set choices=plain --set overwrite=any --to 300 --cost "$costs/latency_bandwidth.lua"
    check "$input: the same bytes as the built-in rule" cmp out built-in
done
for cost in "$costs"/*.lua; do
    name=$(basename "$cost")
    run plan turns.json -p tier-search --set choices=plain --set overwrite=any --cost "$cost" -o once.json
    check "$name: exit 0" exits 0
    check "$name: nothing on standard error" calm
    run plan turns.json -p tier-search --set choices=plain --set overwrite=any --cost "$cost" -o twice.json
    check "$name: the same bytes twice" cmp <(jq 'del(.seconds)' once.json) <(jq 'del(.seconds)' twice.json)
    check "$name: E is no larger than at first" jq -e '.cost <= .details.initial_cost and .cost > 0' once.json
    run check turns.json once.json --assume-overwrites
    check "$name: the plan is valid" exits 0
    run plan turns.json -p first-fit --cost "$cost" --format json
    check "$name: any planner's layout has a cost" json '.cost > 0'
done
run plan "$two" -p tier-search --set choices=plain --set overwrite=any --cost "$costs/energy.lua" --format json
check "energy: 10078.2 pJ" json '.cost > 10078.19 and .cost < 10078.21'
run plan "$two" -p tier-search --set choices=plain --set overwrite=any --cost "$costs/bank_conflicts.lua" --format json
check "bank conflicts: 87.625" json '.cost == 87.625'
run plan "$two" -p tier-search --set choices=plain --set overwrite=any --cost "$costs/dma_overlap.lua" --format json
check "DMA overlap: 65" json '.cost == 65'
run compare "$two" -p tier-search,first-fit --set overwrite=any --cost "$costs/energy.lua" --format json
check "compare has a cost for both" json '[.. | .cost? // empty | numbers] | length >= 2'

# ---- fitness=cost ----

for planner in order-genetic random-order; do
    run plan "$two" -p $planner --cost "$costs/bank_conflicts.lua" --format json
    peak=$(jq .cost out)
    run plan "$two" -p $planner --cost "$costs/bank_conflicts.lua" --set fitness=cost --format json
    check "$planner: fitness=cost costs less" json ".cost < $peak"
    run plan "$two" -p $planner --set fitness=cost --format json
    check "$planner: fitness=cost by the rates" json '.cost == 120.625'
    refuses "$planner: no rates" plan "$models/branches.json" -p $planner --set fitness=cost because 'fitness=cost: nothing says what a layout costs'
done
run plan turns.json -p segment-genetic --set choices=plain --format json
check "segment-genetic: bytes, and what they come to" json '.cost == 145.25 and .migration_bytes == 180'
run plan turns.json -p segment-genetic --set choices=plain --set fitness=cost -o moved.json
check "segment-genetic: fitness=cost" jq -e '.cost == 145.25 and .migration_bytes == 180' moved.json
run check turns.json moved.json
check "segment-genetic: fitness=cost: valid" exits 0
run trace turns.json -p segment-genetic --set choices=plain --set fitness=cost
check "segment-genetic: decisions carry the cost" jq -es 'all(.[] | select(.kind == "evaluate" and .cost != null); .cost >= 0) and any(.[]; .kind == "evaluate" and .cost > 0)' out
check "segment-genetic: E is that of the accesses, all in sram, and of the moves" jq -es '.[-1] | .kind == "finish" and .cost == 100.25' out
refuses "segment-genetic: no rates" plan "$models/branches.json" -p segment-genetic --capacity 100K --set fitness=cost because 'fitness=cost: nothing says what moving costs'
run plan turns.json -p segment-genetic --set choices=plain --set fitness=cost --cost "$costs/bank_conflicts.lua" -o whole.json
check "segment-genetic: whole layouts" exits 0
run check turns.json whole.json
check "segment-genetic: whole layouts: valid" exits 0
run plan turns.json -p segment-genetic --set fitness=cost --format json
check "segment-genetic: good choices cost less" json '.cost == 98.25 and .migration_bytes == 100'
printf '%s\n' 'return { name = "low", whole = function(layout)
  local sum = 0
  for _, p in ipairs(layout:placements()) do sum = sum + p.offset end
  return sum end }' >low.lua
printf 'id,lower,upper,size\na,0,3,8\nb,1,4,2\nc,3,6,4\n' >plain.csv
run plan plain.csv -p order-genetic --set fitness=cost --cost low.lua --format json
check "whole layouts of a list that tells no accesses" json '.cost == 4'
printf '%s\n' 'return { whole = function() return -1 end }' >debt.lua
refuses "segment-genetic: a price that it cannot compare" plan turns.json -p segment-genetic --set fitness=cost --cost debt.lua because 'fitness=cost: segment-genetic cannot compare a layout of cost -1'

# ---- costs that go wrong: one line, file and line ----

wrong() { # NAME SCRIPT PATTERN
    printf '%s\n' "$2" >"$1.lua"
    refuses "$1" plan "$two" -p tier-search --set choices=plain --set overwrite=any --cost "$1.lua" because "$3"
}
wrong nan 'return { access = function(a)
  return 0 / 0 end }' 'nan\.lua:1: the cost of w in sram at time 0 is NaN, not a finite number'
wrong infinite 'return { access = function() return math.huge end }' 'infinite\.lua:1: .* is infinite, not a finite number'
wrong text 'return { access = function() return "12" end }' 'text\.lua:1: .* is string, not a finite number'
wrong nothing 'return { whole = function() end }' 'nothing\.lua:1: the cost of the layout is nil'
wrong raises 'local function price(a)
  return a.nope.field
end
return { access = function(a)
  local p = price(a)
  return p
end }' "raises\\.lua:2: attempt to index a nil value \\(field 'nope'\\) \\(in price at raises\\.lua:2, called from raises\\.lua:5"
wrong counts 'local n = 0
return { access = function() n = n + 1 return n end }' 'counts\.lua:2: .* asked again'
wrong whole_counts 'local n = 0
return { whole = function() n = n + 1 return n end }' 'whole_counts\.lua:2: .* asked again'
wrong forever 'return { access = function()
  while true do pcall(function() while true do end end) end
end }' 'forever\.lua:2: the script (does not come to an end|takes too long)'
wrong globals 'return { access = function() total = 1 return 1 end }' "globals\\.lua:1: the global variable 'total'"
wrong neither 'return { name = "x" }' "neither\\.lua: a cost model has a function 'access'"
wrong both 'return { access = print, whole = print }' "both\\.lua: a cost model .* not both"
wrong number 'return 7' 'number\.lua: the script returns number instead of a cost model'
wrong syntax 'return {' 'syntax\.lua:[12]: '
wrong kept 'local kept
return { whole = function(layout)
  if kept then return kept:peak() end
  kept = layout
  return 1
end }' 'kept\.lua:'
wrong steps 'return { whole = function(layout) return #layout:accesses(99) end }' 'steps\.lua:1: .*there is no such step'
refuses "no such cost" plan "$two" --cost nowhere.lua because 'nowhere\.lua'
printf 'print("loading")\nreturn { access = function() return 1 end }\n' >says.lua
run plan "$two" -p tier-search --set choices=plain --set overwrite=any --cost says.lua --format json
check "what a script prints goes to standard error" same "loading" "$(cat err)"
check "and not into the result" json '.cost > 0'

# ---- the shipped actions ----

for action in "$actions"/*.lua; do
    name=$(basename "$action")
    for input in "$two" turns.json spill.json "$net --tiers tiers.json"; do
        # shellcheck disable=SC2086
        run plan $input -p tier-search --set choices=plain --set overwrite=any --actions "$action" -o once.json
        check "$name: $input: exit 0" exits 0
        # shellcheck disable=SC2086
        run plan $input -p tier-search --set choices=plain --set overwrite=any --actions "$action" -o twice.json
        check "$name: $input: the same bytes twice" cmp <(jq 'del(.seconds)' once.json) <(jq 'del(.seconds)' twice.json)
        # shellcheck disable=SC2086
        run check $input once.json --assume-overwrites
        check "$name: $input: the plan is valid" exits 0
    done
done
took() { jq -es "any(.[]; .kind == \"try\" and .action == \"$1\" and (.reason | startswith(\"the first place\")))" out; }
run plan spill.json -p tier-search --set choices=plain --set overwrite=any --format json
without=$(jq .cost out)
run plan spill.json -p tier-search --set choices=plain --set overwrite=any --actions "$actions/split.lua" --format json
check "split: pays" json ".cost < $without"
run trace spill.json -p tier-search --set choices=plain --set overwrite=any --actions "$actions/split.lua"
check "split: is taken" took split
check "split: says so" jq -es 'any(.[].candidates[]; .reason | test("its life is split into 3"))' out
run trace "$two" -p tier-search --set choices=plain --set overwrite=any --actions "$actions/prefetch.lua"
check "prefetch: is taken" took prefetch
run trace "$two" -p tier-search --set choices=plain --set overwrite=any --actions "$actions/swap.lua"
check "swap: is taken" took swap
check "swap: says so" jq -es 'any(.[].candidates[]; .reason | test("2 blocks move at once"))' out
run trace "$two" -p tier-search --set choices=plain --set overwrite=any --actions "$actions/pack_left.lua"
check "pack to the left: is taken" took "pack to the left"

# ---- proposals that are refused, with their reasons ----

proposes() { # NAME BODY REASON: what the trace says of the action on w, born at 0
    printf 'return { name = "it", propose = function(a)\n if a.buffer.name ~= "w" then return nil, "another" end\n %s\nend }\n' "$2" >"$1.lua"
    run trace "$two" -p tier-search --set choices=plain --set overwrite=any --actions "$1.lua" --set carry=false
    check "$1: exit 0" exits 0
    check "$1: the reason" jq -es --arg why "$3" 'first(.[] | select(.action == "it" and .kind == "try" and .buffer == "w")) | .candidates[-1].reason == "stays where it lies: " + $why' out
}
proposes above 'return { tier = "sram", offset = 60 }' 'the action proposes a place that is not legal: proposed where it ends above the capacity'
proposes taken 'return { tier = "dram", offset = 30 }' 'the action proposes a place that is taken: proposed dram+30, where h1 lies'
proposes no_reason 'return nil' 'the action proposes no place'
proposes reason 'return nil, "too early"' 'the action proposes no place: too early'
proposes part 'return { tier = "dram", offset = 200, first = 1, last = 2 }' 'the action proposes a place that is not legal: proposed for a part of its life only'
proposes gap 'return { { tier = "dram", offset = 200, last = 0 }, { tier = "sram", offset = 0, first = 2 } }' 'the action proposes a place that is not legal: proposed spans that do not follow one another from its first step to its last'
proposes same_tier 'return { { tier = "dram", offset = 200, last = 1 }, { tier = "dram", offset = 300, first = 2 } }' 'the action proposes a place that is not legal: proposed two spans in a row in the same tier'
proposes later 'return { { buffer = "y", tier = "dram", offset = 200 }, { tier = "dram", offset = 400 } }' 'the action proposes a place that is not legal: proposed a place for a block of a later step, for y'
proposes twice 'return { { tier = "dram", offset = 200 }, { buffer = "h1", tier = "dram", offset = 300 }, { tier = "dram", offset = 400 } }' 'the action proposes a place that is not legal: proposed two lives of one block'
proposes each_other 'return { { tier = "dram", offset = 200 }, { buffer = "h1", tier = "dram", offset = 210 } }' 'the action proposes a place that is taken: proposed dram+210, where w lies, for h1'

fails() { # NAME SCRIPT PATTERN
    printf '%s\n' "$2" >"$1.lua"
    refuses "$1" plan "$two" -p tier-search --set choices=plain --set overwrite=any --actions "$1.lua" because "$3"
}
fails action_raises 'return function(a)
  error("no idea")
end' 'action_raises\.lua:2: no idea'
fails action_counts 'local n = 0
return function() n = n + 1 return { tier = "dram", offset = n } end' 'action_counts\.lua:2: asked again'
fails action_loops 'return function()
  while true do end end' 'action_loops\.lua:2: the script (does not come to an end|takes too long)'
fails action_number 'return function() return 3 end' 'action_number\.lua:1: an action returns a place'
fails action_fraction 'return function() return { offset = 1.5 } end' 'action_fraction\.lua:1: .*whole number'
fails action_negative 'return function() return { offset = -1 } end' 'action_negative\.lua:1: .*whole number'
fails action_tier 'return function() return { tier = "l9", offset = 1 } end' 'action_tier\.lua:1: there is no tier l9'
fails action_offset 'return function() return { tier = "dram" } end' "action_offset\\.lua:1: the field 'offset' is missing"
fails action_none 'return 3' 'action_none\.lua: the script returns number'
fails action_list 'return { 3 }' 'action_list\.lua: an action is a function'
fails action_many 'return function(a) local t = {} for i = 1, 65 do t[i] = { offset = 0 } end return t end' 'action_many\.lua:1: an action may propose up to 64 places'

# ---- sessions ----

cp "$two" "$costs/energy.lua" "$actions/prefetch.lua" .
printf 'run\nsave saved.txt\n' >commands
run two_tiers.json -p tier-search --set choices=plain --set overwrite=any --cost energy.lua --actions prefetch.lua --script commands --screen 80x24
check "the explorer takes both" exits 0
cp out first
check "a session remembers both" grep -cE '^(cost|actions) [0-9a-f]{16} (energy|prefetch)\.lua$' saved.txt
run saved.txt --screen 80x24
check "and comes back the same" exits 0
refuses "a session says itself what its scripts are" saved.txt --cost energy.lua --screen 80x24 because 'saved\.txt is a session'
printf -- '-- changed\n' >>energy.lua
refuses "a session notices that a script has changed" saved.txt --screen 80x24 because 'saved\.txt: energy\.lua is a program that has changed since'
cp "$costs/energy.lua" .
printf -- '-- changed\n' >>prefetch.lua
refuses "and for actions" saved.txt --screen 80x24 because 'saved\.txt: prefetch\.lua is a program that has changed since'

# ---- runs under another model, or with other actions ----

cp "$costs/energy.lua" mine.lua
cp "$actions/prefetch.lua" act.lua
printf 'last\ncost ./mine.lua\nlast\nactions ./act.lua\nlast\nsave other.txt\n' >commands
run two_tiers.json -p tier-search --script commands --screen 100x30
check "the explorer plans under another model" exits 0
check "a session tells the programs of its commands" same 2 "$(grep -cE '^program [0-9a-f]{16} (mine|act)\.lua$' other.txt)"
check "and the commands" same 'cost "mine.lua" actions "act.lua" ' "$(grep -oE '^(cost|actions) .*' other.txt | tr '\n' ' ')"
run other.txt --format json
want=$("$STOWAGE" plan two_tiers.json -p tier-search --cost mine.lua --actions act.lua --format json | jq .cost)
check "what comes back costs what the command line says" json ".cost == $want"
check "and says what was done" says 'cost ./mine.lua|cost mine.lua|"what_ifs"|actions'
printf 'last\ncost energy\ncost ./mine.lua\nundo\nundo\nsave back.txt\nredo\nredo\nsave there.txt\n' >commands
run two_tiers.json -p tier-search --script commands --screen 100x30
check "undone and done again" exits 0
plain=$("$STOWAGE" plan two_tiers.json -p tier-search --format json | jq .cost)
want=$("$STOWAGE" plan two_tiers.json -p tier-search --cost mine.lua --format json | jq .cost)
run back.txt --format json
check "undone: the built-in costs" json ".cost == $plain"
run there.txt --format json
check "done again: the other model's" json ".cost == $want"
printf 'cost ./mine.lua\ncost none\nlast\nsave none.txt\n' >commands
run two_tiers.json -p tier-search --script commands --screen 100x30
run none.txt --format json
check "none: the built-in costs again" json ".cost == $plain"
printf -- '-- changed\n' >>mine.lua
refuses "a command's model that has changed" other.txt --screen 80x24 because 'other\.txt: mine\.lua is a program that has changed since'
# says what is wrong: LINE PATTERN
wrong() {
    printf '%s\n' "$1" >commands
    refuses "$1" two_tiers.json -p tier-search --script commands --screen 80x24 because "commands:1:1: $2"
}
# On the command line as at the prompt: what ships by its name, a file of that name as ./energy.
printf '{"tiers":[{"name":"sram","capacity":3000,"bandwidth":16},{"name":"dram","bandwidth":1,"latency":10}]}' >"$tmp/memories.json"
for option in "cost energy" "actions swap" "breeding own"; do
    set -- $option
    [ "$1" = breeding ] && planner=order-genetic || planner=tier-search
    "$STOWAGE" plan "$models/example1.json" --tiers "$tmp/memories.json" -p $planner --work 5000 --$1 "$2" --format json 2>"$tmp/err" | jq 'del(.seconds)' >"$tmp/by_name"
    "$STOWAGE" plan "$models/example1.json" --tiers "$tmp/memories.json" -p $planner --work 5000 --$1 "$SOURCE/scripts/$([ $1 = cost ] && echo costs || echo $1)/$2.lua" --format json 2>>"$tmp/err" |
        jq 'del(.seconds)' >"$tmp/by_path"
    check "--$1 $2: by its name" cmp "$tmp/by_name" "$tmp/by_path"
    check "--$1 $2: it ran" [ -s "$tmp/by_name" ]
    refuses "--$1 of no such name" plan "$models/example1.json" --$1 nosuch because "--$1: no file of [a-z]+ that ships is called 'nosuch'"
done
cp "$SOURCE/scripts/costs/energy.lua" "$tmp/nosuch"
(cd "$tmp" && "$STOWAGE" plan "$models/example1.json" --tiers "$tmp/memories.json" -p tier-search --work 5000 --cost ./nosuch --format json 2>err | jq 'del(.seconds)' >"$tmp/by_path")
"$STOWAGE" plan "$models/example1.json" --tiers "$tmp/memories.json" -p tier-search --work 5000 --cost energy --format json 2>"$tmp/err" | jq 'del(.seconds)' >"$tmp/by_name"
check "a file of that name" cmp "$tmp/by_name" "$tmp/by_path"
rm "$tmp/nosuch"
wrong 'cost nosuch' "no file of costs that ships is called 'nosuch'"
wrong 'actions energy' "no file of actions that ships is called 'energy'"
wrong 'cost ./nosuch.lua' '\./nosuch\.lua: cannot open: No such file'
wrong 'actions ./nosuch.lua' '\./nosuch\.lua: cannot open: No such file'
wrong 'planner ./nosuch.lua' '\./nosuch\.lua: cannot open: No such file'
wrong 'cost ./act.lua' "\./act\.lua: a cost model has a function 'access' or a function 'whole'"
wrong 'cost' 'usage: cost COST|none|FILE \[N\]'
printf 'planner greedy-by-size\nactions swap\n' >commands
refuses "actions that a planner would not heed" two_tiers.json -p tier-search --script commands --screen 80x24 because 'commands:2:1: greedy-by-size would not heed actions; these do: tier-search'

run list scripts
check "list scripts names them" grep -q bank_conflicts out
check "list scripts names actions" grep -q prefetch out

# ---- operators of order-genetic ----
breeding=$SOURCE/scripts/breeding breed=$SOURCE/tests/golden/models/breed.csv
for case in "branches.json 6 3" "two_tiers.json 4 1" "two_cores.lua 4 2"; do
    set -- $case
    run trace "$models/$1" -p order-genetic --set choices=plain --set generations="$2" --seed "$3"
    cp out built_in.jsonl
    run trace "$models/$1" -p order-genetic --set choices=plain --set generations="$2" --seed "$3" --breeding "$breeding/own.lua"
    check "$1: the built-in operators in Lua give the same bytes" cmp -s out built_in.jsonl
done
run trace "$breed" -p order-genetic --set choices=plain --set generations=4 --set swap=0.25 --set window_max=5 --seed 5
cp out built_in.jsonl
run trace "$breed" -p order-genetic --set choices=plain --set generations=4 --set swap=0.25 --set window_max=5 --seed 5 --breeding "$breeding/own.lua"
check "with parameters of their own: the same bytes" cmp -s out built_in.jsonl
run plan "$models/branches.json" -p order-genetic --breeding "$breeding/own.lua" -o bred.json
check "a plan" exits 0
run check "$models/branches.json" bred.json
check "which is valid" exits 0
printf '%s\n' 'return { fitness = function(one) return -one.continuity end }' >reuse.lua
run plan "$breed" -p order-genetic --set choices=plain --breeding reuse.lua --format json
continuity=$(jq .details.continuity out)
run plan "$breed" -p order-genetic --set choices=plain --set fitness=continuity --format json
check "a fitness of one's own: what the built-in one of that kind finds" same "$continuity" "$(jq .details.continuity out)"
printf '%s\n' 'return { crossover = function(first) return first.sequence end }' >copy.lua
run trace "$breed" -p order-genetic --set generations=2 --breeding copy.lua
check "a crossover that says nothing of itself" jq -es 'any(.[]; .kind == "crossover") and all(.[] | select(.kind == "crossover"); (.sentence | test("^crosses member [0-9]+ with member [0-9]+: by the crossover of the script$")) and .candidates == [])' out
run trace "$breed" -p order-genetic --set generations=3 --set population=8 --breeding "$breeding/tournament.lua"
check "a selection of one's own: it says why" jq -es '[.[] | select(.kind == "select")] | length == 3 and all(.[]; .sentence == "keeps 8 of 16 members: the elite, and the winners of tournaments of three" and any(.candidates[]; .reason | test("goes, the script did not choose it")))' out
check "the two fittest stay" jq -es 'all(.[] | select(.kind == "select"); ([.candidates[] | .size] | sort | .[0:2]) as $best | ([.candidates[] | select(.verdict == "chosen") | .size] | sort | .[0:2]) == $best)' out
printf '%s\n' 'return { elite = 0, select = function() return {1} end }' >one.lua
run trace "$breed" -p order-genetic --set generations=3 --set population=8 --breeding one.lua
check "one that keeps one" jq -es '[.[] | select(.kind == "select") | .operands.kept] == [1, 1, 1]' out
refuses "--breeding to greedy-by-size" plan "$models/branches.json" -p greedy-by-size --breeding "$breeding/own.lua" because '--breeding: greedy-by-size would not heed it; these do: token-sharing, order-genetic, segment-genetic'
refuses "--breeding of another planner" plan "$models/branches.json" -p order-genetic --breeding "$breeding/own_segments.lua" because '--breeding: own_segments has operators of segment-genetic, and none of order-genetic'
refuses "--breeding on several threads" plan "$models/branches.json" -p order-genetic --threads 2 --breeding "$breeding/own.lua" because '--threads: scripts run on one thread'
breeds() { # NAME SCRIPT PATTERN
    printf '%s\n' "$2" >"$1.lua"
    refuses "breeding, $1" plan "$breed" -p order-genetic --breeding "$1.lua" because "$3"
}
breeds nothing 'return {}' 'nothing\.lua: breeding has none of seed_population, crossover, mutate, fitness'
breeds unknown 'return {cross = function() end}' "unknown\\.lua: breeding has no 'cross'; it has name, planner, peak_first, bytes, seed_population"
breeds number 'return {mutate = 3}' "number\\.lua: 'mutate' of breeding is a function, not number"
breeds short 'return {seed_population = function() return {1, 2} end}' 'short\.lua:1: seed_population of short.lua: an order is a list of 14 numbers, not 2'
breeds twice 'return {seed_population = function(n, r, i) local o = {} for k = 1, i.count do o[k] = 1 end return o end}' 'seed_population of twice.lua: place 2 has a buffer that came before'
breeds fraction 'return {mutate = function() return 1.5, 2 end}' 'fraction\.lua:1: mutate of fraction.lua: the first place is a whole number from 1 to 14, not 1.5'
breeds same 'return {mutate = function() return 2, 2 end}' 'mutate of same.lua: it gives two different places from 1 to 14'
breeds nan 'return {fitness = function() return 0 / 0 end}' 'nan\.lua:1: fitness of nan.lua: number 1 is .*nan, not a finite number'
breeds none 'return {fitness = function() end}' 'none\.lua:1: fitness of none.lua: it returns 1 to [0-9]+ numbers, not 0'
breeds kept 'return {crossover = function(a, b) return b.sequence, {at = 1, length = 14} end}' "crossover of kept.lua: place [0-9]+ is said to be the first parent's, and is not"
breeds late 'local r return {mutate = function(_, random) r = r or random return r(2), r(2) + 2, true end}' 'late\.lua:1: random: it is good for the call that it was given to'
breeds lots 'return {mutate = function(_, random) return random(0), 1 end}' 'lots\.lua:1: random: it draws from 1 to a whole number from 1 on, not to 0'
breeds strange 'return {select = function(all) return {#all + 1} end}' 'strange\.lua:1: select of strange.lua: an individual is a whole number from 1 to 32, not 33'
breeds again 'return {select = function() return {2, 2} end}' 'select of again.lua: number 2 of its list is one that came before'
breeds none_chosen 'return {elite = 0, select = function() return {} end}' 'select of none_chosen.lua chooses none, and there is no elite'
breeds half 'return {elite = 0.5, select = print}' "half\\.lua: 'elite' of breeding is a whole number from 0 on, not 0.5"
breeds alone 'return {elite = 2, mutate = print}' "alone\\.lua: 'elite' of breeding needs 'select': without it the fittest stay"
breeds unbred 'return {planner = "first-fit", mutate = print}' "unbred\\.lua: 'planner' of breeding is \"order-genetic\", \"segment-genetic\" or \"token-sharing\", not first-fit"
breeds counted 'return {bytes = true, mutate = print}' "counted\\.lua: 'bytes' of breeding is for segment-genetic"

# ---- of assignments ----
# ---- the reuse condition of token-sharing ----

run trace "$models/cpu_npu.lua" -p token-sharing
cp out tokens.jsonl
echo 'return {planner = "token-sharing", reuse = function(one) return one.possible end}' >same.lua
run trace "$models/cpu_npu.lua" -p token-sharing --breeding same.lua
check "a reuse condition that takes what is possible: the same bytes" cmp -s out tokens.jsonl
echo 'return {name = "never", planner = "token-sharing", reuse = function(one) return false, "not today" end}' >never.lua
run trace "$models/cpu_npu.lua" -p token-sharing --breeding never.lua
check "a condition that takes nothing: no reuse, and why" jq -es 'all(.[]; .kind != "reuse") and any(.[].candidates[]; .verdict == "refused" and (.reason | test("could be overwritten, and the script is against it: not today$")))' out
cp out never.jsonl
run plan "$models/cpu_npu.lua" -p token-sharing --breeding never.lua --format json
never=$(jq .peak out)
run plan "$models/cpu_npu.lua" -p token-sharing --set reuse=none --format json
check "it comes to what reuse=none comes to" same "$never" "$(jq .peak out)"
for one in tensor.name input.size operator tier id bytes allocated reshape whole_function possible; do
    echo "return {planner = 'token-sharing', reuse = function(one, info) assert(one.$one ~= nil and info.problem.name == 'nasnet') return false end}" >field.lua
    run plan "$models/nasnet.lua" -p token-sharing --breeding field.lua
    check "a condition sees $one" exits 0
done
run plan "$models/nasnet.lua" -p token-sharing --breeding close_tokens --format json
closer=$(jq .peak out)
run plan "$models/nasnet.lua" -p token-sharing --format json
check "close_tokens, which ships, does better where it is said to" [ "$closer" -lt "$(jq .peak out)" ]
conditions() { # NAME SCRIPT PATTERN
    echo "return {planner = 'token-sharing', $2}" >"$1.lua"
    refuses "a reuse condition, $1" plan "$models/nasnet.lua" -p token-sharing --breeding "$1.lua" because "$3"
}
conditions always 'reuse = function() return true end' 'always\.lua:1: reuse of always\.lua: [^ ]+ cannot be written over [^ ]+: id [0-9]+: .*'
conditions number 'reuse = function() return 1 end' 'number\.lua:1: reuse of number\.lua: it returns true or false, not number'
conditions silent 'reuse = function() end' 'silent\.lua:1: reuse of silent\.lua: it returns true or false, not nil'
conditions table 'reuse = function() return false, {} end' 'table\.lua:1: reuse of table\.lua: why is a text, not table'
conditions other 'mutate = print' "other\\.lua: 'mutate' of breeding is not for token-sharing"
conditions fitter 'bytes = true, reuse = print' "fitter\\.lua: 'bytes' of breeding is for segment-genetic"
breeds tokens 'return {reuse = print}' "tokens\\.lua: 'reuse' of breeding is not for order-genetic"
refuses "a window that is none" plan "$models/nasnet.lua" -p token-sharing --set match=0 because 'parameter match of token-sharing must be a whole number from 1 to 1000000000 or any, not .0.'
refuses "a reuse that is none" plan "$models/nasnet.lua" -p token-sharing --set reuse=all because 'parameter reuse of token-sharing must be one of in-place, reshape, none, not .all.'

own=$SOURCE/tests/golden/models
segments_same() { # WHAT ARGUMENT...
    local what=$1
    shift
    run trace "$@" -p segment-genetic --set choices=plain
    cp out built_in.jsonl
    run trace "$@" -p segment-genetic --set choices=plain --breeding "$breeding/own_segments.lua"
    check "$what: the built-in operators of segment-genetic in Lua give the same bytes" cmp -s out built_in.jsonl
    check "$what: and there are some" [ -s built_in.jsonl ]
}
for seed in 1 2; do
    segments_same "swap, seed $seed" "$own/swap.json" --seed "$seed"
    segments_same "migrate, seed $seed" "$own/migrate.json" --seed "$seed" --set owners=fixed
    segments_same "migrate, many at once, seed $seed" "$own/migrate.json" --seed "$seed" --set exchange=4 --set parents=4 --set draw=any
    segments_same "two tiers, seed $seed" "$models/two_tiers.json" --capacity 180 --seed "$seed" --set rounds=3
done
run trace "$own/migrate.json" -p segment-genetic --set choices=plain --set exchange=4 --set parents=3 --state
check "the state marks what was exchanged, all of it" jq -es '[.[] | select(.kind == "crossover" or .kind == "mutate")] | length > 20 and all(.[]; .operands.objects as $n | .state["segment of each object"] | (.columns | index("changed")) as $c | ([.rows[] | select(.[$c] == "exchanged")] | length) == $n)' out
check "a trace names all parents" jq -es '[.[] | select(.kind == "crossover")] | any(.[]; .members | length == 3) and all(.[]; .members == [.operands | .first, .second, .third, .fourth | numbers])' out
check "parents and children side by side" jq -es '[.[] | select(.kind == "crossover")] | all(.[]; (.members | length) as $n | .state["segment of each object"] | (.columns | length) == 3 + 2 * $n and all(.rows[]; .[3:3 + $n] as $parents | .[3 + $n:] == if .[2] then $parents[1:] + $parents[:1] else $parents end))' out
check "a mutation before and after" jq -es '[.[] | select(.kind == "mutate")] | all(.[]; [.state["segment of each object"].rows[] | select(.[2])] | length > 1 and (map(.[3]) | sort) == (map(.[4]) | sort) and all(.[]; .[3] != .[4]))' out
check "each round with its probability" jq -es '[.[] | select(.kind == "generation").state.rounds.rows[-1]] | all(.[]; .[2] >= 0.05 and .[2] <= 0.3)' out
printf '%s' '{"format":"stowage-graph","version":1,"name":"parts","operators":[],"tiers":[{"name":"device","capacity":100}],"buffers":[{"name":"R","size":60,"accesses":[0,9],"first":0,"last":9},{"name":"S1","size":8,"accesses":[3],"first":3,"last":3},{"name":"S2","size":6,"accesses":[4,6],"first":4,"last":6},{"name":"S3","size":4,"accesses":[5],"first":5,"last":5}]}' >parts.json
run trace parts.json -p segment-genetic --set merge_below=10 --state
check "merged objects are listed with their parts" jq -es '.[-1].state["merged objects"].rows == [[1,"S1",8],[1,"S2",6],[1,"S3",4]]' out
check "and named by them" jq -es 'any(.[]; .kind == "sort" and any(.candidates[]; .reason == "number 2 is S1+S2+S3 (18 B), first accessed at time 3"))' out
printf '%s\n' 'return {planner = "segment-genetic", name = "low", fitness = function(one) local n = 0.5 for _, s in ipairs(one.segments) do n = n + s end return n end}' >low.lua
run trace "$own/swap.json" -p segment-genetic --set choices=plain --breeding low.lua --state
check "a fitness of one's own is told as such, and what is moved as bytes" jq -es 'any(.[]; .sentence | test("^draws member [0-9]+, with the fitness [0-9]+\\.5, which moves [0-9]+ B:")) and any(.[]; .sentence // "" | test("^measures member [0-9]+, fitness [0-9]+\\.5 -> [0-9]+\\.5, which moves [0-9]+ B: ")) and all(.[]; .cost == null) and any(.[]; .state.population.columns[1]? == "fitness")' out
least=$(jq -s '[.[].operands.fitness[1]? // empty] | min' out)
run plan "$own/swap.json" -p segment-genetic --set choices=plain --breeding low.lua --format json
check "the least is answered" json ".details.assignment | length == 5 and (map(. + 1) | add + 0.5) == $least"
printf '%s\n' 'return {planner = "segment-genetic", name = "priced", fitness = function(one) return one.cost end}' >priced.lua
run trace "$models/two_tiers.json" --capacity 180 -p segment-genetic --set fitness=cost --breeding priced.lua
check "with fitness=cost a script's fitness is told the cost of the layout" exits 0
refuses "without it there is none" trace "$own/swap.json" -p segment-genetic --breeding priced.lua because 'priced\.lua:1: fitness of priced: it returns a number from 0 on, not nil'
refuses "bytes beside fitness=cost" trace "$models/two_tiers.json" -p segment-genetic --set fitness=cost --breeding "$breeding/own_segments.lua" because 'fitness=cost: the fitness of own_segments says that it is the bytes that are moved'
assigns() { # NAME SCRIPT PATTERN
    printf 'return {planner = "segment-genetic", %s}\n' "$2" >"$1.lua"
    refuses "breeding of assignments, $1" trace "$own/swap.json" -p segment-genetic --set choices=plain --set owners="${4:-free}" --breeding "$1.lua" because "$3"
}
cat >fittest.lua <<'EOT'
return {planner = "segment-genetic", elite = 0, select = function(all, random, info)
  assert(info.members == #all and info.elite == 0 and info.most == 32 or info.most == 12)
  local numbers = {}
  for i, one in ipairs(all) do
    numbers[i] = i
    assert(#one.segments == #info.objects and (one.migration == nil) == (one.clashes > 0))
    assert(one.clashes > 0 or one.fitness == one.migration)
    for k = 1, i - 1 do -- two that are the same: the later one comes last
      if info.most == 12 and table.concat(all[k].segments, " ") == table.concat(one.segments, " ") then numbers[i] = nil break end
    end
  end
  local chosen = {}
  for i = 1, #all do if numbers[i] then chosen[#chosen + 1] = i end end
  table.sort(chosen, function(a, b)
    local x, y = all[a], all[b]
    if x.clashes ~= y.clashes then return x.clashes < y.clashes end
    if x.fitness ~= y.fitness then return x.fitness < y.fitness end
    return a < b
  end)
  return table.move(chosen, 1, info.most, 1, {}), "those with the least migration, new and unprocessed"
end}
EOT
for choices in plain good; do
    run trace "$own/migrate.json" -p segment-genetic --set choices=$choices --seed 3
    sed -E 's/goes, (others move less|it is the same as an earlier one)/goes, the script did not choose it/g' out >built_in.jsonl
    run trace "$own/migrate.json" -p segment-genetic --set choices=$choices --seed 3 --breeding fittest.lua
    check "choices=$choices: the built-in selection in Lua gives the same bytes" cmp -s out built_in.jsonl
    check "choices=$choices: and selects" grep -q '"kind":"select"' out
done
run trace "$own/migrate.json" -p segment-genetic --set choices=plain --set population=8 --set survivors=4 --breeding "$breeding/tournament_segments.lua"
check "a selection of assignments: it says why" jq -es '[.[] | select(.kind == "select")] | length > 3 and all(.[]; .operands.kept == 4 and (.sentence | test("^keeps 4 of [0-9]+ members.*: the elite, and the winners of tournaments of three$"))) and any(.[].candidates[]; .reason | test("goes, the script did not choose it: it moves"))' out
check "the two fittest stay, here too" jq -es 'all(.[] | select(.kind == "select"); [.candidates[0, 1].verdict] == ["chosen", "chosen"])' out
check "and some that are not" jq -es 'any(.[] | select(.kind == "select"); [.candidates[].verdict] | index("refused") < rindex("chosen"))' out
printf '%s\n' 'return {planner = "segment-genetic", elite = 0, select = function() return {2} end}' >second.lua
run trace "$own/migrate.json" -p segment-genetic --set choices=plain --set rounds=2 --breeding second.lua --state
check "one that keeps one" jq -es '[.[] | select(.kind == "select") | .operands.kept] == [1, 1]' out
assigns first 'peak_first = true, mutate = print' "first\\.lua: 'peak_first' of breeding is for order-genetic"
assigns shorter 'seed_population = function() return {1} end' 'shorter\.lua:1: seed_population of shorter.lua: an assignment is a list of 5 numbers, not 1'
assigns beyond 'seed_population = function() return {1, 2, 3, 1, 1} end' 'beyond\.lua:1: seed_population of beyond.lua: a segment is a whole number from 1 to 2, not 3'
assigns large 'seed_population = function() return {2, 2, 2, 2, 2} end' 'seed_population of large.lua: A does not fit into the segment that it is given'
assigns owner 'seed_population = function() return {1, 1, 2, 2, 2} end' 'seed_population of owner.lua: B owns a segment and stays there' fixed
assigns again 'crossover = function() return {3, 3} end' 'crossover of again.lua: C is named twice'
assigns owned 'crossover = function() return {1} end' 'crossover of owned.lua: A owns a segment and stays there' fixed
assigns alone 'mutate = function() return {3} end, name = "alone"' 'mutate of alone: C goes where it is already'
assigns nowhere 'mutate = function() return 3 end' 'nowhere\.lua:1: mutate of nowhere.lua: it returns a list of at most 5 objects, not number'
assigns tight 'mutate = function(one) for i = 2, 5 do if one.segments[i] == 2 and one.segments[1] == 1 then return {1, i} end end return {} end' 'mutate of tight.lua: A does not fit into the segment that it goes to'
assigns negative 'fitness = function() return -1 end' 'negative\.lua:1: fitness of negative.lua: it returns a number from 0 on, not -1'
assigns untrue 'bytes = true, fitness = function() return 3 end' 'fitness of untrue.lua: it says bytes, and gives 3 where [0-9]+ are moved'
assigns huge 'fitness = function() return 1e300 end' 'segment-genetic cannot compare a fitness of 1e\+300: it takes 0 to 2\^42'
assigns strange 'select = function(all) return {#all + 1} end' 'strange\.lua:1: select of strange.lua: an individual is a whole number from 1 to [0-9]+, not [0-9]+'
assigns twice 'select = function() return {2, 2} end' 'select of twice.lua: number 2 of its list is one that came before'
assigns none_chosen 'elite = 0, select = function() return {} end' 'select of none_chosen.lua chooses none, and there is no elite'
assigns lone 'elite = 2, mutate = print' "lone\.lua: 'elite' of breeding needs 'select': without it the fittest stay"
assigns kept2 'mutate = (function() local f return function(_, _, info) f = f or info.fits return f(3, 1) and {} or {} end end)()' 'kept2\.lua:1: fits: it is good for the call that it was given to'
cp "$own/swap.json" .
printf 'breeding own_segments\nlast\nsave a.txt\nbreeding ./low.lua\nlast\nsave b.txt\nundo\nsave c.txt\n' >commands
run swap.json -p segment-genetic --script commands --screen 80x24
check "the explorer breeds with other operators" exits 0
check "a session tells the programs of its operators" grep -qE '^program [0-9a-f]{16} low\.lua$' b.txt
for file in a b c; do
    run "$file.txt" --format json
    cp out "$file.json"
done
run swap.json -p segment-genetic --format json
check "the twin of the built-in operators moves as much" same "$(jq .migration_bytes out)" "$(jq .migration_bytes a.json)"
check "operators of one's own do otherwise" [ "$(jq .decisions a.json)" != "$(jq .decisions b.json)" ]
check "undone: those before" same "$(jq .decisions a.json)" "$(jq .decisions c.json)"
printf '%s\n' 'breeding own' >commands
refuses "and not with those of another planner" "$own/swap.json" -p segment-genetic --script commands --screen 80x24 because 'commands:1:1: own has operators of order-genetic, and none of segment-genetic'
refuses "nor where the planner would not heed them" "$own/swap.json" -p first-fit --script commands --screen 80x24 because 'commands:1:1: first-fit would not heed breeding; these do: token-sharing, order-genetic, segment-genetic'

# ---- policies ----
policy=$SOURCE/scripts/policies/own_fit.lua
told='[.kind, .buffer, .offset, .reason, .peak, (.candidates | map([.verdict, .offset, .size])), .moved]'
for model in example2.json branches.json two_tiers.json mobilenet_v1_025_96.json; do
    run trace "$models/$model" -p lifetime-best-fit
    jq -c "$told" out >built
    run trace "$models/$model" -p lifetime-best-fit --policy "$policy"
    jq -c "$told" out >own
    check "policy: the built-in rules in Lua, $model" cmp built own
    check "and something was decided, $model" [ -s own ]
done
# The numbers are those of the list: the highest block that fits, and the highest that can be enlarged.
cat >high.lua <<'EOT'
return {
  fit = function(buffer, free, info)
    for i, block in ipairs(free) do
      assert(block.delta == 0 and block.start + buffer.size <= block.offset + block.size)
      assert(i == 1 or free[i - 1].offset < block.offset)
    end
    assert(info.step == buffer.first and info.tier == 1 and info.problem.name)
    return #free, "the highest that fits"
  end,
  grow = function(buffer, free, info)
    for _, block in ipairs(free) do
      assert(block.delta > 0 and block.size < buffer.size and block.offset < info.arena)
    end
    return #free, "the highest that can grow"
  end,
}
EOT
printf 'id,start,end,size\na,0,0,20\nw,0,3,1\nb,0,0,30\nv,0,3,1\nd,1,3,35\ne,1,3,9\n' >two.csv
run trace two.csv -p lifetime-best-fit --policy high.lua
check "policy: another block is enlarged, and says why" jq -es 'any(.[]; .kind == "grow" and .buffer == "d" and .offset == 21 and .reason == "the highest that can grow" and
    any(.candidates[]; .verdict == "chosen" and .reason == "too small by 5 B, and chosen by the policy, enlarged by 5 B, which moves 1 block") and
    any(.candidates[]; .verdict == "fits" and .offset == 0))' out
printf 'id,start,end,size\na,0,0,20\nw,0,3,1\nb,0,0,30\nv,0,3,1\nd,1,3,12\n' >fits.csv
run trace fits.csv -p lifetime-best-fit --policy high.lua
check "policy: another block is taken" jq -es 'any(.[]; .buffer == "d" and .kind == "place" and .offset == 21 and .reason == "the highest that fits" and
    .candidates[0].verdict == "fits" and .candidates[1].reason == "chosen by the policy, leaves 18 B")' out
run plan "$models/branches.json" -p lifetime-best-fit --policy high.lua -o high.json
check "policy: the plan is valid" "$STOWAGE" check "$models/branches.json" high.json
judged() { # NAME SCRIPT PATTERN
    printf '%s\n' "$2" >"$1.lua"
    refuses "policy, $1" plan two.csv -p lifetime-best-fit --policy "$1.lua" -o none.csv because "$3"
    check "policy, $1: nothing is written" [ ! -e none.csv ]
}
judged nothing 'return {}' 'nothing\.lua: a policy has fit, grow or both'
judged number 'return 4' "number\\.lua: the script returns number instead of a policy: end it with 'return'"
judged unknown 'return {take = print}' "unknown\\.lua: a policy has no 'take'; it has name, fit, grow"
judged text 'return {fit = "low"}' "text\\.lua: 'fit' of a policy is a function, not string"
judged beyond 'return {name = "far", grow = function(_, free) return #free + 1 end}' 'beyond\.lua:1: grow of far: it returns a whole number from 1 to 2, or nil, not 3'
judged fraction 'return {grow = function() return 1.5 end}' 'fraction\.lua:1: grow of fraction.lua: it returns a whole number from 1 to 2, or nil, not 1.5'
judged words 'return {grow = function() return "1" end}' 'words\.lua:1: grow of words.lua: it returns a whole number from 1 to 2, or nil, not string'
judged raises 'return {grow = function() error("no idea") end}' 'raises\.lua:1: no idea'
printf '%s\n' 'return {fit = function() end, grow = function() end}' >silent.lua
run trace two.csv -p lifetime-best-fit
jq -c "$told" out >built
run trace two.csv -p lifetime-best-fit --policy silent.lua
check "policy: nil is what the planner does" cmp built <(jq -c "$told" out)
refuses "--policy to a planner without choices" plan two.csv -p first-fit --policy high.lua because '--policy: first-fit would not heed it; these do: lifetime-best-fit'
cp "$models/branches.json" .
printf 'policy own_fit\nlast\nsave a.txt\npolicy ./high.lua\nlast\nsave b.txt\nundo\nsave c.txt\n' >commands
rm -f a.txt b.txt c.txt
run branches.json -p lifetime-best-fit --script commands --screen 80x24
check "the explorer plans under policies" exits 0
check "a session tells its policy" grep -qE '^program [0-9a-f]{16} high\.lua$' b.txt
for file in a b c; do
    run "$file.txt" --format json
    cp out "$file.json"
done
check "another policy does otherwise" [ "$(jq -c .placements a.json)" != "$(jq -c .placements b.json)" ]
check "undone: the one before" same "$(jq -c .placements a.json)" "$(jq -c .placements c.json)"
run branches.json -p lifetime-best-fit --policy high.lua --script <(printf 'last\nsave d.txt\n') --screen 80x24
check "a session that began with one" grep -qE '^policy [0-9a-f]{16} high\.lua$' d.txt
run d.txt --format json
check "plays it again" same "$(jq -c .placements out)" "$(jq -c .placements b.json)"

# ---- rules of tier-search ----
# The built-in order in Lua: the same places, candidates and costs, and of the first plan the same words.
told='[.kind, .buffer, .tier, .offset, .cost, .peak, .time, .action, .figures, .moved, (.candidates | map([.verdict, .tier, .offset, .size]))]'
first_words='select(.kind == "preconf") | [.buffer, .reason]'
for input in "$two" turns.json spill.json "$net --tiers tiers.json" "$models/two_cores.lua --tiers tiers.json"; do
    for set in "choices=plain" "choices=good" "overwrite=any --set visit=touched" "choices=plain --set inside=exhaustive --set segment=2"; do
        # shellcheck disable=SC2086
        run trace $input -p tier-search --set $set
        jq -c "$told" out >built
        jq -c "$first_words" out >built_words
        # shellcheck disable=SC2086
        run trace $input -p tier-search --set $set --actions own_places
        check "own_places: $input, $set: the same decisions" cmp built <(jq -c "$told" out)
        check "own_places: $input, $set: the same words" cmp built_words <(jq -c "$first_words" out)
        check "own_places: $input, $set: something was decided" [ -s built ]
    done
done
"$STOWAGE" plan "$net" --tiers tiers.json -p tier-search --format json | jq 'del(.seconds)' >built
"$STOWAGE" plan "$net" --tiers tiers.json -p tier-search --actions own_places --format json | jq 'del(.seconds)' >own
check "own_places: the same bytes" cmp built own
"$STOWAGE" plan "$net" --tiers tiers.json -p tier-search --actions low_bytes --format json | jq 'del(.seconds)' >low
listed=$(jq -r '.details.segments_at[1:] | join(",")' low)
check "low_bytes: segments begin where few bytes are alive" [ -n "$listed" ]
"$STOWAGE" plan "$net" --tiers tiers.json -p tier-search --set "segments=at:$listed" --format json | jq 'del(.seconds)' >list
check "low_bytes: the same as the list" cmp low list
cat >mine.lua <<'EOT'
return {
  name = "mine",
  places = function(buffer, places) -- the lowest tier, from its end
    local order = {}
    for i = 1, #places do order[i] = #places + 1 - i end
    return order, buffer.name == "w" and "w goes to the end" or nil
  end,
  boundaries = function() return { 1, 3 } end,
}
EOT
run trace "$two" -p tier-search --actions mine.lua --set start=rules --set grow=false
check "rules: decisions give the reason of the script" jq -es '.[0] | .buffer == "w" and .reason == "w goes to the end" and any(.candidates[]; .verdict == "chosen" and .reason == "chosen: ranked first by mine, touches a boundary")' out
check "rules: or its name" jq -es '.[1] | .buffer == "h1" and .reason == "the place that mine ranks first"' out
check "rules: and actions try in its order" jq -es 'any(.[]; .kind == "try" and (.reason | startswith("the first place in the script'"'"'s order")) and any(.candidates[]; .reason | startswith("chosen: in the order of mine")))' out
check "rules: segments end before the boundaries" same "$(jq -c 'select(.kind == "update") | .time' out | tr '\n' ',')" "0,2,3,"
run plan "$two" -p tier-search --actions mine.lua -o mine.json
run check "$two" mine.json
check "rules: the plan is valid" exits 0
if command -v pdftotext >/dev/null; then
    run export "$two" -p tier-search --actions mine.lua --view report -o report.pdf
    check "rules: the report names them" grep -qE 'rules +mine' <(pdftotext -layout report.pdf -)
fi
refuses "two words about segments" plan "$two" -p tier-search --actions mine.lua --set segments=at:2 because 'segments=at:2, and mine says where segments begin, too'
fails rule_raises 'return { places = function()
  error("no idea")
end }' 'rule_raises\.lua:2: no idea'
fails rule_loops 'return { places = function()
  while true do end end }' 'rule_loops\.lua:2: the script (does not come to an end|takes too long)'
fails rule_counts 'local n = 0
return { places = function(_, p) n = n + 1 local o = {} for i = 1, #p do o[i] = n % 2 == 1 and i or #p + 1 - i end return o end }' 'rule_counts\.lua:2: places of rule_counts: asked again, it answers otherwise'
fails rule_number 'return { places = function() return 3 end }' 'rule_number\.lua:1: places of rule_number: it returns a list of numbers, or nil, not number'
fails rule_twice 'return { places = function(_, p) local o = {} for i = 1, #p do o[i] = 1 end return o end }' 'rule_twice\.lua:1: places of rule_twice: it returns each of the 4 places once, and 1 twice'
fails rule_beyond 'return { boundaries = function(problem) return { problem.steps } end }' 'rule_beyond\.lua:1: boundaries of rule_beyond: it returns numbers from 1 to 3, and element 1 is 4'
fails rule_order 'return { boundaries = function() return { 3, 2 } end }' 'rule_order\.lua:1: boundaries of rule_order: it returns steps that ascend, and 2 does not come after 3'
fails rule_cut_loops 'return { boundaries = function()
  while true do end end }' 'rule_cut_loops\.lua:2: the script (does not come to an end|takes too long)'
fails rule_none 'return { places = 3 }' "rule_none\\.lua: 'places' of a file of actions is a function, not number"
# In the explorer, and back: saved sessions know the file.
cp "$two" two.json
plain=$("$STOWAGE" plan two.json -p tier-search --format json | jq -c .placements)
with=$("$STOWAGE" plan two.json -p tier-search --actions mine.lua --set start=rules --format json | jq -c .placements)
rm -f mine.txt none.txt
printf 'set start=rules\nactions ./mine.lua\nlast\nsave mine.txt\nset start=worth\nactions none\nlast\nsave none.txt\n' >commands
run two.json -p tier-search --script commands --screen 80x24
check "rules: the explorer takes a file, and takes it away" exits 0
run mine.txt --format json
check "rules: a session comes back with them" same "$with" "$(jq -c .placements out)"
run none.txt --format json
check "rules: and without them" same "$plain" "$(jq -c .placements out)"
check "rules: they change something" [ "$plain" != "$with" ]
printf -- '-- changed\n' >>mine.lua
refuses "rules that have changed since" mine.txt --screen 80x24 because 'mine\.txt: mine\.lua is a program that has changed since'
run list scripts
check "list scripts names rules" grep -q own_places out
finish
