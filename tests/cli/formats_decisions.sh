#!/usr/bin/env bash
# Decision traces opened by the program: every subcommand on them, and runs that are wrong are never called right.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

"$STOWAGE" trace "$models/branches.json" -p greedy-by-size -o run.trace
"$STOWAGE" trace "$models/two_tiers.json" -p tier-search -o tiers.trace
cat >good.trace <<'EOF'
{"stowage-trace":1,"planner":"theirs","model":"two","version":"0.9"}
{"buffer":"a","size":8,"first":0,"last":3}
{"buffer":"b","size":8,"first":2,"last":5}
{"group":"pass 1"}
{"candidate":0,"verdict":"chosen","reason":"the lowest"}
{"decision":"place","buffer":"a","offset":0,"reason":"the lowest","source":"planner.cc:120","figures":{"score":1.5}}
{"candidate":0,"verdict":"refused","blocker":"a"}
{"candidate":8,"size":null,"verdict":"chosen"}
{"decision":"place","buffer":"b","offset":8}
{"end":"done","peak":16}
EOF
grep -v '"end"' good.trace >cut.trace
printf '{"decision":"mo' >>cut.trace
{ grep -v '"end"' good.trace; echo '{"decision":"move","buffer":"b","offset":4}'; echo '{"end":"done","peak":12}'; } >overlap.trace
# Its peak is that of the best plan, and it is wrong all the same.
{ grep -v '"end"' good.trace; echo '{"buffer":"c","size":4,"first":3,"last":3}'; echo '{"decision":"place","buffer":"c","offset":6}'
    echo '{"buffer":"d","size":4,"first":3,"last":3}'; echo '{"decision":"place","buffer":"d","offset":20}'; echo '{"end":"done"}'; } >bound.trace
sed 's/^{"end".*/{"end":"failed","reason":"no room for b"}/' good.trace >failed.trace
sed '/"offset":8/d' good.trace >unplaced.trace
{ head -n 1 good.trace; echo '{"tier":"sram","capacity":12,"alignment":1}'; tail -n +2 good.trace; } >full.trace

# ---- plan ----
run plan run.trace
check "plan: exit 0" exits 0
check "plan: decisions of which planner" says '^note: a trace of greedy-by-size: 23 decisions$'
check "plan: recorded" says '^recorded \(greedy-by-size\), seed 1: 23 decisions'
"$STOWAGE" plan "$models/branches.json" -p greedy-by-size --format json | jq '[.peak, .optimal, .feasible, .placements]' >wanted
run plan run.trace --format json
check "plan: the same plan" cmp <(jq '[.peak, .optimal, .feasible, .placements]' out) wanted
gzip -c run.trace >run.trace.gz
run plan run.trace.gz --format json
check "plan: compressed" cmp <(jq '[.peak, .optimal, .feasible, .placements]' out) wanted
for file in run.trace run.trace.gz; do
    "$STOWAGE" plan - --format json <$file >out 2>err
    check "plan: $file from standard input" cmp <(jq '[.peak, .optimal, .feasible, .placements]' out) wanted
done
run plan run.trace -o plan.csv
"$STOWAGE" plan "$models/branches.json" -p greedy-by-size -o wanted.csv
check "plan: as a table" cmp plan.csv wanted.csv
run plan good.trace
check "plan: a foreign trace" exits 0
check "plan: its version" says '^note: a trace of theirs 0.9: 2 decisions$'
check "plan: the bound" says 'peak +16 B .*optimal: it is the bound$'
run plan cut.trace
check "plan: cut, but all is placed: exit 0" exits 0
check "plan: the end is missing" says '^note: the end of the run is missing'
check "plan: the last line is cut" says '^note: the last line, 10, is cut and is left out$'
run plan good.trace -p best-fit --format json
check "plan: with a planner of ours" json '.planner == "best-fit" and .peak == 16 and .feasible'
run plan tiers.trace --format json
check "plan: two memories" json '.feasible and (.tiers | map(.peak)) == [70, 120]'
"$STOWAGE" trace "$models/two_tiers.json" --capacity 140 -p farthest-next-use -o far.trace
"$STOWAGE" plan "$models/two_tiers.json" --capacity 140 -p farthest-next-use --format json | jq '[.peak, .feasible, .migration_bytes, .tiers, .placements, .transfers]' >wanted
run plan far.trace --format json
check "plan: moves between memories" cmp <(jq '[.peak, .feasible, .migration_bytes, .tiers, .placements, .transfers]' out) wanted
check "plan: there are some" json '.migration_bytes > 0'

