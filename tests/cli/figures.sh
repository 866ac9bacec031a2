#!/usr/bin/env bash
# One run, one set of figures: what the outputs say of a run at its end is parsed and compared, to the byte. Every planner over
# every model that ships and every shared file with STOWAGE_LONG, else a fixed share.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# Each output is read into lines `figure value`, of figures that it tells: peak, bound, optimal, cost, migration, decisions, over,
# fragmentation in bytes, as numbers or as they are shown (shown-peak 54K). Of several tiers: a peak each.

# The reference: the summary as JSON.
of_json() {
    jq -r '"bound \(.lower_bound)", "optimal \(.optimal)", "decisions \(.decisions)", "naive \(.naive)",
        (if .peak != null then "peak \(.peak)" else "peak -" end),
        (.tiers[] | "tier-\(.name) \(.peak)"),
        (if .cost != null then "cost \(.cost)" else "cost -" end),
        (if .migration_bytes != null then "migration \(.migration_bytes)", "moves \(.transfers | length)" else "migration -" end),
        "tiers \([.tiers[].peak | tostring] | join(" + "))"' "$1"
}
of_csv() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 {
        print "bound " $at["lower_bound"]; print "naive " $at["naive"]; print "optimal " $at["optimal"]; print "decisions " $at["decisions"]
        print "peak " ($at["peak"] == "" ? "-" : $at["peak"]); print "tiers " $at["tier_peaks"]
        print "cost " ($at["cost"] == "" ? "-" : $at["cost"]); print "migration " ($at["migration_bytes"] == "" ? "-" : $at["migration_bytes"]) }' "$1"
}
# "  peak             54 KiB          55,296 B   remark"; the label is two blanks from what follows.
of_text() {
    awk 'function exact(line) { match(line, /[0-9,]+ B( |$)/); x = substr(line, RSTART, RLENGTH); sub(/ B.*/, "", x); gsub(/,/, "", x); return x }
        function shown(line) { match(line, /[0-9.]+ ([KMGTP]i)?B /); x = substr(line, RSTART, RLENGTH); gsub(/[ iB]/, "", x); return x }
        # The exact bytes are the second figure of the line.
        function second(line) { match(line, /[0-9.]+ ([KMGTP]i)?B +/); return exact(substr(line, RSTART + RLENGTH)) }
        /^  peak (reserved)?  / { print "peak " second($0); print "shown-peak " shown($0); print "optimal " (/optimal:/ ? "true" : "false") }
        /^  lower bound  / { print "bound " second($0); print "shown-bound " shown($0) }
        /^  without reuse  / { print "naive " second($0) }
        /^  migration  / { print "migration " second($0) }
        /^  cost  / { print "cost " $2 }
        / decisions in / { match($0, /: [0-9,]+ decisions/); x = substr($0, RSTART + 2, RLENGTH - 12); gsub(/,/, "", x); print "decisions " x }' "$1"
}
# The header's figures, of one memory; and what blame says below it.
of_frame() {
    awk 'NR == 1 && match($0, / peak [0-9.]+[KMGTP]?/) { split(substr($0, RSTART + 1, RLENGTH - 1), w, " "); print "shown-peak " w[2]
            if (match($0, / bound [0-9.]+[KMGTP]?/)) { split(substr($0, RSTART + 1, RLENGTH - 1), w, " "); print "shown-bound " w[2] } }
        NR == 1 && match($0, / trial /) { print "trial at-the-end" }
        function exact(line, word) { if (match(line, word " [0-9.]+[KMGTP] \\([0-9,]+ B\\)")) { x = substr(line, RSTART, RLENGTH); sub(/.*\(/, "", x); sub(/ B.*/, "", x) }
            else if (match(line, word " [0-9]+ B")) { x = substr(line, RSTART + length(word) + 1, RLENGTH); sub(/ B.*/, "", x) } else return ""
            gsub(/,/, "", x); return x }
        /^ The peak is / { x = exact($0, "peak is"); if (x != "") print "peak " x }
        /^ The lower bound of / { x = exact($0, "bound of"); if (x != "") print "bound " x }
' "$1"
}
of_footer() {
    awk '/the peak of [0-9.]+[KMGTP]?( B)? was set here/ { match($0, /the peak of [0-9.]+[KMGTP]?/); split(substr($0, RSTART, RLENGTH), w, " "); print "shown-peak " w[4] }
        /the peak of this trial, .* was set here/ { print "trial at-the-peak" }' "$1"
}
# "Peak 55,296 bytes (54 KiB), lower bound 55,296 bytes (54 KiB), which is reached; ..."
of_caption() {
    grep -oE 'Peak [0-9,]+ bytes[^<]*' "$1" | head -n 1 | awk '{
        x = $2; gsub(/,/, "", x); print "peak " x
        if (match($0, /lower bound [0-9,]+ bytes/)) { split(substr($0, RSTART, RLENGTH), w, " "); gsub(/,/, "", w[3]); print "bound " w[3] }
        }'
}
# The row of the current run, side by side with another; of several memories it has no bound.
of_beside() {
    awk '/^>1 / && match($0, /[0-9,]+, end +[0-9.]+[KMGTP]? +[0-9.]+[KMGTP]? /) { split(substr($0, RSTART, RLENGTH), w, /,? +/)
        gsub(/,/, "", w[1]); print "decisions " w[1]; print "shown-peak " w[3]; print "shown-bound " w[4] }' "$1"
}
# "402 moves of 91.3M. Migration ..."
of_moves() { sed -nE 's/^ ([0-9,]+) moves? of .* Migration .*/moves \1/p' "$1" | tr -d ,; }
# Where the card says that a buffer lies: "at memory+18,432".
of_card() { sed -nE 's/^ at ([^ ]+\+[0-9,]+) *$/place \1/p' "$1" | tr -d ,; }
# "Peaks: first-fit 54 KiB, at the bound; best-fit 54.02 KiB, ...": a comparison drawn, with as many digits as tell the peaks apart.
# Its figure is the exact one when that rounds to it.
of_picture() {
    local exact
    exact=$(sed -n 's/^peak //p' facts)
    grep -oE '>Peaks: [^<]*' "$1" | head -n 1 | sed 's/^>Peaks: //; s/\.$//' | tr ';' '\n' | awk -v p="$2" -v exact="$exact" '
        $1 == p && $3 ~ /^([KMGTP]i)?B,/ { x = $2; gsub(/,/, "", x); unit = 1024 ^ index("KMGTP", substr($3, 1, 1))
            if (substr($3, 1, 1) == "B") unit = 1
            digits = index(x, ".") ? length(x) - index(x, ".") : 0
            print "peak " (sprintf("%.*f", digits, exact / unit + 1e-9) == x ? exact : $2 " " $3) }'
}
# A row of compare as JSON, and as CSV; the table is compared with the CSV.
of_row() {
    jq -r --arg p "$2" '.lower_bound as $bound | .planners[] | select(.planner == $p) | "optimal \(.optimal)", "decisions \(.decisions)",
        (if .peak != null then "peak \(.peak)" else "peak -" end), (if .cost != null then "cost \(.cost)" else "cost -" end),
        (if .migration_bytes != null then "migration \(.migration_bytes)" else "migration -" end)' "$1"
}
of_line() {
    awk -F, -v p="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == p {
        print "optimal " $at["optimal"]; print "decisions " $at["decisions"]
        print "cost " ($at["cost"] == "" ? "-" : $at["cost"]); print "migration " ($at["migration_bytes"] == "" ? "-" : $at["migration_bytes"])
        print ($at["peak"] ~ /\+/ ? "tiers " : "peak ") ($at["peak"] == "" ? "-" : $at["peak"]) }' "$1"
}
of_lua() { awk -v p="$2" '$1 == p { print $2, $3 }' "$1"; }

