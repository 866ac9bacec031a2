#!/usr/bin/env bash
# Online allocators from outside: the worked example of each, what is refused, and what PyTorch did with three recorded
# runs, and would have done under other settings.
. "$(dirname "$0")/lib.bash"

# ---- the worked examples ----

# requests FILE TEXT: a table of requests from a line like "a 100, b 50, free a, empty_cache".
requests() {
    echo event,id,size >"$1"
    tr ',' '\n' <<<"$2" | while read -r word size; do
        case $word in
        free) echo "free,$size," ;;
        empty_cache) echo "$word,," ;;
        *) echo "alloc,$word,$size" ;;
        esac
    done >>"$1"
}
# The offset of each request in order.
offsets() { jq -r '[.placements[] | "\(.buffer) \(.offset)"] | join(", ")' "$tmp/out"; }
# The offset of each request and the size of its block, from the decisions; of a block that grew, what was added.
blocks() {
    jq -rs 'reduce .[] as $d ({};
        if ($d.kind == "find" and $d.offset != null) or ($d.kind == "grow" and $d.operands.placed)
        then .[$d.buffer] = {at: $d.offset, size: $d.size}
        elif $d.kind == "split" then .[$d.buffer].size = $d.operands.kept else . end)
        | to_entries | map("\(.key) \(.value.at) \(.value.size)") | join(", ")' "$tmp/out"
}
# example NAME REQUESTS OFFSETS BLOCKS PEAK OPTION...: offsets, and blocks as "id offset size".
example() {
    local name=$1 file=$tmp/example.csv want=$3 sizes=$4 peak=$5
    requests "$file" "$2"
    shift 5
    run plan "$file" "$@" --format json
    check "$name: exit 0" exits 0
    check "$name: offsets" same "$(offsets)" "$want"
    check "$name: peak" json ".peak == $peak and .details.reserved == $peak"
    check "$name: nothing was recorded" json '.details | .hits == null and .growth_hits == null and .ooms == 0'
    run trace "$file" "$@"
    check "$name: blocks" same "$(blocks)" "$sizes"
}

example free-list 'a 100, b 50, c 200, free b, d 60, free a, e 40, free c, f 300' \
    'a 0, b 112, c 176, d 112, e 0, f 176' 'a 0 112, b 112 64, c 176 208, d 112 64, e 0 48, f 176 96' 480
check "free-list: the planner of a table that names none" same "$(jq -rs '.[-1].sentence' "$tmp/out")" \
    "$("$STOWAGE" trace "$tmp/example.csv" -p free-list | jq -rs '.[-1].sentence')"

caching='a 100, b 3000000, c 9000000, d 9000000, free b, e 2500000, free c, f 10485760, g 8800000, free e, free g, h 1500000, free h, empty_cache'
example cuda-caching "$caching" \
    'a 0, b 2097152, c 5097472, d 23068672, e 2097152, f 32069120, g 5097472, h 2097152' \
    'a 0 512, b 2097152 3000320, c 5097472 9000448, d 23068672 9000448, e 2097152 3000320, f 32069120 10485760, g 5097472 8800256, h 2097152 1500160' \
    44040192 -p cuda-caching
check "cuda-caching: empty_cache gives back the one free segment" same \
    "$(jq -c 'select(.kind == "release" and .operands.count == 1) | [.offset, .size]' "$tmp/out")" '[2097152,20971520]'
run plan "$tmp/example.csv" -p cuda-caching --format json
check "cuda-caching: figures" json '.details | .grown == 3 and .segments_grown == 3 and .segments_freed == 1 and .releases == 1
    and .allocated == 31287296 and .requested == 30785860 and .lower_bound_rounded == 30787072'
range=96636764160
example 'cuda-caching with pages' "$caching" \
    "a 0, b $range, c $((range + 3000320)), d $((range + 12000768)), e $range, f $((range + 21001216)), g $((range + 2500096)), h $range" \
    "a 0 512, b $range 3000320, c $((range + 3000320)) 9000448, d $((range + 12000768)) 9000448, e $range 2500096, f $((range + 21001216)) 10485760, g $((range + 2500096)) 8800256, h $range 1500160" \
    44040192 -p cuda-caching --set conf=expandable_segments:True
