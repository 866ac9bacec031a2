#!/usr/bin/env bash
# Standard output that does not take it, signals, progress.
. "$(dirname "$0")/lib.bash"
model=$models/mobilenet_v1_025_96.json

if [ -w /dev/full ]; then
    for words in "plan $model" "plan $model --format json" "plan $model -o -" "trace $model" "compare $model" \
        "list planners" "--help" "--version" "plan --help"; do
        # shellcheck disable=SC2086
        "$STOWAGE" $words >/dev/full 2>"$tmp/err" </dev/null
        status=$?
        check "a full disk: exit 2: $words" exits 2
        check "a full disk: says so: $words" complains 'standard output: .*No space left on device'
    done
    run plan "$model" --format csv -o /dev/full
    check "a full device: exit 2" exits 2
    check "a full device: which" complains '/dev/full: .*No space left on device'
else
    skip "no /dev/full"
fi
{
    sleep 0.2
    "$STOWAGE" trace "$model" 2>"$tmp/err"
    echo $? >"$tmp/status"
} | true
status=$(cat "$tmp/status")
check "a closed pipe: exit 2" exits 2
check "a closed pipe: says so" complains 'standard output: .*Broken pipe'
"$STOWAGE" plan "$model" >&- 2>"$tmp/err" </dev/null
status=$?
check "no standard output at all: exit 2" exits 2
run plan "$model" -o "$tmp/no/such/folder/plan.csv"
check "no such folder: exit 2" exits 2
check "no such folder: which" complains "$tmp/no/such/folder/plan.csv: "

# What is there stays until what is new is whole.
echo old >"$tmp/plan.csv"
chmod 640 "$tmp/plan.csv"
run plan "$model" --capacity 1K -o "$tmp/plan.csv"
check "a failed run leaves the old plan" same "$(cat "$tmp/plan.csv")" old
run plan "$model" -o "$tmp/plan.csv"
check "a new plan" grep -q '^id,' "$tmp/plan.csv"
check "the mode of the old one" same "$(stat -c %a "$tmp/plan.csv")" 640
check "no temporary is left" same "$(find "$tmp" -maxdepth 1 -name '*stowage*')" ""

# Progress.
run plan "$model" --progress always
check "progress on request" grep -qE '^auto: decision [0-9]+, [0-9]+ of 32 placed, peak ' "$tmp/err"
run plan "$model" --progress never
check "no progress" calm
run plan "$model"
check "no progress without a terminal" calm

# Ctrl-C ends a run like a limit: the summary so far. So many are alive at once, and one is pinned, that the run is long.
awk 'BEGIN { print "id,lower,upper,size,offset"; for (i = 0; i < 30000; i++) print i "," i % 50 "," 50 + i % 50 "," 64 * (1 + i * 7919 % 977) "," (i ? "" : 0) }' >"$tmp/large.csv"
"$STOWAGE" plan "$tmp/large.csv" -p greedy-by-size --progress always --format json >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q ' of 30000 placed' "$tmp/err"; do
    sleep 0.02
done
kill -INT $pid 2>/dev/null
wait $pid
status=$?
check "interrupted: undecided" exits 1
check "interrupted: the summary so far" json '.feasible == null and .stopped_at == .decisions and .stopped_at < 30000'
check "interrupted: said" grep -qE '^stowage: undecided: stopped at decision [0-9]+' "$tmp/err"
run plan "$tmp/large.csv" -p greedy-by-size --time-limit 0.000001 --format json
check "time limit: undecided" exits 1
check "time limit: where" json '.feasible == null and .stopped_at == .decisions and .stopped_at >= 1'

# auto keeps what it has found: stopped during its second attempt or later, it answers with the best before.
awk 'BEGIN { print "id,lower,upper,size"; x = 1; for (i = 0; i < 4000; i++) { x = (x * 16807) % 2147483647; l = x % 4000; x = (x * 16807) % 2147483647; print i "," l "," l + 1 + x % 60 "," 64 * (1 + x % 911) } }' >"$tmp/several.csv"
met=no
for limit in 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048; do
    run plan "$tmp/several.csv" --time-limit $limit --format json
    [ "$(jq '.stopped_at != null and .stopped_at > 4001' "$tmp/out")" = true ] || continue
    met=yes
    check "stopped at $limit s: exit 0" exits 0
    check "stopped at $limit s: has a layout" json '.feasible == true and .optimal == false and (.placements | length) == 4000'
done
[ $met = yes ] || skip "auto was never stopped between its attempts"
finish
