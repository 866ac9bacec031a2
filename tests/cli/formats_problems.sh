#!/usr/bin/env bash
# Problems of other planners: dsa-solver's JSON, MiniMalloc's and idealloc's tables.
. "$(dirname "$0")/lib.bash"

# planned FILE FILTER: every planner makes a valid plan of it; the summary holds what the filter says.
planned() {
    local name=${1##*/}
    for planner in first-fit best-fit greedy-by-size lifetime-best-fit branch-and-bound order-genetic auto; do
        run plan "$1" -p "$planner" --work 5000 -o "$tmp/plan.json"
        if complains "$planner needs one tier"; then
            continue
        fi
        check "$name, $planner: planned" exits 0
        run check "$1" "$tmp/plan.json"
        check "$name, $planner: valid" exits 0
    done
    run plan "$1" -p best-fit --format json
    check "$name: figures" json "$2"
    run plan "$1"
    check "$name: says what its intervals mean" says '^note: '
}
planned "$SOURCE/tests/fuzz/corpus/dsa_json/all" '.buffers == 5 and [.tiers[].name] == ["Vec", "Acc"] and (.placements | map(select(.buffer == "p")) | .[0].offset == 16)'
refuses "another version" plan "$tmp/x.json" because '.*x.json:1:20: version 3 of dsa-solver' < <(printf '{"schema_version": 3, "problem": {}}' >"$tmp/x.json")

# ---- tables ----
header() { printf '%s\na,0,4,8\nb,4,6,8\n' "$1" >"$tmp/t.csv"; }
bound() { run plan "$tmp/t.csv" "${@:2}" --format json; check "$1" json "$bytes"; }
header id,lower,upper,size
bytes='.lower_bound == 8' bound "upper is outside"
bytes='.lower_bound == 16' bound "unless it is said to be inside" --intervals inclusive
bytes='.lower_bound == 8 and .placements[0].first == 1 and .placements[0].last == 3' bound "or both are said to be outside" --intervals exclusive
header buffer_id,begin,end,size
bytes='.lower_bound == 16' bound "end is inside"
bytes='.lower_bound == 8' bound "unless it is said to be outside" --intervals half-open
run plan "$tmp/t.csv" --intervals half-open
check "a note says so" says '^note: --intervals half-open: the lower time is inside'
refuses "no such intervals" plan "$tmp/t.csv" --intervals open because '.*--intervals open: expected half-open, inclusive or exclusive'
refuses "a file that says itself" plan "$models/example1.json" --intervals inclusive because '.*--intervals: this file is no table'
header id,lower,upper,size
printf 'c,2,3,4\n' >>"$tmp/t.csv"
refuses "nothing between the ends" plan "$tmp/t.csv" --intervals exclusive because '.*t.csv:4:5: no time lies between lower and upper 3'
printf 'goto 1\nsave %s\n' "$tmp/session" >"$tmp/commands"
run "$tmp/t.csv" --intervals inclusive --write-anywhere --script "$tmp/commands" --screen 80x24
check "a session remembers" grep -qx 'intervals inclusive' "$tmp/session"
run "$tmp/session" --screen 80x24
check "and opens again" exits 0
printf '# pool_offset=4096\r\nid,lower,upper,size,align,hint,gaps,kind\r\na,0,8,64,16,-1,2-6,x\r\nb,2,6,64,1,0,,y\r\nc,0,8,16,1,,3-5@0:8 6-7,\r\n' >"$tmp/t.csv"
planned "$tmp/t.csv" '.lower_bound == 80 and .peak == 80'
run plan "$tmp/t.csv"
check "the pool's place is told" says '^note: the pool begins at 4096: offsets here count from there'
check "a column without a meaning is told" says '^note: column kind is not used'
printf 'id,lower,upper,size\na,0:1,2:0,8\n' >"$tmp/t.csv"
refuses "vector clocks" plan "$tmp/t.csv" because ".*t.csv:2:3: lower '0:1' is not a whole number"
printf 'notes\n' >"$tmp/commands"
run "$SOURCE/tests/fuzz/corpus/dsa_json/all" --script "$tmp/commands" --screen 100x30
check "all notes in the explorer" says 'only the peak counts here'

if [ ! -d "$data" ]; then
    skip "there is no $data: problems of other planners are not opened"
    finish
    exit
fi
for file in "$data"/dsa/*_v1.json "$data"/dsa/multi*.json "$data"/dsa/pypto*.json; do
    [ -f "$file" ] || continue
    planned "$file" '.feasible and ([.tiers[] | .capacity == null or .peak <= .capacity] | all)'
done
while read -r file buffers bound; do
    [ -f "$data/idealloc/$file.csv" ] || continue
    run plan "$data/idealloc/$file.csv" -p best-fit --format json
    check "$file" json ".buffers == $buffers and .lower_bound == $bound"
done <<'Y'
iopddl_G_1 816 3030937746
somas_resnet50 1042 1515472556
Y
finish