check "cuda-caching with pages: no free page is whole" same \
    "$(jq -c 'select(.kind == "release" and .operands.count != null) | [.size, .operands.count]' "$tmp/out")" '[0,0]'

example bfc-arena 'a 100, b 1000, c 700000, free a, d 300, free c, e 3000000, f 400000, free b, g 1100, free f, h 1046000' \
    'a 0, b 256, c 1280, d 1048576, e 3145728, f 1280, g 0, h 1280' \
    'a 0 256, b 256 1024, c 1280 1047296, d 1048576 512, e 3145728 4194304, f 1280 400128, g 0 1280, h 1280 1047296' \
    7340032 -p bfc-arena
run plan "$tmp/example.csv" -p bfc-arena --format json
check "bfc-arena: three regions" json '.details.segments_grown == 3'

example ggml-dyn 'a 1000, b 100, c 1000, d 64, free a, free c, e 900, f 100, free d, g 1500, free b, h 200' \
    'a 0, b 1024, c 1152, d 2176, e 1152, f 0, g 2080, h 128' \
    'a 0 1024, b 1024 128, c 1152 1024, d 2176 64, e 1152 928, f 0 128, g 2080 1504, h 128 224' 3584 -p ggml-dyn

tlsf='a 1000, b 200, c 1000, d 100, free a, free c, e 1000, f 980, free b, g 1100'
example tlsf "$tlsf" 'a 0, b 1000, c 1200, d 2200, e 2304, f 1200, g 0' \
    'a 0 1000, b 1000 200, c 1200 1000, d 2200 104, e 2304 1000, f 1200 984, g 0 1104' 3304 -p tlsf
requests "$tmp/example.csv" "$tlsf"
run plan "$tmp/example.csv" -p tlsf --set header=8 --format json
check "tlsf with headers: offsets" same "$(offsets)" 'a 0, b 1008, c 1216, d 2224, e 2336, f 1216, g 0'
check "tlsf with headers: the peak is the end of the last payload" json '.peak == 3336'

example buddy 'a 100, b 1000, c 300, d 3000, free b, e 500, free a, free e, f 700, g 2000' \
    'a 0, b 1024, c 512, d 4096, e 1024, f 1024, g 2048' \
    'a 0 256, b 1024 1024, c 512 512, d 4096 4096, e 1024 512, f 1024 1024, g 2048 2048' 8192 -p buddy

# ---- what is refused, and out of memory ----

requests "$tmp/caching.csv" "$caching"
while IFS='|' read -r conf why; do
    refuses "conf=$conf" plan "$tmp/caching.csv" -p cuda-caching --set "conf=$conf" because "$why"
