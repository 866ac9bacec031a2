#!/usr/bin/env bash
# stowage trace -o NAME.trace: decision traces in files. What a trace says of layouts is tested in tests/unit/test_trace_write.c.
. "$(dirname "$0")/lib.bash"
example=$models/example1.json
trace=$tmp/run.trace
# asks FILTER: is it true of the array of all objects of the trace?
asks() { jq -es "$1" "$trace"; }
only() { same "$(find "$tmp" -name '*stowage*' -o -name '*.trace*' | sort | tr '\n' ' ')" "$1"; } # the traces and temporaries there are

for planner in $("$STOWAGE" list planners | awk '{print $1}'); do
    rm -f "$trace"
    run trace "$models/two_tiers.json" -p "$planner" --work 3000 -o "$trace" --state
    [ "$status" -eq 2 ] && complains "$planner needs " && continue
    check "$planner: exit 0, or 1 for a run that found nothing" [ "$status" -le 1 ]
    check "$planner: nothing is printed" silent
    check "$planner: an object a line" same "$(wc -l <"$trace")" "$(jq -c . "$trace" | wc -l)"
    check "$planner: header, graph, ..., end" asks '.[0]["stowage-trace"] == 1 and (.[1] | keys) == ["graph"] and (.[-1].end | . == "done" or . == "failed")
        and ([.[] | select(.end)] | length) == 1 and ([.[] | select(.["stowage-trace"])] | length) == 1'
    check "$planner: its planner, writer and seed" asks ".[0].planner == \"$planner\" and .[0].writer == \"stowage\" and .[0].parameters.seed == 1"
    check "$planner: candidates, then their decision, then states" asks '
        [.[2:-1][] | if has("candidate") then "c" elif has("decision") then "d" elif has("state") then "s" elif has("group") then "g"
        else "?" end] | add | test("^(g?c*ds*)*$")'
    check "$planner: as many as the plan counts" same "$(jq -s '[.[] | select(.decision)] | length' "$trace")" \
        "$("$STOWAGE" plan "$models/two_tiers.json" -p "$planner" --work 3000 --format json | jq .decisions)"
    check "$planner: with hardly any work, too" same "$("$STOWAGE" trace "$models/two_tiers.json" -p "$planner" --work 1 2>/dev/null | wc -l)" \
        "$("$STOWAGE" plan "$models/two_tiers.json" -p "$planner" --work 1 --format json | jq .decisions)"
done

# The last placements are those of the plan; and the sentences, the peaks and all candidates those of the lines.
rm -f "$trace"
run trace "$models/branches.json" -p lifetime-best-fit -o "$trace"
check "replayed, the placements of the plan" same \
    "$(jq -cs 'reduce (.[] | select(.decision)) as $d ({}; if $d.changes then reduce $d.changes[] as $c (.; .[$c.buffer] = $c.offset)
        elif $d.decision == "place" or $d.decision == "append" then .[$d.buffer] = $d.offset else . end) | to_entries | sort | map([.key, .value])' "$trace")" \
    "$("$STOWAGE" plan "$models/branches.json" -p lifetime-best-fit --format json | jq -c '[.placements[] | {key: .buffer, value: .offset}] | sort | map([.key, .value])')"
"$STOWAGE" trace "$models/branches.json" -p lifetime-best-fit >"$tmp/lines"
check "the same sentences" same "$(jq -r 'select(.decision) | .sentence' "$trace")" "$(jq -r .sentence "$tmp/lines")"
check "the same peaks" same "$(jq -r 'select(.decision) | .peak' "$trace")" "$(jq -r .peak "$tmp/lines")"
check "the same candidates" same "$(jq -c 'select(has("candidate")) | [.candidate, .size, .verdict, .reason]' "$trace")" \
    "$(jq -c '.candidates[] | [.offset, .size, .verdict, .reason]' "$tmp/lines")"
cp "$trace" "$tmp/first"
run trace "$models/branches.json" -p lifetime-best-fit -o "$trace"
check "the same bytes twice" cmp "$trace" "$tmp/first"

# ---- names ----
rm -f "$trace"
for name in run.trace run.trace.jsonl; do
    run trace "$example" -p lifetime -o "$tmp/$name"
    run trace "$example" -p lifetime -o "$tmp/$name.gz"
    check "$name.gz is compressed" same "$(head -c 2 "$tmp/$name.gz" | od -An -tx1)" " 1f 8b"
    check "$name.gz expands to $name" cmp <(gunzip -c "$tmp/$name.gz") "$tmp/$name"
    check "$name has a header" same "$(head -n 1 "$tmp/$name" | jq -c '.["stowage-trace"]')" 1
done
rm -f "$tmp"/run.trace*
run trace "$example" -p lifetime -o "$tmp/trace.jsonl"
check "any other name: the lines" cmp "$tmp/trace.jsonl" <("$STOWAGE" trace "$example" -p lifetime)
check "any other name: no trace" only ""
rm "$tmp/trace.jsonl"

# ---- the header ----
run trace "$example" -p random-order --seed 7 --set evaluations=3 -o "$trace"
check "settings as they were given" asks '.[0].parameters == {"seed":7,"evaluations":"3"} and .[0].model == "example1"'
check "the graph is the model" same "$(sed -n 2p "$trace" | jq -c .graph)" "$("$STOWAGE" convert "$example" -o "$tmp/graph.json" && jq -c . "$tmp/graph.json")"
rm "$tmp/graph.json"
check "without a planner that sees it otherwise" asks '.[0] | has("as_seen_by") | not'
run trace "$models/cpu_npu.lua" -p token-sharing -o "$trace"
check "a planner that sees it otherwise" asks '.[0].as_seen_by == "token-sharing"'