# ---- what is wrong is not called right ----
wrong() { # FILE WHY FEASIBLE
    local name=${1%.trace}
    run plan "$1"
    check "$name: exit 1" exits 1
    check "$name: why" says "$2"
    check "$name: not optimal" same "" "$(grep optimal out)"
    run plan "$1" --format json
    check "$name: JSON: exit 1" exits 1
    check "$name: JSON" json ".feasible == $3 and .optimal == false"
    check "$name: standard error" complains "$2"
    run plan "$1" --format csv
    check "$name: CSV" same "$(tail -n 1 out | cut -d, -f9,10)" "${3/null/},false"
    run plan "$1" -o "$name.csv"
    check "$name: no plan is written" [ ! -e "$name.csv" ]
    run compare "$1" -p recorded,first-fit
    check "$name: compare tells why" grep -q "^recorded: $2" <(unbroken out)
    check "$name: compare: no star" same "" "$(grep '^recorded .*\*' out)"
    run compare "$1" -p recorded --format json
    check "$name: compare: exit 1" exits 1
    run compare "$1" -p recorded --format csv
    check "$name: compare: CSV" same "$(tail -n 1 out | cut -d, -f2,3)" "${3/null/},false"
    run trace "$1"
    check "$name: trace: exit 1" exits 1
    run trace "$1" -o "again.trace"
    check "$name: trace -o: exit 1" exits 1
    run export "$1" -o "$name.svg"
    check "$name: export: exit 1" exits 1
    check "$name: the picture says it" grep -q "${2#*: }" "$name.svg"
    run export "$1" --view report -o "$name.pdf"
    check "$name: report: exit 1" exits 1
}
wrong overlap.trace "infeasible: a and b share bytes 4..8 of memory at time 2" false
wrong bound.trace "infeasible: a and c share bytes 6..8 of memory at time 3" false
wrong failed.trace "infeasible: the recorded run found no layout: no room for b" false
wrong unplaced.trace "infeasible: b has no place at time 2" false
sed '/"end"/d' unplaced.trace >open.trace
wrong open.trace "undecided: the recorded run breaks off at decision 1 before every buffer had a place" null
run plan full.trace
check "full: exit 1" exits 1
check "full: why" says '^infeasible: b \(8 B\) does not fit into sram at time 2, decision 2$'
run plan overlap.trace
check "a peak that differs" same "" "$(grep 'says that its peak' out)"
sed 's/"peak":12/"peak":16/' overlap.trace >other.trace
run plan other.trace
check "a peak that differs is noted" says '^note: the trace says that its peak is 16 B, and its decisions come to 12 B$'
run export good.trace --view text -o good.svg
check "the picture of a good plan" [ "$status" -eq 0 ] 
if command -v pdftotext >/dev/null; then
    "$STOWAGE" export bound.trace --view report -o bound.pdf 2>err
    check "the report does not call it optimal" same "no: the plan breaks a rule" "$(pdftotext -layout bound.pdf - | sed -n 's/^.*optimal  *\(no: the plan breaks a rule\).*/\1/p')"
    "$STOWAGE" export good.trace --view report -o good.pdf
    check "the report of a good plan" same "yes: it is the lower bound" "$(pdftotext -layout good.pdf - | sed -n 's/^.*optimal  *\(yes: it is the lower bound\).*/\1/p')"
else
    skip 'no pdftotext: the words of a report'
fi