done <<'END'
max_split_size_mb:5|max_split_size_mb must be a whole number of MiB from 20 on, not '5'$
max_split_size_mb|conf must be key:value,..., not 'max_split_size_mb'$
max_split_mb:32|cuda-caching has no setting 'max_split_mb'; it has max_split_size_mb, 
roundup_power2_divisions:3|roundup_power2_divisions must be a power of two, or a list as in .*, not '3'$
roundup_power2_divisions:[256:1,512:2|roundup_power2_divisions must be a power of two, or a list
expandable_segments:maybe|expandable_segments must be True or False, not 'maybe'$
garbage_collection_threshold:1.5|garbage_collection_threshold must be a number from 0 to below 1, not '1.5'$
END
refuses "a limit beside another capacity" plan "$tmp/caching.csv" -p cuda-caching --capacity 3G --set limit=100 \
    because 'the capacity is 3221225472 B and the parameter limit is 100 B: give one of them$'
run plan "$tmp/caching.csv" -p cuda-caching --capacity 64M --set limit=67108864
check "a limit that is the capacity" exits 0
for planner in cuda-caching bfc-arena free-list; do
    refuses "$planner: start=recorded of what was not recorded" plan "$tmp/caching.csv" -p "$planner" --set start=recorded \
        because 'start=recorded is for an allocator on what it recorded itself$'
done
refuses "a device of a table" plan "$tmp/caching.csv" -p cuda-caching --device 0 because '.*--device'
run plan "$models/example1.json" -p cuda-caching
check "a model is requests in program order, too" exits 0

run plan "$tmp/caching.csv" -p cuda-caching --capacity 20M --format json
check "out of memory: exit 1" exits 1
check "out of memory: one line says so" complains 'infeasible: out of memory: 6 of 8 requests got nothing, the first of them b$'
check "out of memory: the figures are there" json '.feasible == false and .details.ooms == 6 and .details.reserved == 12582912 and
    .peak == 12582912 and (.details.reason | test("the first of them b")) and (.placements | map(.buffer)) == ["a", "f"]'
run trace "$tmp/caching.csv" -p cuda-caching --capacity 20M
check "out of memory: each failure is a decision" same "$(jq -r 'select(.kind == "fail") | .buffer' "$tmp/out" | tr '\n' ' ')" 'b c d e g h '

# ---- what was recorded, and what other settings would have done ----

snapshots=$data/pytorch
# Figures of the run as it was recorded: file, allocs, alive before, peaks reserved, allocated and active, fragmentation
# when the peak is first reached and at its least, segments grown.
while read -r file allocs alive reserved allocated active first least grown; do
    if [ ! -f "$snapshots/$file" ]; then
        skip "$file is not there"
        continue
    fi
    run plan "$snapshots/$file" --format json
    check "$file: exit 0" exits 0
    check "$file: its own allocator is asked" json '.planner == "cuda-caching"'
    check "$file: every address and growth is predicted" json ".details | .allocs == $allocs and .hits == $allocs and
        .growth_hits == .grown and .grown == $grown and .segments_grown == $grown"
    check "$file: peaks" json ".peak == $reserved and (.details | .reserved == $reserved and .allocated == $allocated and .active == $active)"
    check "$file: fragmentation" json ".details | .fragmentation == $first and .fragmentation_least == $least"
    run plan "$snapshots/$file" --set start=all --format json
    check "$file: alive before" json ".details.allocs == $allocs + $alive and .details.hits == null"
    refuses "$file: a device that is not there" plan "$snapshots/$file" --device 3 because ".*$file: the snapshot has no events of device 3"
done <<'END'
from_start.pickle.gz 36 0 3781165056 3249144832 3249144832 532020224 532020224 9
train_512.pickle.gz 7591 664 12660506624 12434494464 12434494464 288869376 288869376 1
train_step.pickle 2162 447 4238344192 3861684736 3861684736 1165472768 376659456 0
END

# what_if FILE START REQUESTS BOUND SETTINGS PEAK CRC REFUSED
declare -A limits
what_if() {
    local file=$1 start=$2 requests=$3 bound=$4 settings=$5 peak=$6 crc=$7 refused=$8 options=()
    [ "$settings" = default ] || options+=(--set "conf=$settings")
    case $settings in garbage*) options+=(--set "limit=${limits[$file $start]}") ;; esac
    run plan "$snapshots/$file" --set "start=$start" "${options[@]}" --format json
    [ "$settings" != default ] || limits[$file $start]=$(jq .details.reserved "$tmp/out")
    check "$file, $start, $settings" same \
        "$(jq -r '"\(.details.allocs) \(.peak) \(.details.reserved) \(.details.addresses_crc32) \(.details.ooms)"' "$tmp/out")" \
        "$requests $peak $peak $((16#$crc)) $refused"
    [ "$refused" -gt 0 ] || check "$file, $start, $settings: exit 0" exits 0
    [ "$settings" != default ] || check "$file, $start: lower bound" json ".details.lower_bound_rounded == $bound"
}
# Five columns of peaks and of the CRC-32 of all offsets; requests and lower bounds above them.
files=(from_start.pickle.gz train_512.pickle.gz train_512.pickle.gz train_step.pickle train_step.pickle)
starts=(trace trace all trace all)
while read -r settings line; do
    read -ra cells <<<"$line"
    case $settings in
    requests) counts=("${cells[@]}") ;;
    bounds) bounds=("${cells[@]}") ;;
    *)
        for i in 0 1 2 3 4; do
            [ -f "$snapshots/${files[i]}" ] || continue # said above
            refused=0 # the limit bounds growth, too
            case "$settings $i" in garbage_collection_threshold:0.?' 4') refused=1 ;; esac
            what_if "${files[i]}" "${starts[i]}" "${counts[i]}" "${bounds[i]}" "$settings" "${cells[i]%:*}" "${cells[i]#*:}" $refused
        done
        ;;
    esac