# ---- how it ended ----
run trace "$example" -p first-fit --capacity 4K -o "$trace"
check "infeasible: exit 1" exits 1
check "infeasible: one line" complains 'infeasible: '
check "infeasible: the trace all the same" asks '.[-1] == {"end":"done","peak":5120} and ([.[] | select(.decision)] | length) == 6'
run trace "$models/two_tiers.json" -p farthest-next-use -o "$trace"
check "a planner that gives up: exit 1" exits 1
check "a planner that gives up: why" asks '.[-1].end == "failed" and (.[-1].reason | length > 10) and ([.[] | select(.decision)] | length) > 0'
run trace "$example" -p lifetime-best-fit --work 10 -o "$trace"
check "a limit: exit 0" exits 0
check "a limit: where" asks '.[-1].end == "done" and .[-1].stopped_at == ([.[] | select(.decision)] | length)'
run trace "$models/mobilenet_v1_025_96.json" -p farthest-next-use --capacity 100K -o "$trace"
check "no addresses: said" asks '.[-1].no_addresses == true and .[-1].migration_bytes == 0'

# ---- what does not go with it ----
rm -f "$trace"
for words in "--from 2" "--to 3" "--where size>4" "--level decision" "--level run" "--base 0x1000" "--base 0"; do
    # shellcheck disable=SC2086
    refuses "$words" trace "$example" -o "$trace" $words because "${words%% *}: run.trace is to be a decision trace"
    check "$words: no trace" only ""
done
cp "$example" "$tmp/in.trace"
refuses "over its own input" trace "$tmp/in.trace" -o "$tmp/in.trace" because '.*in.trace is what is open here; it is not written over'
check "the input is as it was" cmp "$tmp/in.trace" "$example"
rm "$tmp/in.trace"
refuses "no such folder" trace "$example" -o "$tmp/no/run.trace" because "$tmp/no/run.trace: cannot write: No such file or directory"

# ---- the file is whole, or as it was ----
if [ -w /dev/full ]; then
    ln -s /dev/full "$tmp/full.trace"
    ln -s /dev/full "$tmp/full.trace.gz"
    for name in full.trace full.trace.gz; do
        refuses "a full device, $name" trace "$example" -o "$tmp/$name" because "$tmp/$name: cannot write: No space left on device"
    done
    rm "$tmp/full.trace" "$tmp/full.trace.gz"
else
    skip "no /dev/full"
fi
echo old >"$trace"
chmod 640 "$trace"
for name in run.trace new.trace new.trace.gz; do # no file may have more than 8 blocks of 1024 bytes
    (
        trap '' XFSZ
        ulimit -f 8
        exec "$STOWAGE" trace "$models/densenet121.lua" -p first-fit -o "$tmp/$name" >"$tmp/out" 2>"$tmp/err" </dev/null
    )
    status=$?
    check "no room in the middle, $name: exit 2" exits 2
    check "no room in the middle, $name: said" complains "$tmp/$name: cannot write: File too large"
    check "no room in the middle, $name: nothing but the old file" only "$trace "
done
check "the old file is as it was" same "$(cat "$trace")" old
awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 30000; i++) print i "," i % 50 "," 50 + i % 50 "," 64 * (1 + i * 7919 % 977) }' >"$tmp/large.csv"
for signal in INT TERM KILL; do
    "$STOWAGE" trace "$tmp/large.csv" -p greedy-by-size --progress always -o "$trace" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null && ! grep -q ' of 30000 placed' "$tmp/err"; do
        sleep 0.02
    done
    kill -$signal $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$?
    check "SIG$signal: the old file is as it was" same "$(cat "$trace")" old
    # Files without names are not there on every file system; then a program that is killed leaves its temporary.
    if [ "$signal" = INT ]; then
        check "SIGINT: exit 2" exits 2
        check "SIGINT: said" grep -qE '^stowage: interrupted at decision [0-9]+: no trace is written' "$tmp/err"
        check "SIGINT: nothing is left" only "$trace "
    elif ls "$tmp"/.stowage-* >/dev/null 2>&1; then
        skip "SIG$signal: this file system has no files without names"
        rm "$tmp"/.stowage-*
    fi
done
run trace "$example" -p lifetime -o "$trace"
check "over an old file" same "$(head -c 16 "$trace")" '{"stowage-trace"'
check "the mode of the old one" same "$(stat -c %a "$trace")" 640

# What was cut is what decisions say: not a table that has the same title, nor only where tables were written.
segments() { printf 'goto %s\npane segments\nwhole\n' "$2" >"$tmp/script" && run "$1" --script "$tmp/script" --screen 100x14; }
run trace "$SOURCE/tests/golden/models/migrate.json" -p segment-genetic --set choices=plain -o "$trace"
cut=$(jq -s '[.[] | select(.decision)] | map(.decision == "partition") | index(true) + 1' "$trace")
segments "$trace" "$cut"
check "segments of a replayed run" says 'recorded has cut 3 segments; nothing is assigned to them so far'
segments "$trace" $((cut - 1))
check "and before they are cut" says 'recorded has cut no tier into segments'
printf '%s\n' '{"stowage-trace":1,"planner":"mine"}' '{"buffer":"a","size":64,"first":0,"last":2}' \
    '{"decision":"place","buffer":"a","offset":0}' '{"state":"segments","columns":["segment","bytes"],"rows":[[0,64]]}' \
    '{"end":"done"}' >"$tmp/foreign.trace"
segments "$tmp/foreign.trace" 1
check "a foreign table called segments" says 'recorded has cut no tier into segments'

finish
