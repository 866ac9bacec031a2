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
        (if .migration_bytes != null then "migration \(.migration_bytes)" else "migration -" end)' "$1"
}
of_csv() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 {
        print "bound " $at["lower_bound"]; print "naive " $at["naive"]; print "optimal " $at["optimal"]; print "decisions " $at["decisions"]
        print "peak " ($at["peak"] == "" ? "-" : $at["peak"]) }' "$1"
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
        /^  cost  / { print "cost10 " $2 }
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
# Where the card says that a buffer lies: "at memory+18,432".
of_card() { sed -nE 's/^ at ([^ ]+\+[0-9,]+) *$/place \1/p' "$1" | tr -d ,; }
# "Peaks: first-fit 54 KiB, at the bound; best-fit 54 KiB, ...": a comparison drawn. "11,942 MiB" is 11.7G elsewhere.
of_picture() {
    grep -oE '>Peaks: [^<]*' "$1" | head -n 1 | sed 's/^>Peaks: //; s/\.$//' | tr ';' '\n' | awk -v p="$2" '$1 == p && $2 !~ /,/ && $3 ~ /^([KMGTP]i)?B,/ { x = $2 $3
        gsub(/[iB,]/, "", x); print "shown-peak " x }'
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
        print "cost17 " ($at["cost"] == "" ? "-" : $at["cost"]); print "migration " ($at["migration_bytes"] == "" ? "-" : $at["migration_bytes"])
        if ($at["peak"] !~ /\+/) print "peak " $at["peak"] }' "$1"
}
of_lua() { awk -v p="$2" '$1 == p { print $2, $3 }' "$1"; }

# The reference in every form in which an output may tell it.
reference() {
    { of_json "$1"; of_text "$2" | grep ^shown; } | awk '{ print } $1 == "cost" && $2 != "-" { printf "cost10 %.10g\ncost17 %.17g\n", $2, $2 } $1 == "cost" && $2 == "-" { print "cost17 -" }'
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

cat >all.lua <<'LUA'
-- Every planner that applies, and what the result says.
return {
  name = "all",
  cases = function(args) return {{model = args.model, capacity = args.capacity, planners = args.planners}} end,
  run = function(case)
    local lines = {}
    for planner in case.planners:gmatch("[^,]+") do
      local r = stowage.load(case.model):plan{planner = planner, capacity = tonumber(case.capacity)}
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
    "$STOWAGE" plan "$model" -p "$planner" "$@" --format json >a.json 2>err || return 0 # infeasible: there is no plan to tell of
    "$STOWAGE" plan "$model" -p "$planner" "$@" >a.txt 2>>err
    "$STOWAGE" plan "$model" -p "$planner" "$@" --format csv >a.csv 2>>err
    reference a.json a.txt >facts
    told "the summary" of_text a.txt
    told "CSV" of_csv a.csv
    printf 'last\npane blame\nwhole\nsave a.sess\n' >s.txt
    rm -f a.sess
    "$STOWAGE" "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
    told "the explorer" of_frame frame
    "$STOWAGE" a.sess --screen 200x60 >frame2 2>>err
    told "its session again" of_frame frame2
    "$STOWAGE" a.sess --format json >s.json 2>>err
    told "the session's summary" of_json s.json
    printf 'goto-peak\nlast\n' >s.txt
    "$STOWAGE" "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
    told "there and back" of_frame frame
    printf 'goto-peak\n' >s.txt
    "$STOWAGE" "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
    told "where the peak was set" of_footer frame
    "$STOWAGE" export "$model" -p "$planner" "$@" -o a.svg 2>>err
    told "the caption" of_caption a.svg
    printf 'last\ncompare %s\n' "$([ "$planner" = first-fit ] && echo best-fit || echo first-fit)" >s.txt
    "$STOWAGE" "$model" -p "$planner" "$@" --script s.txt --screen 200x40 >frame 2>>err
    told "side by side" of_beside frame
    name=$(jq -r '[.placements[] | select(.size > 0)] | .[length / 2 | floor].buffer' a.json)
    jq -r --arg n "$name" '.placements[] | select(.buffer == $n) | "place \(.tier)+\(.offset)"' a.json >>facts
    printf 'last\npane card\nwhole\nselect "%s"\n' "$name" >s.txt
    "$STOWAGE" "$model" -p "$planner" "$@" --script s.txt --screen 200x60 >frame 2>>err
    told "the card of $name" of_card frame
    told "compare as a picture" of_picture c.svg "$planner"
    told "compare as JSON" of_row c.json "$planner"
    told "compare as CSV" of_line c.csv "$planner"
    told "compare as a table" of_table c.txt "$planner"
    [ -s lua.txt ] && told "Lua" of_lua lua.txt "$planner"
    if command -v pdftotext >/dev/null; then
        "$STOWAGE" export "$model" -p "$planner" "$@" --view report -o a.pdf 2>>err && pdftotext -layout a.pdf r.txt
        told "the report" of_report r.txt
    fi
}
# "best-fit   55,296*   0.0%": peaks of one memory.
of_table() {
    awk -v p="$2" '$1 == p && $2 ~ /^[0-9,]+[*+]?$/ && $3 != "+" { x = $2; print "optimal " (x ~ /[*+]/ ? "true" : "false"); gsub(/[,*+]/, "", x); print "peak " x }' "$1"
}
of_report() {
    awk '/^ *peak +[0-9,]+ bytes/ { x = $2; gsub(/,/, "", x); print "peak " x } /^ *lower bound +[0-9,]+ bytes/ { x = $3; gsub(/,/, "", x); print "bound " x }
        /^ *cost E / { print "cost10 " $3 } /^ *optimal +(yes|not proved|no)/ { print "optimal " ($2 == "yes:" ? "true" : "false") }' "$1"
}

# all MODEL PLANNERS [OPTION...]: one comparison, one script, and each run by itself. PLANNERS: all, or names with commas.
all() {
    local model=$1 planners=$2 planner list
    shift 2
    local which=()
    [ "$planners" != all ] && which=(-p "$planners")
    "$STOWAGE" compare "$model" "${which[@]}" "$@" --format json >c.json 2>err
    "$STOWAGE" compare "$model" "${which[@]}" "$@" --format csv >c.csv 2>err
    "$STOWAGE" compare "$model" "${which[@]}" "$@" >c.txt 2>err
    "$STOWAGE" compare "$model" "${which[@]}" "$@" -o c.svg 2>err
    list=$(jq -r '.planners[] | select(.feasible and .complete) | .planner' c.json)
    [ -z "$list" ] && return
    : >lua.txt
    if [ "${1-}" != --tiers ]; then
        "$STOWAGE" run all.lua model="$model" planners="$(echo "$list" | tr '\n' ',')" $([ "${1-}" = --capacity ] && echo "capacity=$(numfmt --from=iec "$2")") \
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
all "$models/two_tiers.json" tier-search,auto
all "$models/train_cnn.lua" segment-genetic --capacity 30M
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
        [ -e "$model" ] && all "$model" all
    done
fi
check "runs were compared" [ "$runs" -ge 8 ]
finish