done <<'END'
requests 36 7591 8255 2162 2609
bounds 3249144832 7331062784 12426630144 1999716864 3849232896
default 3781165056:56ccd8f9 7495221248:ede800b6 12601786368:63720606 2151677952:6c7e18d5 4169138176:bc636b3e
max_split_size_mb:32 3265265664:1cd11eb1 8170504192:7a8011b3 12907970560:cc5d7583 2210398208:87c33711 4190109696:fcffc251
max_split_size_mb:64 3265265664:1cd11eb1 7872708608:54d74c65 12895387648:865c958d 2210398208:87c33711 4190109696:fcffc251
max_split_size_mb:128 3265265664:1cd11eb1 7495221248:ede800b6 12601786368:63720606 2210398208:87c33711 4190109696:fcffc251
max_split_size_mb:256 3265265664:1cd11eb1 7495221248:ede800b6 12601786368:63720606 2151677952:6c7e18d5 4169138176:bc636b3e
roundup_power2_divisions:1 3781165056:56ccd8f9 7495221248:ede800b6 12601786368:63720606 2151677952:6c7e18d5 4169138176:bc636b3e
roundup_power2_divisions:2 3781165056:66afa689 7566524416:08d02b86 12727615488:9ca1305d 2743074816:8a65f00c 5297405952:4806467d
roundup_power2_divisions:4 3781165056:1c776345 7495221248:f447fce6 12599689216:db5247b5 2298478592:eb185420 4500488192:afa427cd
roundup_power2_divisions:8 3781165056:003aec36 7495221248:f447fce6 12601786368:2a178e35 2235564032:8def6d7e 4500488192:1cb7b831
expandable_segments:True 3797942272:debb4f6f 7440695296:47300ebf 12538871808:1ab89942 2067791872:77f2e10b 4062183424:280e8df2
garbage_collection_threshold:0.6 3781165056:56ccd8f9 7390363648:a8461a03 12496928768:1f97590d 2130706432:6c7e18d5 4125097984:a64a618b
garbage_collection_threshold:0.8 3781165056:56ccd8f9 7390363648:634f741f 12496928768:1f97590d 2130706432:6c7e18d5 4125097984:a64a618b
max_split_size_mb:32,expandable_segments:True 3273654272:591a36f6 14696841216:0d7cf3cf 16313745408:5a421db4 2382364672:a636449a 4460642304:2f8150bc
max_split_size_mb:64,roundup_power2_divisions:4 3265265664:b9498232 7872708608:54d74c65 12893290496:a3e92652 2298478592:4aada457 4364173312:41babf46
garbage_collection_threshold:0.6,max_split_size_mb:64 3265265664:1cd11eb1 7361003520:6ed9b527 12467568640:7ab9942c 2132803584:bc87d9e0 4167041024:0c7f7b80
END

# ---- two traces of requests ----
printf '= Start\n@ f:[0x10] + 0x1000 0x3e8\n@ g:[0x20] + 0x2000 0x7d0\n@ f:[0x11] - 0x1000\n@ f:[0x11] - 0x2000\n= End\n' >"$tmp/old.mtrace"
printf '= Start\n@ f:[0x10] + 0x1000 0x3e8\n@ g:[0x20] + 0x2000 0xbb8\n@ h:[0x30] + 0x4000 0x1f4\n@ f:[0x11] - 0x1000\n= End\n' \
    >"$tmp/new.mtrace"
