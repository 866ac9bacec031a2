#!/usr/bin/env bash
# export -o NAME.perfetto.json: runs of planners and allocators, moments, infeasible ones; the rules of the format and the figures of the
# summary are checked by trace_events.py.
. "$(dirname "$0")/lib.bash"
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    finished=yes
    exit 77
}
cd "$tmp" || exit 1
files=() count=0
events() { # EXPECTED-STATUS ARGUMENT...
    local wanted=$1
    shift
    count=$((count + 1))
    run plan "$@" --format json
    cp out "$count.plan"
    run export "$@" -o "$count.perfetto.json"
    check "export $*: exit $wanted" exits "$wanted"
    files+=("$count.perfetto.json" "$count.plan")
}
for planner in lifetime-best-fit greedy-by-size tflm-greedy token-sharing branch-and-bound order auto; do
    events 0 "$models/mobilenet_v1_025_96.json" -p "$planner"
done
events 0 "$models/example1.json" -p order-genetic --seed 7
events 0 "$models/example1.json" -p segment-genetic --capacity 7K
events 0 "$models/two_tiers.json" -p tier-search
events 0 "$models/two_cores.lua" --base 0x20000000
events 0 "$models/densenet121.lua" -p first-fit
for planner in cuda-caching bfc-arena tlsf buddy free-list ggml-dyn; do
    events 0 "$models/out_of_memory.csv" -p "$planner"
done
events 1 "$models/mobilenet_v1_025_96.json" -p first-fit --capacity 50K
events 0 "$models/out_of_memory_moment.log"
printf 'id,lower,upper,size\na,-4000000000000000000,1,64\nb,0,4000000000000000000,64\n' >long.csv
events 0 long.csv -p first-fit
printf 'id,lower,upper,size\n' >none.csv
events 0 none.csv
# Names from strangers.
printf '{"format":"stowage-graph","version":1,"name":"\\u202e\\"<script>","operators":[{"name":"\\n\\\\","inputs":["\\u0007"],"outputs":["</script>"]}],"buffers":[{"name":"\\u0007","kind":"input","size":7},{"name":"</script>","size":9,"output":true}]}' >strange.json
events 0 strange.json -p best-fit
run export "$models/example1.json" -o zipped.perfetto.json.gz
run plan "$models/example1.json" --format json
cp out zipped.plan
files+=(zipped.perfetto.json.gz zipped.plan)
"$STOWAGE" trace "$models/example1.json" -p best-fit -o run.trace
events 0 run.trace
# Every input that a reader is fuzzed with: what plan takes is written as events, too.
for file in $(find "$SOURCE"/tests/fuzz/corpus -type f -not -path '*/lua/*' -not -path '*/session/*' | LC_ALL=C sort | awk 'NR % 5 == 2'); do
    "$STOWAGE" plan "$file" --format json --config none >"corpus.plan" 2>/dev/null </dev/null
    wanted=$?
    [ "$wanted" != 2 ] || continue
    count=$((count + 1))
    mv corpus.plan "$count.plan"
    run export "$file" -o "$count.perfetto.json"
    check "$(basename "$(dirname "$file")")/$(basename "$file") as events" exits "$wanted"
    files+=("$count.perfetto.json" "$count.plan")
done
python3 "$SOURCE/tests/cli/trace_events.py" "${files[@]}" >faults
check "all keep the rules of the format, and have the figures of the summary" same "" "$(grep -B1 '^  ' faults)"
check "they were looked at" same "$((${#files[@]} / 2))" "$(grep -c '^[^ ]' faults)"
sed 's/"size":36864/"size":36865/' 2.perfetto.json >wrong.perfetto.json
check "a byte that is wrong is found" same 1 "$(python3 "$SOURCE/tests/cli/trace_events.py" wrong.perfetto.json 2.plan | grep -c placements)"

# What they say.
event() { jq -c "[.traceEvents[] | select($1)]" "$2"; }
check "an operator, with what is live" same 55296 "$(event '.name == "pw_1"' 2.perfetto.json | jq '.[0].args.live_bytes')"
check "the decision that sets the peak" same 64512 "$(event '.cat == "planner" and .ph == "C"' 2.perfetto.json | jq 'map(.args.bytes) | max')"
check "its sentence" same "places dw_1_out (18,432 B) at memory+46080: no gap between blocks fits, so it goes above them" \
    "$(event '.name == "place dw_1_out"' 2.perfetto.json | jq -r '.[0].args.sentence')"
check "a base is added to offsets" same true "$(event '.cat == "buffers"' 11.perfetto.json | jq 'all(.args.offset >= 536870912)')"
check "an allocator's reserved bytes rise and fall" same true "$(event '.name == "reserved bytes"' 13.perfetto.json | jq 'map(.args.bytes) | length > 3 and .[0] < max')"
check "why there is no plan" same true "$(jq '.otherData.fault | contains("does not fit")' 19.perfetto.json)"
check "long times are steps" same "a step of the model; a decision of the planner" "$(jq -r .otherData.microsecond 21.perfetto.json)"
check "a moment is told in bytes" same "1 byte of address" "$(jq -r .otherData.microsecond 20.perfetto.json)"
cp 2.perfetto.json once.perfetto.json
run export "$models/mobilenet_v1_025_96.json" -p greedy-by-size -o 2.perfetto.json
check "the same bytes every time" cmp once.perfetto.json 2.perfetto.json

# What is refused, and full disks.
for option in "--step 3" "--steps 1:2" "--view live" "--theme dark" "--size a4" "--title x" "--highlight b0" "--time 0:1" "--units kib" "--dpi 72" "--scale 2"; do
    # shellcheck disable=SC2086
    refuses "$option" export "$models/example1.json" $option -o no.perfetto.json because "${option% *}: no.perfetto.json is to be trace events, which have the whole run$"
done
refuses "another name" export "$models/example1.json" -o run.json because "run.json: a picture's name ends in .svg, .png, .pdf or .html, that of trace events in .perfetto.json$"
refuses "no folder" export "$models/example1.json" -o "$tmp/none/run.perfetto.json" because '.*: cannot write: No such file'
ln -s /dev/full full.perfetto.json
refuses "a full disk" export "$models/densenet121.lua" -p first-fit -o full.perfetto.json because 'full.perfetto.json: cannot write: No space left on device$'
check "nothing is left" same "" "$(ls | grep '^no\.')"
finish
