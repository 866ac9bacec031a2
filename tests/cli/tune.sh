#!/usr/bin/env bash
# Settings of online allocators: tune, and compare of a file that tells requests. Figures are those of plan.
. "$(dirname "$0")/lib.bash"

# A block of 40 MiB is cut for a small request that stays, so that the next one of 40 MiB does not fit any more.
awk 'BEGIN { M = 1048576; print "event,id,size"
    for (i = 0; i < 6; i++) { print "alloc,big" i "," 60 * M; print "free,big" i; print "alloc,stays" i "," (3 + i) * M } }' >"$tmp/helps.csv"
printf 'event,id,size\nalloc,a,20971520\nalloc,b,20971520\nfree,a\nalloc,c,20971520\n' >"$tmp/none.csv"
plan() { "$STOWAGE" plan "$@" --format json 2>/dev/null | jq -c '.details | [.reserved, .allocated, .segments_grown, .releases, .ooms, .addresses_crc32]'; }
figures='[.reserved, .allocated, .segments_grown, .releases, .ooms, .addresses_crc32]'

run tune "$tmp/helps.csv" --format json
check "a setting helps: exit 0" exits 0
check "a setting helps: nothing on standard error" calm
check "a setting helps: it saves" json '.best.trial.saves > 0 and .best.trial.reserved < .default.reserved'
check "a setting helps: it is the least of all" json '.best.trial.reserved == ([.settings[] | select(.ooms == 0) | .reserved] | min)'
check "as the environment takes it" json '.best.environment == "PYTORCH_CUDA_ALLOC_CONF=" + .best.trial.settings'
check "from the best to the worst" json '[.settings[] | select(.ooms == 0) | .reserved] | . == sort'
check "no settings twice" json '([.settings[].settings] | length) == ([.settings[].settings] | unique | length)'
check "as many as it says" json '.tried == (.settings | length)'
check "the limit is the default peak" json '.default.reserved as $peak | [.settings[] | select(.settings | test("garbage")) | .limit] | unique == [$peak]'
check "memory is held" json '.held.segments > 0 and .held.largest[0].free > 0 and (.held.largest[0].buffer | test("^stays"))'
cp "$tmp/out" "$tmp/first"
run tune "$tmp/helps.csv" --format json
check "the same again" cmp "$tmp/out" "$tmp/first"
same_as_plan() { # FILE SETTINGS LIMIT FIGURES
    local limit=()
    [ "$3" = null ] || limit=(--set "limit=$3")
    same "$(plan "$1" -p cuda-caching --set start=all --set "conf=$2" "${limit[@]}")" "$4"
}
jq -r '.settings[] | [.settings, (.limit // "null" | tostring), ('"$figures"' | tojson)] | join("\t")' "$tmp/first" >"$tmp/rows"
check "there are rows" test "$(wc -l <"$tmp/rows")" -gt 40
while IFS=$'\t' read -r settings limit expected; do
    check "plan says the same of $settings" same_as_plan "$tmp/helps.csv" "$settings" "$limit" "$expected"
done < <(awk 'NR % 4 == 1' "$tmp/rows")

run tune "$tmp/helps.csv"
check "text: exit 0" exits 0
check "text: the variable" says '^  PYTORCH_CUDA_ALLOC_CONF=[a-z0-9_]+:'
check "text: what it saves" says '; saves [0-9,]+ B, [0-9.]+%; '
check "text: how many were tried" says '^[0-9]+ settings tried:$'
check "text: what holds memory" says ' cannot be given back\.$'
check "text: the default is among them" says '  \(default\)$'
run tune "$tmp/helps.csv" --format csv
check "csv: a row for each" same "$(wc -l <"$tmp/out")" "$(($(wc -l <"$tmp/rows") + 1))"
run tune "$tmp/helps.csv" -o "$tmp/tune.json"
check "-o: exit 0" exits 0
check "-o: the same" cmp "$tmp/tune.json" "$tmp/first"

run tune "$tmp/none.csv"
check "nothing helps: exit 0" exits 0
check "nothing helps: says so" says '^nothing helps: '
run tune "$tmp/none.csv" --format json
check "nothing helps: null" json '.best == null and .best_without_limit == null'

peak=$(jq .default.reserved "$tmp/first") least=$(jq .best.trial.reserved "$tmp/first")
run tune "$tmp/helps.csv" --limit "$peak" --format json
check "a limit that all fit: exit 0" exits 0
check "a limit that all fit: is that of all" json "[.settings[].limit] | unique == [$peak]"
run tune "$tmp/helps.csv" --limit "$least" --format json
check "a limit that some fit: exit 0" exits 0
check "a limit that some fit: within it" json ".best.trial.ooms == 0 and .best.trial.reserved <= $least or .default.ooms == 0"
run tune "$tmp/helps.csv" --limit 30M
check "a limit that none fits: exit 1" exits 1
check "a limit that none fits: says so" says '^nothing fits: '
run tune "$tmp/helps.csv" --limit 30M --format json
check "a limit that none fits: exit 1, JSON" exits 1
check "a limit that none fits: null" json '.best == null and .default.ooms > 0'

run tune "$tmp/helps.csv" -p bfc-arena --format json
check "bfc-arena: exit 0" exits 0
check "bfc-arena: its own settings" json '.planner == "bfc-arena" and any(.settings[]; .settings == "strategy=same-as-requested")'
check "bfc-arena: plan says the same" same "$(plan "$tmp/helps.csv" -p bfc-arena --set strategy=same-as-requested)" \
    "$(jq -c ".settings[] | select(.settings == \"strategy=same-as-requested\") | $figures" "$tmp/out")"
run tune "$tmp/helps.csv"
check "another allocator's file: says so" says '^.of free-list, the allocator of this file, there are no settings to try; these are cuda-caching.s'