run diff "$tmp/old.mtrace" "$tmp/old.mtrace"
check "the same requests: exit 0" exits 0
check "the same requests: said" says '^All 2 requests are the same by size and stack\.$'
run diff "$tmp/old.mtrace" "$tmp/new.mtrace"
check "more is reserved: exit 1" exits 1
check "more is reserved: where they part" says \
    '^The first request is the same by size and stack\. Then the old one asks for 2,000 B in g:\[0x20\], and the new one asks for 3,000 B in'
run diff "$tmp/new.mtrace" "$tmp/old.mtrace"
check "less is reserved: exit 0" exits 0
run diff "$tmp/old.mtrace" "$tmp/new.mtrace" --format json
check "as JSON" json '.needs_more and .same_requests == 1 and .old.asked_for == 3000 and .new.asked_for == 4500 and
    (.stacks | map([.old, .new, .old_blocks, .new_blocks]) | sort) == [[0, 500, 0, 1], [1000, 1000, 1, 1], [2000, 3000, 1, 1]]'
run diff "$tmp/old.mtrace" "$tmp/new.mtrace" --format csv
check "as CSV: the largest change first" same "$(tr '\n' ' ' <"$tmp/out")" \
    'old,new,old_blocks,new_blocks,asked_for_in 2000,3000,1,1,g:[0x20] 0,500,0,1,h:[0x30] 1000,1000,1,1,f:[0x10] '
run diff "$tmp/old.mtrace" "$tmp/new.mtrace" -o "$tmp/curves.svg"
check "as a picture: exit 1" exits 1
for curve in "old.mtrace: reserved" "old.mtrace: asked for" "new.mtrace: reserved" "new.mtrace: asked for"; do
    check "as a picture: $curve" grep -qF "$curve" "$tmp/curves.svg"
done
run diff "$tmp/old.mtrace" "$tmp/old.mtrace" -o "$tmp/curves.png"
check "as a picture, the same twice: exit 0" exits 0
run diff "$tmp/old.mtrace" "$tmp/new.mtrace" -p first-fit
check "with a planner: plans are compared" says 'peak'

# ---- what would have avoided it, in blame: each figure is that of a run with the setting ----
printf 'break kind fail\ncontinue\nstep\npane blame\nwhole\n' >"$tmp/script"
# tried FILE OPTIONS...: the settings that blame names, one a line, with what they reserve.
tried() { sed -nE 's/^ +([a-z_0-9]+:[A-Za-z0-9.]+) +([0-9.]+[BKMG]) [-+]?[0-9.]+ ?[BKMG], (none|[0-9,]+) refused.*/\1 \2/p' "$tmp/out"; }
# does_it FILE LIMIT START: every setting that blame names reserves what it says, and refuses nothing.
does_it() {
    local settings says count=0
    tried >"$tmp/tried"
    while read -r settings says; do
        run plan "$1" -p cuda-caching ${2:+--capacity $2} --set "start=$3" --set "conf=$settings" --format json
        check "$1: $settings" json "(.details.ooms == 0) and
            ((.details.reserved / 1048576 * 1000 | floor) / 1000) as \$m | \"$says\" == \"\\(\$m)M\" or \"$says\" == \"\\((\$m / 1024 * 10 | round) / 10)G\""
        count=$((count + 1))
    done <"$tmp/tried"
    check "$1: some settings are named" [ "$count" -gt 0 ]
}
run "$models/out_of_memory.csv" -p cuda-caching --capacity 340M --script "$tmp/script" --screen 110x50
check "an earlier refusal is still told" says 'Out of memory at decision 71: eval_act asked for 100M; 296M were reserved'
check "what would have avoided it" says 'What would have avoided that, one setting at a time \(over all requests; the settings of'
check "how many were tried" says '8 of 17 that were tried would have\.'
does_it "$models/out_of_memory.csv" 340M all
run "$models/out_of_memory.csv" -p cuda-caching --capacity 20M --script "$tmp/script" --screen 110x50
check "nothing helps: said" says 'None of 17 other settings that were tried, one at a time, would have avoided that'
run "$models/out_of_memory.csv" -p tlsf --script "$tmp/script" --screen 110x50
check "of tlsf no settings are tried" bash -c "! grep -q 'one setting at a time' '$tmp/out'"