# ---- compare, check, diff, convert ----
run compare run.trace -p recorded,greedy-by-size --format json
check "compare: like the planner itself" same "$(jq -c '[.. | objects | select(.planner) | .peak] | unique | length' out)" 1
run check "$models/branches.json" run.trace
check "check: a trace as a plan" exits 0
check "check: valid" says '^run.trace: valid, 23 buffers, peak 40960, bound 40960$'
run check run.trace plan.csv
check "check: a plan for a trace" exits 0
run check "$models/two_tiers.json" tiers.trace
check "check: a trace with moves" exits 0
run check good.trace overlap.trace
check "check: exit 1" exits 1
check "check: the fault" says '^a and b share bytes 4\.\.8 of memory at time 2$'
run check good.trace unplaced.trace --format json
check "check: without a place" json '.valid == false and .faults[0].kind == "missing"'
refuses "check: a trace that is none" check good.trace <(echo '{"stowage-trace":1}') because '.*:1:1: the header of a trace names its planner$'
run diff good.trace overlap.trace
check "diff: what moved" says '^  moved +b  8 -> 4$'
check "diff: where they part" says '^They part at decision 3: the old run has ended;'
check "diff: what is wrong" says '^the plan in overlap.trace has 1 fault,'
run diff overlap.trace good.trace
check "diff: more is needed" exits 1
run diff run.trace run.trace.gz
check "diff: the same" says '^no buffer changed;'
run convert run.trace -o graph.json
check "convert: a graph" exits 0
run check graph.json run.trace
check "convert: the graph of the trace" exits 0
run convert run.trace -o buffers.csv
check "convert: a table" exits 0
refuses "convert: no trace" convert run.trace -o other.trace because '.*run.trace: this is no log of decisions'

# ---- trace ----
"$STOWAGE" trace "$models/branches.json" -p greedy-by-size >lines
run trace run.trace
check "trace: the same lines" cmp out lines
run trace run.trace -o twice.trace
run trace twice.trace
check "trace: a trace of a trace" cmp out lines
run trace good.trace --from 2
check "trace: candidates" json '.candidates | map([.offset, .verdict]) == [[0, "refused"], [8, "chosen"]]'

# ---- runs ----
cat good.trace overlap.trace >two.trace
run plan two.trace
check "runs: the last one" says '^note: the trace has 2 runs: this is run 2'
check "runs: exit 1" exits 1
run plan two.trace --run 1
check "runs: the first" exits 0
refuses "runs: a third" plan two.trace --run 3 because '.*two.trace: --run 3: this trace has 2 runs$'

# ---- pictures of all views ----
for view in $("$STOWAGE" list views | awk '$1 !~ /^(moment|moment-map|sizes)$/ {print $1}'); do # those are about files without times
    for trace in run tiers good; do
        extension=svg
        [ "$view" = report ] && extension=pdf
        run export $trace.trace --view "$view" -o "$view.$extension"
        check "export: $view of $trace" [ "$status" -eq 0 ] 
        check "export: $view of $trace is there" [ -s "$view.$extension" ]
        check "export: $view of $trace: calm" calm
        rm -f "$view.$extension"
    done
done
run export good.trace --steps 0:end -o steps.svg
check "export: its steps" exits 0

# ---- refusals ----
sed 's/"size":8,"first":0/"size":9223372036854775808,"first":0/' good.trace >large.trace
refuses "a size that is too large" plan large.trace because '.*large.trace:2:22: size must be a whole number from 0 to 2305843009213693952$'
sed '3s/.*/{"buffer":/' good.trace >broken.trace
refuses "a broken line" plan broken.trace because '.*broken.trace:3:11: here should be a value$'
refuses "no header" plan <(printf '{"buffer":"a","size":1}\n{"end":"done"}\n') because '.*'
printf '{"stowage-trace":1,"planner":"\\u001b[31m","model":"\\u202e\\u0007"}\n{"buffer":"\\u001b]0;x","size":1,"first":0,"last":0}\n{"decision":"\\u001b[2J","buffer":"\\u001b]0;x","reason":"\\u0007"}\n' >hostile.trace
for command in plan compare trace; do
    run $command hostile.trace
    check "$command: nothing that acts on a terminal" same "" "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f]' out | grep -v '^0$')"
done

finish
