#!/usr/bin/env bash
# plan --threads: the same bytes every time, the best of all seeds, and a planner that cannot use it says so.
. "$(dirname "$0")/lib.bash"
plan() { run plan "$@" --format json; }
# All but the seconds that it took.
bytes() { jq -c 'del(.seconds)' "$tmp/out"; }

# Blocks thrown in under a ceiling of 50 until hardly anything is free: greedy planners need more.
awk 'function draw(n) { s = (s * 1103515245 + 12345) % 2147483648; return int(s / 65536) % n }
BEGIN { s = 11; print "id,lower,upper,size"
  for (k = 0; k < 400; k++) { l = draw(24); u = l + 1 + draw(8); if (u > 24) u = 24; z = 1 + draw(16); ok = 1
    for (t = l; t < u; t++) if (p[t] + z > 50) ok = 0
    if (ok) { for (t = l; t < u; t++) p[t] += z; print "b" n++ "," l "," u "," z } } }' >"$tmp/crowd.csv"

plan "$tmp/crowd.csv" -p branch-and-bound --threads 3
check "three threads: exit 0" exits 0
check "three threads: proved" json '.optimal and .peak == .lower_bound'
first=$(bytes) seed=$(jq .seed "$tmp/out")
plan "$tmp/crowd.csv" -p branch-and-bound --threads 3
check "three threads: the same again" same "$first" "$(bytes)"
plan "$tmp/crowd.csv" -p branch-and-bound --seed "$seed"
check "the seed it names does it alone" same "$(jq -c .placements <<<"$first")" "$(jq -c .placements "$tmp/out")"

# Of many tries the best is kept, and it is the lowest seed that has it.
best=
for seed in 5 6 7 8; do
    plan "$models/densenet121.lua" -p random-order --seed "$seed" --set evaluations=3
    peak=$(jq .peak "$tmp/out")
    if [ -z "$best" ] || [ "$peak" -lt "$best" ]; then best=$peak first=$seed; fi
done
plan "$models/densenet121.lua" -p random-order --seed 5 --threads 4 --set evaluations=3
check "four tries: the best of them" json ".peak == $best and .seed == $first"
plan "$models/densenet121.lua" -p order-genetic --threads 2 --work 100000
check "a limit of work is each run's own" json '.stopped_at != null or .optimal'
# A planner that spends --work ends by itself, on several threads as on one.
for planner in auto improve; do
    plan "$tmp/crowd.csv" -p "$planner" --work 1 --seed 1
    alone=$(bytes)
    plan "$tmp/crowd.csv" -p "$planner" --work 1 --seed 1 --threads 2
    check "$planner: a budget of work is spent as on one thread" same "$alone" "$(bytes)"
done
plan "$tmp/crowd.csv" -p branch-and-bound --capacity 10 --threads 2
check "what cannot fit: exit 1" exits 1
check "what cannot fit: said" json '.feasible == false'

# Two pins that cannot both be kept: the run has no room, which is an answer.
printf 'id,lower,upper,size,offset\na,0,5,100,0\nb,2,7,60,50\nc,6,9,100,\n' >"$tmp/pins.csv"
for planner in auto improve branch-and-bound order-genetic; do
    plan "$tmp/pins.csv" -p "$planner"
    alone=$(bytes)
    plan "$tmp/pins.csv" -p "$planner" --threads 2
    check "$planner: no room: exit 1" exits 1
    check "$planner: no room: the same as on one thread" same "$alone" "$(bytes)"
done

refuses "no lots" plan "$models/example1.json" -p best-fit --threads 2 because '--threads: best-fit draws no lots'
refuses "a script" plan "$models/example1.json" -p order-genetic --threads 2 --cost "$SOURCE/scripts/costs/energy.lua" because '--threads: scripts run on one thread'
refuses "none" plan "$models/example1.json" --threads 0 because '--threads'
refuses "too many" plan "$models/example1.json" --threads 65 because '--threads'
run plan "$models/example1.json" -p best-fit --threads 1
check "one thread is as without" exits 0
finish