printf 'event,id,size\nalloc,a,100\nempty_cache\nfree,a\nempty_cache\n' >"$tmp/empty.csv"
run trace "$tmp/empty.csv" -p cuda-caching
check "empty_cache with nothing to give back, and with something" same "$(jq -r 'select(.operands.count != null) | .sentence' "$tmp/out")" \
    "has nothing to give back to the device: the program asked for it (empty_cache)
gives 2,097,152 B in 1 piece back to the device: the program asked for it (empty_cache)"

# ---- requests as a table: every allocator does the same with it ----
same_requests() { # FILE
    local planner
    run convert "$1" -o "$tmp/copy.requests.csv"
    check "$1 as a table: exit 0" exits 0
    for planner in cuda-caching bfc-arena tlsf free-list; do
        "$STOWAGE" plan "$1" -p $planner --set start=all --format json 2>&1 | jq -c '[.details.addresses_crc32, .details.reserved]' >"$tmp/as_it_is"
        "$STOWAGE" plan "$tmp/copy.requests.csv" -p $planner --format json 2>&1 | jq -c '[.details.addresses_crc32, .details.reserved]' >"$tmp/as_table"
        check "$1 as a table: $planner" cmp "$tmp/as_it_is" "$tmp/as_table"
    done
}
same_requests "$tmp/new.mtrace"
same_requests "$models/out_of_memory.csv"
for file in train_step.pickle from_start.pickle.gz; do
    [ ! -f "$snapshots/$file" ] || same_requests "$snapshots/$file"
done
run convert "$tmp/new.mtrace" -o "$tmp/copy.requests.csv"
check "what a table lacks is said" complains '.*note: this format does not hold stacks, addresses, .*'
refuses "a table of requests of a model" convert "$models/example1.json" -o "$tmp/none.requests.csv" because \
    "$tmp/none.requests.csv: this file tells no requests to an allocator, .*"