# The reference in every form in which an output may tell it.
reference() {
    { of_json "$1"; of_text "$2" | grep ^shown; } | awk '{ print } $1 == "cost" && $2 != "-" { printf "cost10 %.10g\n", $2 }'
}
# agrees OUTPUT: every line of ./told stands in ./facts, and something is told.
agrees() { ! grep -vxFf facts told; }
told() {
    local output=$1
    shift
    "$@" >told
    check "$run: $output" agrees
    if [ ! -s told ]; then
        empty=$((empty + 1))
    fi
}
empty=0 runs=0
# The program, and a note of each run of it that a signal ends.
program() {
    local status=0
    "$STOWAGE" "$@" || status=$?
    [ $status -lt 128 ] || echo "$run: $*: status $status" >>crashes
    return $status
}
: >crashes

cat >all.lua <<'LUA'
-- Every planner that applies, and what the result says.
return {
  name = "all",
  cases = function(args) return {{model = args.model, capacity = args.capacity, work = args.work, planners = args.planners}} end,
  run = function(case)
    local lines = {}
    for planner in case.planners:gmatch("[^,]+") do
      local r = stowage.load(case.model):plan{planner = planner, capacity = tonumber(case.capacity), work = tonumber(case.work)}
      local function say(key, value) lines[#lines + 1] = planner .. " " .. key .. " " .. tostring(value) end
      say("bound", r.lower_bound)
      say("optimal", r.optimal)
      say("decisions", r.decisions)
      local several = 0
      for _, peak in pairs(r.tier_peaks or {}) do several = several + (peak > 0 and 1 or 0) end
      if r.peak and several == 1 then say("peak", r.peak) end
      if r.cost then say("cost10", ("%.10g"):format(r.cost)) end
      if r.migration_bytes then say("migration", r.migration_bytes) end
    end
    return {text = table.concat(lines, "\n")}
  end,
  report = function(rows, out) out:text(rows[1].text) end,
}
LUA

# one MODEL PLANNER [OPTION...]: all outputs of one run.
one() {
    local model=$1 planner=$2
    shift 2
    run="$(basename "$model") -p $planner $*"
    runs=$((runs + 1))
    program plan "$model" -p "$planner" "$@" --format json >a.json 2>err || return 0 # infeasible: there is no plan to tell of
    program plan "$model" -p "$planner" "$@" >a.txt 2>>err
    program plan "$model" -p "$planner" "$@" --format csv >a.csv 2>>err
    reference a.json a.txt >facts
    told "the summary" of_text a.txt
    told "CSV" of_csv a.csv
    printf 'last\npane blame\nwhole\nsave a.sess\n' >s.txt
    rm -f a.sess
    program "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
    told "the explorer" of_frame frame
    program a.sess --screen 200x60 >frame2 2>>err
    told "its session again" of_frame frame2
    program a.sess --format json >s.json 2>>err
    told "the session's summary" of_json s.json
    printf 'goto-peak\nlast\n' >s.txt
    program "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
    told "there and back" of_frame frame
    printf 'goto-peak\n' >s.txt
    program "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
    told "where the peak was set" of_footer frame
    program export "$model" -p "$planner" "$@" -o a.svg 2>>err
    told "the caption" of_caption a.svg
    printf 'last\ncompare %s\n' "$([ "$planner" = first-fit ] && echo best-fit || echo first-fit)" >s.txt
    program "$model" -p "$planner" "$@" --script s.txt --screen 200x40 >frame 2>>err
    told "side by side" of_beside frame
    if grep -q '^moves ' facts; then
        printf 'last\npane segments\nwhole\n' >s.txt
        program "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
        told "the pane of segments" of_moves frame
    fi
    if ! grep -q "^$planner: stopped after .* the limit of a comparison" c.txt; then # else it is another run, and it is said
        told "compare as a picture" of_picture c.svg "$planner"
        told "compare as JSON" of_row c.json "$planner"
        told "compare as CSV" of_line c.csv "$planner"
        told "compare as a table" of_table c.txt "$planner"
    fi
    [ -s lua.txt ] && told "Lua" of_lua lua.txt "$planner"
    [ "$(jq '.placements | length' a.json)" = 0 ] && return # a reference places nothing
    name=$(jq -r '[.placements[] | select(.size > 0)] | .[length / 2 | floor].buffer' a.json)
    jq -r --arg n "$name" '.placements[] | select(.buffer == $n) | "place \(.tier)+\(.offset)"' a.json >>facts
    printf 'last\npane card\nwhole\nselect "%s"\n' "$name" >s.txt
    program "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
    told "the card of $name" of_card frame
    if command -v pdftotext >/dev/null; then
        program export "$model" -p "$planner" "$@" --view report -o a.pdf 2>>err && pdftotext -layout a.pdf r.txt
        told "the report" of_report r.txt
    fi
}
# "best-fit   55,296*   0.0%": peaks of one memory.
of_table() {
    unfold "$1" | awk -v p="$2" '$1 == p && $2 ~ /^[0-9,]+[*+]?$/ && $3 != "+" { x = $2; print "optimal " (x ~ /[*+]/ ? "true" : "false"); gsub(/[,*+]/, "", x); print "peak " x }'
}
of_report() {
    awk '/^ *peak +[0-9,]+ bytes/ { x = $2; gsub(/,/, "", x); print "peak " x } /^ *lower bound +[0-9,]+ bytes/ { x = $3; gsub(/,/, "", x); print "bound " x }
        /^ *cost E / { print "cost " $3 } /^ *optimal +(yes|not proved|no)/ { print "optimal " ($2 == "yes:" ? "true" : "false") }' "$1"
}

# all MODEL PLANNERS [OPTION...]: one comparison, one script, and each run by itself. PLANNERS: all, or names with commas.
all() {
    local model=$1 planners=$2 planner list
    shift 2
    local which=()
    [ "$planners" != all ] && which=(-p "$planners")
    program compare "$model" "${which[@]}" "$@" --format json >c.json 2>err
    program compare "$model" "${which[@]}" "$@" --format csv >c.csv 2>err
    program compare "$model" "${which[@]}" "$@" >c.txt 2>err
    program compare "$model" "${which[@]}" "$@" -o c.svg 2>err
    # A run that a limit stops goes on in the explorer.
    list=$(jq -r '.planners[] | select(.feasible and .complete and .stopped_at == null) | .planner' c.json)
    [ -z "$list" ] && return
    : >lua.txt
    if [ "${1-}" != --tiers ]; then
        program run all.lua model="$model" planners="$(echo "$list" | tr '\n' ',')" $([ "${1-}" = --capacity ] && echo "capacity=$(numfmt --from=iec "$2")") \
            $([ "${1-}" = --work ] && echo "work=$2") \
            >lua.txt 2>err
        check "$(basename "$model"): Lua tells of its runs" [ -s lua.txt ]
    fi
    for planner in $list; do
        one "$model" "$planner" "$@"
    done
}

# alone MODEL PLANNER [OPTION...]: an allocator, which compare tells of in figures of its own.
alone() {
    : >c.json >c.csv >c.txt >c.svg >lua.txt
    one "$@"
}

all "$models/mobilenet_v1_025_96.json" auto,improve,branch-and-bound,order-genetic
all "$models/densenet121.lua" random-order,order-genetic --work 2000 # they spend it themselves
all "$models/two_tiers.json" tier-search,auto
all "$models/train_cnn.lua" segment-genetic,farthest-next-use --capacity 30M
alone "$models/out_of_memory.csv" bfc-arena
if [ -d "$data" ]; then
    alone "$data/pytorch/train_512.pickle.gz" cuda-caching
    all "$data/pytorch/train_512.pickle.gz" first-fit
else
    skip "the shared files: there is no $data"
fi
if [ -n "${STOWAGE_LONG-}" ]; then
    for model in "$models"/*; do
        case $model in *.md | */out_of_memory.csv) continue ;; esac
        all "$model" all
        all "$model" segment-genetic,farthest-next-use,auto,branch-and-bound --capacity 1M
    done
    for model in "$data"/tflite/*.tflite "$data"/onnx/*.onnx "$data"/minimalloc/*.csv "$data"/pytorch/*.pickle*; do
        [ -e "$model" ] && all "$model" all --work 2000000 # no planner goes on until it has a proof
    done
fi
# first MODEL [OPTION...]: where nothing fits, which block is named, and the decision that put it there.
first() {
    run="$(basename "$1") $*"
    program plan "$@" >a.txt 2>err
    grep -oE '^infeasible: [^ ]+' a.txt | cut -d ' ' -f 2 >block
    grep -oE '^infeasible: .*, decision [0-9,]+$' a.txt | grep -oE '[0-9,]+$' >decision
    printf 'last\npane blame\nwhole\n' >s.txt
    program "$@" --script s.txt --screen 200x60 >frame 2>>err
    check "$run: blame names the block" grep -q "^ $(cat block) does not fit" frame
    check "$run: blame names the decision" grep -q "^ Decision $(cat decision) put it above" frame
    program compare "$@" >c.txt 2>>err
    check "$run: compare names the block" grep -q "infeasible: $(cat block) does not fit" c.txt
    program export "$@" -o a.svg 2>>err
    check "$run: a picture names the block" grep -q "nfeasible: $(cat block) does not fit" a.svg
    program compare "$@" -o c.svg 2>>err
    check "$run: compare as a picture names the block" grep -q "infeasible: $(cat block) does not fit" c.svg
}
first "$models/train_cnn.lua" --capacity 16M -p auto
first "$models/mobilenet_v1_025_96.json" --capacity 40K -p order-genetic
first "$models/mobilenet_v1_025_96.json" --capacity 40K -p improve

# A planner's own sizes have a bound of their own, which is said; so is a limit that only a comparison has.
program compare "$models/cpu_npu.lua" -p first-fit,token-sharing >c.txt
check "a peak below the bound is explained" grep -qx 'token-sharing plans other sizes of the buffers than the file has, with which 221,184 B is the bound' <(unbroken c.txt)
program compare "$models/train_cnn.lua" --capacity 16M -o c.svg --size 520x420 2>err
check "a small page shows the plans that fit first" grep -q '>segment-genetic<' c.svg
check "also one that places nothing" grep -q '>farthest-next-use<' c.svg
# A reference places nothing: as a file of a plan it would be a false one.
run plan "$models/train_cnn.lua" -p farthest-next-use --capacity 16M -o b.json
check "a reference is not written as a plan" exits 2
check "and it is said why" complains "farthest-next-use places nothing: there is no plan to write"
printf 'last\n' >s.txt
run "$models/train_cnn.lua" -p segment-genetic --set choices=plain --capacity 16M --script s.txt --screen 150x14
check "a bound that holds only without migration is called so" says 'end of the run: peak 16M, bound 34.7M without migration'
# A trial is called one, whatever is asked; the plan's peak stands beside it.
run trace "$models/mobilenet_v1_025_96.json" -p auto
jq -c 'select(.step == 40) | [.trial.number, .trial.of, .peak]' "$tmp/out" >trial
check "a trace marks the decisions of trials" same "$(cat trial)" '[2,3,73728]'
check "and not those of the plan" json 'select(.step == 100) | .trial == null and has("trial")'
run trace "$models/mobilenet_v1_025_96.json" -p first-fit
check "a planner of one layout has no trials" json 'has("trial") | not'
run export "$models/mobilenet_v1_025_96.json" --step 40 -o a.svg
check "the heading of a picture calls a trial one" grep -q '>Trial 2 of 3: peak 72 KiB; the plan 54 KiB, lower bound 54 KiB; 7 of 32 blocks placed, 31 steps<' a.svg

# Several memories: what a decision, a branch, a difference tell has the name of the memory.
run trace "$models/two_tiers.json" -p auto
check "the answer names the memory of its peak" json 'select(.kind == "finish") | (.sentence | startswith("answers with a layout of 70 B in sram: ")) and .tier == "sram" and .peak == 70'
check "so does what was measured" says '"sentence":"measures a layout of 70 B in sram: '
printf 'last\ngoto-peak\n' >s.txt
run "$models/two_tiers.json" -p tier-search --set choices=plain --script s.txt --screen 120x30
check "the peak of a run that goes back to a layout is where it was set first" says 'decision 18/47'
check "which is no trial" says 'the peak of sram, 70, was set here, by h1  '
cat >several.json <<'JSON'
{"format":"stowage-graph","version":1,"name":"several","tiers":[{"name":"sram","capacity":100},{"name":"dram","capacity":1000}],
 "operators":[],"buffers":[{"name":"a","size":60,"first":0,"last":1,"tiers":["sram","dram"]},{"name":"b","size":30,"first":0,"last":2,"tiers":["sram","dram"]},
 {"name":"c","size":500,"first":1,"last":3,"tiers":["sram","dram"]},{"name":"d","size":20,"first":2,"last":3,"tiers":["sram","dram"]}]}
JSON
printf 'last\npin c 100 dram\nlast\npane branches\nwhole\n' >s.txt
run several.json -p first-fit --script s.txt --screen 140x30
check "branches: the peaks of all memories" says 'pin c .* sram 90 B, dram 600 B +dram \+100 B'
printf 'last\npin c 100 dram\nlast\ncompare 1\n' >s.txt
run several.json -p first-fit --script s.txt --screen 160x40
check "side by side, too" says 'sram 90 B, dram 500 B'
printf 'id,lower,upper,size,offset,tier\na,0,2,60,0,sram\nb,0,3,30,0,dram\n' >old.csv
printf 'id,lower,upper,size,offset,tier\na,0,2,60,0,sram\nb,0,3,30,70,dram\n' >new.csv
run diff old.csv new.csv
check "a difference tells the peak of each memory" says '^  peak of dram +30 +100 +\+70$'
check "and what decides" says 'the new one needs 70 B more \(peak of dram\)'
check "which a gate sees" exits 1
run diff new.csv old.csv
check "less of one memory is not more" exits 0
run diff old.csv new.csv --format json
check "as JSON, too" json '.measure == "peak of dram" and .needs_more and ([.new.tiers[] | select(.name == "dram").peak] == [100])'

# One form of E.
printf '{"format":"stowage-graph","version":1,"tiers":[{"name":"sram","capacity":100,"bandwidth":3,"latency":0.1},{"name":"dram","bandwidth":0.7,"latency":3}],
 "operators":[{"name":"o","inputs":["x"],"outputs":["y"]}],"buffers":[{"name":"x","kind":"input","size":90},{"name":"y","kind":"output","size":70}]}' >cost.json
cost=$(program plan cost.json -p first-fit --format json | sed -nE 's/^ "cost":(.*),$/\1/p')
run compare cost.json -p first-fit --format csv
check "E in a comparison is E of the plan" says ",$cost,"
run compare cost.json -p first-fit
check "in its table, too" says " $cost "
run plan cost.json -p first-fit
check "and in words" says "^  cost +$cost "
check "no run ends by a signal" same "" "$(cat crashes)"
check "runs were compared" [ "$runs" -ge 8 ]
finish
