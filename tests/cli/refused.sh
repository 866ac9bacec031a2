#!/usr/bin/env bash
# What is refused because it would do harm: files written over what is read.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1
model=$models/mobilenet_v1_025_96.json

# ---- what is read is never written over ----
cp "$model" m.json
cp "$models/densenet121.lua" m.lua
"$STOWAGE" plan m.json -o p.csv
"$STOWAGE" plan m.json -o p.json >/dev/null
ln -s m.json soft.json
ln m.json hard.json
ln -s . here
printf '{"tiers":[{"name":"sram","capacity":"64 KiB"}]}' >tiers.json
printf 'return { name = "c", transfer = function() return 1 end }\n' >cost.lua
printf 'return { name = "own", new = function() end }\n' >own.lua
printf '{"notes":[]}' >notes.json
printf 'return { cases = function() return {} end, run = function() end, report = function() end }\n' >e.lua
sha256sum ./*.json ./*.csv ./*.lua >before
spares() {
    refuses "$*" "$@" because '.*(is what is open here; it is not written over)'
}
for way in m.json ./m.json here/m.json "$tmp/m.json" soft.json hard.json; do
    spares plan m.json -o "$way"
    spares convert m.json -o "$way"
    spares plan "$way" -o m.json
done
spares trace m.json -o m.json
spares compare m.json --format json -o m.json
spares check m.json p.csv -o p.csv
spares check m.json p.csv -o m.json
spares diff p.csv m.json -o p.csv
spares diff p.json m.json -o p.json
spares export m.json -o m.json
spares plan m.json --tiers tiers.json -o tiers.json
spares plan m.json --cost cost.lua -p order-genetic -o cost.lua
spares plan m.json -p ./own.lua -o own.lua
spares compare m.json -p first-fit,./own.lua -o own.lua
spares export m.json --annotate notes.json -o notes.json
spares plan m.lua -o m.lua
spares run e.lua -o e.lua
spares run e.lua --shard 1/2 -o e.lua
spares m.json --script m.json --record hard.json
"$STOWAGE" plan - -o m.json <m.json >"$tmp/out" 2>"$tmp/err"
check "standard input is a file, too" complains '.*is what is open here'
check "every file is as it was" sha256sum --quiet -c before
run plan m.json -o other.csv
check "another file is written" exits 0
run plan m.json -o other.csv
check "and written over" exits 0
run plan soft.json -o soft.csv
check "a link is read" exits 0
# ---- arguments and plug-ins that nothing heeds ----
printf 'local a = ...\nreturn {operators={}, buffers={{name="x",size=a.batch or 1,first=0,last=1}}}\n' >g.lua
refuses "an argument that nothing reads" plan g.lua --arg btach=2 because '.*--arg btach: nothing reads it; the nearest that is read is batch'
run plan g.lua --arg batch=2
check "an argument that is read" exits 0
run plan g.lua --arg batch=2 --tiers tiers.json
check "arguments are the model's, also where --tiers is no program" exits 0
printf 'local a = ...\nreturn {tiers={{name="sram",capacity=a.room or 64}}}\n' >t.lua
run plan g.lua --arg batch=2 --arg room=640 --tiers t.lua
check "arguments of a model and of its tiers" exits 0
run plan "$models/example1.json" --arg room=64000 --tiers t.lua
check "arguments of the tiers alone" exits 0
refuses "an argument that neither reads" plan g.lua --arg batch=2 --arg rom=640 --tiers t.lua because 'g.lua: --arg rom: neither the model nor the tiers read it'
printf 'stowage.load("example1"):plan{planer="auto"}\n' >wrong.lua
refuses "an option of graph:plan" run wrong.lua because 'wrong.lua:1: graph:plan: unknown option planer, did you mean planner; there are planner, seed'
printf 'stowage.load("example1"):plan{planner="best-fitt"}\n' >wrong.lua
refuses "a planner of graph:plan" run wrong.lua because "wrong.lua:1: there is no planner 'best-fitt'; did you mean best-fit?"
refuses "an argument of an experiment that nothing reads" run "$SOURCE/scripts/experiments/planners.lua" foo=1 because '.*argument foo: nothing reads it'
tiered=$models/two_tiers.json
refuses "compare --actions without tier-search" compare "$tiered" -p first-fit,best-fit --actions "$SOURCE/scripts/actions/swap.lua" because '--actions: first-fit would not heed it; these do: tier-search'
refuses "--set: the nearest name" plan "$tiered" -p order-genetic --set populatoin=3 because ".*; did you mean population"
refuses "--set: which planner has it" plan "$tiered" -p first-fit --set crossover=0.5 because "first-fit has no parameter 'crossover'; it has none; it belongs to .*segment-genetic"
refuses "--actions without tier-search" plan "$tiered" -p first-fit --actions "$SOURCE/scripts/actions/swap.lua" because '--actions: first-fit would not heed it; these do: tier-search'
refuses "--cost where nothing shows one" trace "$tiered" -p first-fit --cost "$SOURCE/scripts/costs/energy.lua" because '--cost: first-fit would not heed it'
run plan "$tiered" -p first-fit --cost "$SOURCE/scripts/costs/energy.lua"
check "--cost where the summary shows it" says '^  cost '
# ---- conditions that are none ----
for line in 'break peak >> bound' 'break kind == foo' 'break peak' 'break true) or (true' 'break size > '; do
    printf '%s\n' "$line" >script
    refuses "$line" "$tiered" --script script --screen 80x24 because 'script:1:1: '
    refuses "trace --where: ${line#break }" trace "$tiered" -p first-fit --where "${line#break }" because '.'
done
finish