# ---- a log's own settings are those of its run, unless others are given ----
ort="x [I:onnxruntime:log, bfc_arena.cc:306 x] "
{
    echo "${ort}Creating BFCArena for Cuda with following configs: initial_chunk_size_bytes: 65536 max_dead_bytes_per_chunk: 134217728" \
        "initial_growth_chunk_size_bytes: 2097152 memory limit: 18446744073709551615 arena_extend_strategy: 1"
    echo "${ort}Extending BFCArena for Cuda. bin_num:9 (requested) num_bytes: 160000 (actual) rounded_bytes:160000"
    echo "${ort}Extended allocation by 160000 bytes."
    echo "${ort}Allocated memory at 0x1000 to 0x28100"
} >"$tmp/ort.log"
reserved() { jq .details.reserved "$tmp/out"; }
run plan "$tmp/ort.log" --format json
check "ONNX Runtime: its strategy" same "$(reserved)" 160000
run plan "$tmp/ort.log"
check "ONNX Runtime: its settings are told" says 'bfc-arena runs unless told otherwise: initial=65536,.*strategy=same-as-requested$'
run plan "$tmp/ort.log" --set strategy=next-power-of-two --format json
check "ONNX Runtime: another strategy, its first region" same "$(reserved)" 262144
# ---- what a log says is reserved is what is said here, and what it does not tell beside it ----
request() { # BYTES SIZE TOTAL FROM TO
    echo "${ort}Extending BFCArena for Cpu. bin_num:9 (requested) num_bytes: $1 (actual) rounded_bytes:$1"
    echo "${ort}Extended allocation by $2 bytes."
    echo "${ort}Total allocated bytes: $3"
    echo "${ort}Allocated memory at $4 to $5"
}
{ request 262144 1048576 1048576 0x100000 0x200000; request 131072 2097152 3145728 0x900000 0xb00000; } >"$tmp/two.log"
run plan "$tmp/two.log" --format json
check "ONNX Runtime: its regions" json '.peak == 3145728 and .details.segments_grown == 2 and .details.grown == 2'
check "ONNX Runtime: the second is where it was" json '(.placements | map({(.buffer): .offset}) | add) == {"0x100000": 0, "0x900000": 1048576}'
run plan "$tmp/two.log"
check "ONNX Runtime: what the log says" says '^  peak reserved +3 MiB +3,145,728 B   as the log says$'
check "ONNX Runtime: what it does not say" says '^  not in the log +2.63 MiB +2,752,512 B   the rest of the regions: other requests, or free$'
check "ONNX Runtime: nothing is called free" same "$(grep -c 'not allocated' "$tmp/out")" 0
"$STOWAGE" export "$tmp/two.log" -o "$tmp/two.svg"
check "ONNX Runtime: nor in a picture" same "$(grep -c 'free' "$tmp/two.svg")" 0
printf 'last\npane free\n' >"$tmp/free.txt"
run "$tmp/two.log" --script "$tmp/free.txt" --screen 130x24
check "ONNX Runtime: nor in the pane of what is left" same "$(grep -c 'not told' "$tmp/out")" 4
printf 'last\npane state\nwhole\n' >"$tmp/state.txt"
run "$tmp/two.log" --script "$tmp/state.txt" --screen 160x60
check "ONNX Runtime: segments lie where the map has them" says '^>? +1 +\+1,048,576 '
check "ONNX Runtime: and not at addresses of the device" same "$(grep -c '9,437,184' "$tmp/out")" 0
run compare "$tmp/two.log"
check "ONNX Runtime: compared, the log's own" says 'the log says that 3,145,728 B were reserved, after 2 growths'
{ cat "$tmp/two.log"; echo "${ort}Cpu BFC Arena shrunk by 2097152 bytes.  The total allocated bytes is now 1048576"; request 100 1048576 2097152 0xc00000 0xd00000; } >"$tmp/shrunk.log"
run plan "$tmp/shrunk.log" --format json
check "ONNX Runtime: it shrinks" json '.peak == 3145728 and .details.segments_freed == 1 and .details.segments_grown == 3'
request 1440744 16777216 34603008 0x14cd74000 0x14dd74000 >"$tmp/middle.log"
run plan "$tmp/middle.log" --format json
check "ONNX Runtime: from the middle" json '.peak == 34603008 and .details.reserved_elsewhere == 17825792 and .details.segments_grown == 1'
run plan "$tmp/middle.log"
check "ONNX Runtime: what was there before" says '^  before the log +17 MiB +17,825,792 B   in regions that it does not show$'
tf='x bfc_allocator.cc:1]'
printf '%s\n' "$tf AllocateRaw GPU_0_bfc  1024" "$tf Extending allocation by 2.00MiB bytes for GPU_0_bfc." "$tf Total allocated bytes: 8.00MiB" \
    "$tf Allocated memory at 0x800000 to 0xa00000" "$tf AllocateRaw GPU_0_bfc  1024 0x800000" "$tf AllocateRaw GPU_0_bfc  512" \
    "$tf AllocateRaw GPU_0_bfc  512 0x100000" >"$tmp/tf.log"
run plan "$tmp/tf.log" --format json
check "TensorFlow: from the middle" json '.peak == 8388608 and .details.reserved_elsewhere == 6 * 1048576 - 512'
printf 'last\npane blame\nwhole\n' >"$tmp/blame.txt"
run "$tmp/two.log" --script "$tmp/blame.txt" --screen 160x40
check "ONNX Runtime: blame has the log's growths" says 'At most 3M were reserved. They grew 2 times, for:'
check "ONNX Runtime: no advice where requests are left out" says 'What other settings would reserve is not known: the log leaves out requests'
cases=$SOURCE/../shared/cases
if [ -d "$cases" ]; then
    run plan "$cases/ort_arena.log" -p bfc-arena --format json
    check "ort_arena.log" json '.peak == 7340032 and .details.segments_grown == 3'
    run plan "$cases/ort_log_from_the_middle.log" --format json
    check "ort_log_from_the_middle.log" json '.peak == 34603008'