refuses "no file" tune because 'tune needs FILE'
refuses "no requests" tune "$models/example1.json" because '.*: tune needs the requests of an online allocator'
refuses "a limit of 0" tune "$tmp/none.csv" --limit 0 because '--limit 0: expected'
refuses "a limit that is none" tune "$tmp/none.csv" --limit much because '--limit: '
refuses "a limit twice" tune "$tmp/none.csv" --limit 1 --limit 2 because 'option --limit is given twice'
refuses "a limit of plan" plan "$tmp/none.csv" --limit 1 because 'option --limit does not belong to plan'
refuses "another option" tune "$tmp/none.csv" --seed 1 because 'option --seed does not belong to tune'
refuses "a planner without settings" tune "$tmp/none.csv" -p first-fit because 'tune has no settings to try of first-fit'
refuses "a setting that is searched" tune "$tmp/none.csv" --set max_split_size_mb=64 because '--set max_split_size_mb: '
refuses "the limit as a setting" tune "$tmp/none.csv" --set limit=5 because '--set limit: say --limit'
refuses "a setting that is not there" tune "$tmp/none.csv" --set nosuch=1 because '.*nosuch'
refuses "a format that is not there" tune "$tmp/none.csv" --format md because 'tune has no format md'

# ---- compare ----
run compare "$tmp/helps.csv" --format json
check "compare: exit 0" exits 0
check "compare: the allocator of the file first" json '.allocators[0].planner == "free-list"'
check "compare: all allocators" json '[.allocators[].planner] | sort == ["bfc-arena", "buddy", "cuda-caching", "free-list", "ggml-dyn", "tlsf"]'
check "compare: the parts of the waste add up" json \
    'all(.allocators[]; .reserved - .at_peak.requested == .at_peak.rounding + .at_peak.unsplit + .at_peak.waiting + .at_peak.holes + .at_peak.cached)'
check "compare: the bound of the offline plan is that of the requests" json '.offline.lower_bound == .lower_bound_rounded and .offline.peak >= .offline.lower_bound'
jq -r '.allocators[] | [.planner, ('"$figures"' | tojson)] | join("\t")' "$tmp/out" >"$tmp/rows"
while IFS=$'\t' read -r planner expected; do
    check "compare: plan says the same of $planner" same "$(plan "$tmp/helps.csv" -p "$planner" --set start=all)" "$expected"
done <"$tmp/rows"
for format in text md csv; do
    run compare "$tmp/helps.csv" --format $format
    check "compare as $format: exit 0" exits 0
    check "compare as $format: a row" says 'cuda-caching'
done
run compare "$tmp/helps.csv" -p first-fit,cuda-caching --format json
check "compare with -p is as ever" json '[.planners[].planner] == ["first-fit", "cuda-caching"]'
run compare "$tmp/helps.csv" --capacity 30M
check "compare: a capacity that none fits: exit 1" exits 1
run compare "$tmp/helps.csv" --set conf=max_split_size_mb:32 --format json
check "compare: settings" json '.allocators[] | select(.planner == "cuda-caching") | .settings == "max_split_size_mb:32"'

# ---- snapshots: the figures of the table in shared/data/README.md ----
expect() { # FILE START SETTINGS RESERVED CRC
    check "$1, $2, '$3'" jq -e --arg s "$3" --argjson r "$4" --argjson c "$((16#$5))" \
        '.settings[] | select(.settings == $s) | .reserved == $r and .addresses_crc32 == $c' "$tmp/$1.$2"
}
if [ -d "$data/pytorch" ]; then
    for start in trace all; do
        for file in from_start.pickle.gz train_512.pickle.gz train_step.pickle; do
            run tune "$data/pytorch/$file" --set start=$start --format json
            check "$file, $start: exit 0" exits 0
            cp "$tmp/out" "$tmp/${file%%.*}.$start"
        done
    done
    expect from_start trace '' 3781165056 56ccd8f9
    expect from_start trace max_split_size_mb:32 3265265664 1cd11eb1
    expect from_start trace roundup_power2_divisions:2 3781165056 66afa689
    expect from_start trace expandable_segments:True 3797942272 debb4f6f
    expect train_512 trace '' 7495221248 ede800b6
    expect train_512 trace max_split_size_mb:64 7872708608 54d74c65
    expect train_512 trace garbage_collection_threshold:0.6 7390363648 a8461a03
    expect train_512 all '' 12601786368 63720606
    expect train_512 all max_split_size_mb:32 12907970560 cc5d7583
    expect train_512 all roundup_power2_divisions:8 12601786368 2a178e35
    expect train_512 all expandable_segments:True 12538871808 1ab89942
    expect train_512 all garbage_collection_threshold:0.8 12496928768 1f97590d
    expect train_512 all max_split_size_mb:64,garbage_collection_threshold:0.6 12467568640 7ab9942c
    expect train_step trace expandable_segments:True 2067791872 77f2e10b
    expect train_step all '' 4169138176 bc636b3e
    expect train_step all roundup_power2_divisions:4 4500488192 afa427cd
    expect train_step all garbage_collection_threshold:0.6 4125097984 a64a618b
    check "train_step: what refuses a request comes last" jq -e \
        '.best.trial.settings | test("garbage") | not' "$tmp/train_step.all"
    run compare "$data/pytorch/train_step.pickle" --format json
    check "compare, train_step: the reserved peak" json '.allocators[0] | .planner == "cuda-caching" and .reserved == 4169138176'
    check "compare, train_step: the lower bound" json '.lower_bound_rounded == 3849232896 and .offline.lower_bound == 3849232896'
else
    skip 'shared/data is not there'
fi
finish