else
    skip "$cases is not there"
fi

# ---- a growth is a request that makes what is reserved grow: one count, wherever it is told ----
requests "$tmp/grows.csv" 'a 1000, b 500, free a, c 3000000, free b, free c, d 4000, e 10, free d, f 9000000, free e, g 40, free f, h 9500000'
for allocator in cuda-caching bfc-arena ggml-dyn tlsf buddy free-list; do
    run plan "$tmp/grows.csv" -p "$allocator" --format json
    grown=$(jq .details.grown "$tmp/out")
    check "$allocator: it grows" test "$grown" -gt 1
    run plan "$tmp/grows.csv" -p "$allocator"
    check "$allocator: growths in the summary" says ", of which $grown grew what is reserved"
    run compare "$tmp/grows.csv" --format json
    check "$allocator: growths compared" json ".allocators[] | select(.planner == \"$allocator\") | .grown == $grown"
    run compare "$tmp/grows.csv" --format csv
    check "$allocator: growths in a table" same "$(sed -n "s/^$allocator,//p" "$tmp/out" | cut -d, -f8)" "$grown"
    run "$tmp/grows.csv" -p "$allocator" --script "$tmp/blame.txt" --screen 160x40
    check "$allocator: growths in blame" says "They grew $grown times|\\. $grown requests grew what is reserved"
done

# ---- what ggml recorded is compared first, and its allocator is the one that the file is about ----
ggml=$SOURCE/tests/fuzz/corpus/ggml_log/runs
run plan "$ggml" --format json
peak=$(jq .peak "$tmp/out")
run compare "$ggml" --format json
check "ggml: its own run" json ".recorded.planner == \"recorded (ggml)\" and .recorded.reserved == $peak and .recorded.grown > 0"
check "ggml: its allocator comes first" json '.allocators[0].planner == "ggml-dyn" and .allocators[0].reserved >= .lower_bound_rounded'
run compare "$ggml"
check "ggml: which allocator rounds so" says ', as ggml-dyn rounds sizes$'
check "ggml: its own run is a row" says "^recorded \\(ggml\\) "
run tune "$ggml"
check "ggml: what tune is about" says '^.of ggml-dyn, the allocator of this file, there are no settings to try; these are cuda-caching.s, and -p bfc-arena'
run diff "$ggml" "$ggml"
check "ggml: two logs" says '^growths +[1-9]'

run plan "$SOURCE/tests/fuzz/corpus/bfc_tensorflow/sizes" --format json
tensorflow=$(reserved)
run plan "$SOURCE/tests/fuzz/corpus/bfc_tensorflow/sizes" --set flavor=onnxruntime --format json
check "TensorFlow: its flavor, with a first region twice as large" same "$tensorflow" "$((2 * $(reserved)))"

# ---- the program's own events in a snapshot ----
run trace "$SOURCE/tests/fuzz/corpus/pytorch/marks.pickle"
check "user_defined and snapshot are marks" same "$(jq -r 'select(.sentence | startswith("marks")) | "\(.step) \(.time) \(.sentence)"' "$tmp/out" | tr '\n' ';')" \
    "6 1 marks this moment: user_defined: epoch 3;7 1 marks this moment: snapshot;"
run plan "$SOURCE/tests/fuzz/corpus/pytorch/marks.pickle"
check "and change nothing" says 'requests +2, each predicted where it was recorded'

# ---- a choice where nothing is looked at would spoil a later decision ----
for where in 0 1; do
    printf 'goto %d\nchoose 1\n' $where >"$tmp/script"
    refuses "nothing to choose at decision $((where + 1))" "$models/out_of_memory.csv" -p cuda-caching --script "$tmp/script" --screen 80x24 \
        because ".*this decision has no candidates to choose from"
done
finish
