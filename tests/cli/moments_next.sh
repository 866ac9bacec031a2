#!/usr/bin/env bash
# Two moments of an allocator compared, and requests that go on from one.
. "$(dirname "$0")/lib.bash"

says_in() { grep -Eq "$2" "$1"; }

# moment FILE SEED: a dump of chunks as TensorFlow prints it, and beside it FILE.csv, a line for each chunk in use: its size.
moment() {
    awk -v seed="$2" -v list="$1.csv" 'BEGIN {
        srand(seed)
        for (r = 0; r < 4; r++) {
            size = 2097152 * 2 ^ r; left = size; at = 268435456 * (r + 1); printf "" >list
            print "bfc_allocator.cc:1046] Next region of size " size
            while (left > 0) {
                n = 256 * int(1 + rand() * rand() * 8192); n = n > left ? left : n
                used = rand() < 0.6 || free_before
                printf "bfc_allocator.cc:1066] %s at %x of size %d next 1\n", used ? "InUse" : "Free ", at, n
                if (used) print n >list
                free_before = !used; at += n; left -= n
            }
        }
    }' >"$1"
}
# by_size OLD NEW: what the chunks of both lists come to by size where they differ, the largest change first.
by_size() {
    awk 'FNR == 1 { file++ } { count[file, $1]++; seen[$1] = 1 }
        END { for (s in seen) if (count[1, s] != count[2, s]) {
                change = s * (count[2, s] - count[1, s])
                print (change < 0 ? -change : change), s, count[1, s] * s, count[2, s] * s, count[1, s] + 0, count[2, s] + 0 } }' \
        "$1" "$2" | sort -k1,1nr -k2,2n | awk '{ print $3 "," $4 "," $5 "," $6 "," $2 }'
}
for seed in 1 2 3; do
    moment "$tmp/old" "$seed"
    moment "$tmp/new" "$((seed + 10))"
    more=$(awk 'FNR == 1 { f++ } { sum[f] += $1 } END { print (sum[2] > sum[1]), sum[1], sum[2] }' "$tmp/old.csv" "$tmp/new.csv")
    run diff "$tmp/old" "$tmp/new" --format json
    check "diff $seed: the status says whether more is in use" same "$status ${more#* }" \
        "${more% * *} $(jq -r '"\(.old.in_use) \(.new.in_use)"' "$tmp/out")"
    check "diff $seed: reserved" json '.old.reserved == 31457280 and .new.free == .new.reserved - .new.in_use'
    check "diff $seed: by size" same "$(by_size "$tmp/old.csv" "$tmp/new.csv")" \
        "$(jq -r '.sizes[] | "\(.old),\(.new),\(.old_blocks),\(.new_blocks),\(.size)"' "$tmp/out")"
    run diff "$tmp/old" "$tmp/new" --format csv
    check "diff $seed: the same as CSV" same "$(by_size "$tmp/old.csv" "$tmp/new.csv" | sed 's/^/size,/; s/$/,/')" "$(tail -n +2 "$tmp/out")"
done
run diff "$tmp/old" "$tmp/old"
check 'a moment and itself: exit 0' exits 0
check 'a moment and itself' says 'The new one holds as much in use.'
refuses 'a moment and a model' diff "$tmp/old" "$SOURCE/scripts/models/mobilenet_v1_025_96.json" because \
    '.*old: this is one moment of an allocator, which compares with another moment only'
refuses 'a planner of two moments' diff "$tmp/old" "$tmp/new" -p best-fit because 'two moments have no times: no planner runs'
refuses 'a picture of two moments' diff "$tmp/old" "$tmp/new" -o "$tmp/picture.svg" because 'two moments have no times'
check 'a picture of two moments is not written' test ! -e "$tmp/picture.svg"
# Only the totals are told, and rounded: a difference within their rounding is none.
totals() { printf 'bfc_allocator.cc:1095] Sum Total of in-use chunks: %s\n' "$1"; }
totals 10.00GiB >"$tmp/old"
totals 10.01GiB >"$tmp/new"
run diff "$tmp/old" "$tmp/new"
check 'within the rounding: exit 0' exits 0
check 'within the rounding' says 'The rounding of the figures leaves open which holds more in use.'
totals 10.05GiB >"$tmp/new"
run diff "$tmp/old" "$tmp/new"
check 'beyond the rounding: exit 1' exits 1

# ---- requests from a moment on ----

check 'random heaps serve random requests as the rules once more do' python3 "$(dirname "$0")/moment_rules.py" "$STOWAGE" "$tmp" 25
then_requests() { printf 'event,id,size\n' >"$tmp/then.csv"; printf 'alloc,%s\n' "$@" >>"$tmp/then.csv"; }
cat >"$tmp/oom" <<'T'
bfc_allocator.cc:1046] Next region of size 4194304
bfc_allocator.cc:1066] InUse at 10000000 of size 1048576 next 2
bfc_allocator.cc:1066] Free  at 10100000 of size 1572864 next 3
bfc_allocator.cc:1066] InUse at 10280000 of size 1048576 next 4
bfc_allocator.cc:1066] Free  at 10380000 of size 524288 next 18446744073709551615
bfc_allocator.cc:1101] Stats:
Limit:                     4194304
T
then_requests again,1572865
run plan "$tmp/oom" --then "$tmp/then.csv" --format json
check 'one byte more than the largest piece fails: exit 1' exits 1
check 'one byte more than the largest piece fails' json '.limit == 4194304 and .limit_from == "told"
    and (.requests[0] | .served == false and .address == null) and .after.failed == 1 and .after.in_use == 2097152'
then_requests fits,1572864
run plan "$tmp/oom" --then "$tmp/then.csv" --format json
check 'the largest piece serves a request as large: exit 0' exits 0
check 'the largest piece serves it at its address' json '.requests[0] | .served and .address == 269484032 and .block == 1572864'
run plan "$tmp/oom" --then "$tmp/then.csv"
check 'the same in words' says '^alloc  fits  1,572,864  1,572,864  0x10100000'
then_requests more,2097152
run plan "$tmp/oom" --then "$tmp/then.csv" --capacity 6M --format json
check 'with another limit there is a new region, whose address is not made up' json \
    '.limit_from == "given" and (.requests[0] | .served and .address == null and .new_segment == 2097152)'
refuses 'a limit below what is reserved' plan "$tmp/oom" --then "$tmp/then.csv" --capacity 1M because 'a limit of 1048576 B is less'
refuses 'the rules of another allocator' plan "$tmp/oom" --then "$tmp/then.csv" -p cuda-caching because \
    'this moment is of an allocator with the rules of bfc-arena'
refuses 'a planner that serves no requests' plan "$tmp/oom" --then "$tmp/then.csv" -p best-fit because 'requests follow a moment'
refuses 'totals alone' plan "$tmp/old" --then "$tmp/then.csv" because 'no request can follow this moment: it shows no segments'
sed 2d "$tmp/oom" >"$tmp/part"
refuses 'a moment that is shown in part' plan "$tmp/part" --then "$tmp/then.csv" because 'no request can follow this moment'
refuses 'a model' plan "$SOURCE/scripts/models/mobilenet_v1_025_96.json" --then "$tmp/then.csv" because '.*--then goes on from one moment'
refuses 'no table of requests' plan "$tmp/oom" --then "$SOURCE/scripts/models/mobilenet_v1_025_96.json" because '.*--then takes a table of requests'

# ---- the run, decision by decision ----

printf 'event,id,size\nalloc,one,1572864\nalloc,two,400000\nfree,one,\nalloc,three,300000\nempty_cache,,\nfree,two,\n' >"$tmp/run.csv"
run trace "$tmp/oom" --then "$tmp/run.csv"
check 'the first request is the first decision, with what the moment shows in place' test \
    "$(jq -r 'select(.step == 1) | "\(.kind) \(.buffer) \(.live) \(.peak)"' "$tmp/out")" = 'request one 2097152 4194304'
check 'a find has its candidates and refusals' test "$(jq -c 'select(.step == 2) | [.kind, .offset, (.candidates | map(.verdict))]' "$tmp/out")" = \
    '["find",1048576,["refused","chosen"]]'
printf 'goto 2\n' >"$tmp/goto"
run "$tmp/oom" --then "$tmp/run.csv" --script "$tmp/goto" --screen 110x30
check 'the explorer steps it' says 'decision 2: find'
check 'the explorer shows what was there' says '0x10280000'
check 'and tells addresses, as the table of requests does' says '│ 0x10100000: the smallest free chunk'
printf 'goto 9\ngoto 2\n' >"$tmp/goto"
run "$tmp/oom" --then "$tmp/run.csv" --script "$tmp/goto" --screen 110x30
check 'and back' test "$(grep -c 'decision 2: find' "$tmp/out")" = 1
printf 'goto 2\nsave then.sess\n' >"$tmp/goto"
(cd "$tmp" && "$STOWAGE" oom --then run.csv --script goto --screen 110x30 >frame)
run "$tmp/then.sess" --screen 110x30
check 'a session keeps the table' says 'decision 2: find'
run plan "$tmp/oom" --then "$tmp/run.csv" -o "$tmp/run_plan.csv"
check 'its plan is written' exits 0
check 'what was there lies where it lay' test "$(grep -c '^0x10000000,.*,1048576,0$\|^0x10280000,.*,1048576,2621440$' "$tmp/run_plan.csv")" = 2
run check "$tmp/oom" --then "$tmp/run.csv" "$tmp/run_plan.csv"
check 'check accepts the plan' exits 0
sed 's/^two,\([0-9]*,[0-9]*,[0-9]*\),.*/two,\1,0/' "$tmp/run_plan.csv" >"$tmp/wrong_plan.csv"
run check "$tmp/oom" --then "$tmp/run.csv" "$tmp/wrong_plan.csv"
check 'check refuses one on a block that was there' exits 1
run convert "$tmp/oom" --then "$tmp/run.csv" -o "$tmp/run.json"
run plan "$tmp/oom" --then "$tmp/run.csv" --format json
cp "$tmp/out" "$tmp/told"
run plan "$tmp/run.json" --format json
check 'JSON keeps moment and requests' cmp -s <(sed 's/"graph":"[a-z]*"//' "$tmp/told") <(sed 's/"graph":"[a-z]*"//' "$tmp/out")
run convert "$tmp/run.json" -o "$tmp/again.json"
check 'JSON of JSON is the same' cmp "$tmp/run.json" "$tmp/again.json"
run check "$tmp/run.json" "$tmp/run_plan.csv"
check 'check accepts the plan of the JSON' exits 0
refuses 'requests after requests' plan "$tmp/run.json" --then "$tmp/run.csv" because '.*--then goes on from one moment'
refuses 'a start without what it shows' plan "$tmp/oom" --then "$tmp/run.csv" --set start=all because 'start=all: requests that follow'
refuses 'other allocators' compare "$tmp/oom" --then "$tmp/run.csv" because '.*requests that follow a moment have the rules of its allocator'
refuses 'two such runs' diff "$tmp/run.json" "$tmp/run.json" because 'requests that follow a moment are not compared'
refuses 'a request that is two' plan <(sed 's/{"free":"one"}/{"free":"one","alloc":"x"}/' "$tmp/run.json") because '.*a request has one of'
refuses 'a second of a name' plan <(sed 's/"alloc":"two"/"alloc":"one"/' "$tmp/run.json") because ".*'one' is allocated already"
for option in --seed=3 -pbfc-arena --capacity=8M --set=max_dead=1 --work=9 --base=4096 --time-limit=1 --bounds --threads=2 --max-peak=1K; do
    refuses "no plan of a moment, so no $option" plan "$tmp/oom" "$option" because '.*--then REQUESTS.csv goes on from it'
done
refuses 'nor in the explorer' "$tmp/oom" --seed 3 --screen 80x10 because '.*--then REQUESTS.csv goes on from it'

# A table may give back what the moment shows, and is written by hand.
printf 'event,id,size\nfree,0x10280000,\nalloc,wide,3 MiB\n' >"$tmp/gives.csv"
run plan "$tmp/oom" --then "$tmp/gives.csv" --format json
check 'a block of the moment is given back, and makes room' json \
    '.requests[1] | .served and .address == 269484032 and .size == 3145728 and .block == 3145728'
run convert "$tmp/oom" --then "$tmp/gives.csv" -o "$tmp/gives.json"
run plan "$tmp/oom" --then "$tmp/gives.csv" -o "$tmp/gives_plan.csv"
run check "$tmp/gives.json" "$tmp/gives_plan.csv"
check 'JSON keeps that, and check accepts the plan' exits 0
check 'the block ends there' says_in "$tmp/gives_plan.csv" '^0x10280000,-1,0,'
printf 'event,id,size\nfree,0x10280000,\nfree,0x10280000,\n' >"$tmp/gives.csv"
refuses 'a block given back twice' plan "$tmp/oom" --then "$tmp/gives.csv" because ".*3:6: '0x10280000' is freed, and has been freed before"
printf 'event,id,size\nfree,0x10100000,\n' >"$tmp/gives.csv"
refuses 'what is free is not given back' plan "$tmp/oom" --then "$tmp/gives.csv" because ".*'0x10100000' is freed, and was never allocated"
printf 'id,size\na,300\n' >"$tmp/gives.csv"
refuses 'another table' plan "$tmp/oom" --then "$tmp/gives.csv" because '.*--then takes a table of requests: event,id,size,stream; event is alloc, free or empty_cache'
then_requests huge,3000000
run plan "$tmp/oom" --then "$tmp/then.csv"
check 'what was refused is said' says 'no new segment: another 3,000,064 B are more than it may reserve'

# What the explorer says of a run that fails, at its decisions.
printf 'event,id,size\nalloc,one,1500000\nalloc,huge,3000000\n' >"$tmp/fails.csv"
# at COMMAND...: the screen behind them.
at() {
    printf '%s\n' "$@" >"$tmp/goto"
    run "$tmp/oom" --then "$tmp/fails.csv" --script "$tmp/goto" --screen "${screen:-110x30}"
}
at last
check 'its header has what is in use and what failed, and no bound' says 'reserved 4M  in use 3.5M  free 512K  largest free 512K  failed 2.86M'
check 'which is said of the decision as well' says 'Failed: 2.86M\.'
check 'what failed counts in no bound' says '─bound 2M─'
check 'live bytes are those that were asked for' says 'live bytes if all were served: most 6.29M at step [0-9]'
at goto-peak
check 'no block was moved' says 'no decision set the peak of 4M: the moment already had as much reserved'
at 'goto 3'
check 'a chunk that is not split has a rest' says 'The block is not split: 71.2K of'
printf 'event,id,size\nalloc,one,700000\nalloc,huge,3000000\nalloc,three,4000000\n' >"$tmp/fails.csv"
at 'goto 3'
check 'one that is split is larger' says 'The block is [0-9.]*K larger'
screen=80x24 at last
check 'no sentence is cut in the middle' says 'the first of them huge\.'
unset screen

# ---- expandable segments ----

cat >"$tmp/pages.json" <<'T'
{"moment":{"planner":"cuda-caching","settings":"expandable_segments:True","told":[{"figure":"limit","bytes":62914560}],"segments":[
  {"address":1099511627776,"size":20971520,"pool":"large","stream":"0","expandable":true,"blocks":[
    {"address":1099511627776,"size":4194304,"state":"in use"},{"address":1099515822080,"size":16777216,"state":"free"}]}]}}
T
then_requests wide,25165824
run plan "$tmp/pages.json" --then "$tmp/then.csv" --format json
check 'an expandable segment grows at its end, from what is free there' json \
    '.requests[0] | .served and .address == 1099515822080 and .new_segment == 20971520 and .block == 25165824'
then_requests wide,25165824 wider,33554432
run plan "$tmp/pages.json" --then "$tmp/then.csv" --format json
check 'up to the limit' json '(.requests | map(.served)) == [true, false] and .after.reserved == 41943040'
run plan "$tmp/pages.json" --then "$tmp/then.csv" -o "$tmp/pages.csv"
check 'and ends there' exits 1
then_requests wide,25165824
run plan "$tmp/pages.json" --then "$tmp/then.csv" -o "$tmp/pages.csv"
run check "$tmp/pages.json" --then "$tmp/then.csv" "$tmp/pages.csv"
check 'check accepts the plan over new pages' exits 0
run convert "$tmp/pages.json" -o "$tmp/pages2.json"
check 'JSON keeps it' test "$(jq -c '[.moment.segments[].expandable]' "$tmp/pages2.json")" = '[true]'
run plan "$tmp/pages.json" --format json
check 'no block pins it: its pages go one by one' test "$(grep -c pinned "$tmp/out")" = 0
sed 's/"expandable":true,//' "$tmp/pages.json" >"$tmp/plain_pages.json"
refuses 'pages of which it is not told which they are' plan "$tmp/plain_pages.json" --then "$tmp/then.csv" because \
    'no request can follow this moment: its segments are expandable'

# ---- other settings ----

# settings LINE...: what is said of them.
settings() {
    printf '%s\n' 'plain moment' "$@" >"$tmp/s.moment"
    run plan "$tmp/s.moment" --reader "$tmp/plain.lua" --format json
}
two_free=('S 4096 2097152 - -' 'B 4096 2097152 free' 'S 8388608 2097152 - -' 'B 8388608 2097152 free'
    'S 16777216 2097152 - -' 'B 16777216 2097152 used' 'L 6291456' 'F 3145728')
settings 'P bfc-arena flavor=tensorflow' "${two_free[@]}"
check 'two free regions make room for a third' json '.moment.failed.ways | any(. == "Asked again on the heap as it stands, it fits with garbage_collection=true.")'
settings 'P bfc-arena' "${two_free[@]}"
check 'ONNX Runtime has no such setting' json '.moment.failed.ways | any(test("fails with strategy=same-as-requested, too"))'
split=('S 4194304 41943040 large 0' 'B 4194304 31457280 free' 'B 35651584 10485760 used' 'L 41943040' 'F 11534336')
settings 'P cuda-caching max_split_size_mb:20' "${split[@]}"
check 'a block that the settings keep whole' json \
    '.moment.failed.ways | any(. == "Asked again on the heap as it stands, it fits with max_split_size_mb=none, or max_split_size_mb=128, or max_split_size_mb=512.")'
settings 'P cuda-caching' "${split[@]}"
check 'where by what is told it fits nothing is claimed' json '.moment.failed.ways | any(test("Asked again")) | not'

# Two allocators, and the first of them has too little.
cat >"$tmp/several.json" <<'T'
{"format": "stowage-graph", "version": 1, "moment": {"planner": "bfc-arena", "failed": {"size": 10485760, "rounded": 10485760, "allocator": "a"},
 "told": [{"figure": "limit", "allocator": "a", "bytes": 20971520}, {"figure": "limit", "allocator": "b", "bytes": 104857600}],
 "segments": [{"address": 16777216, "size": 16777216, "allocator": "a", "blocks": [{"address": 16777216, "size": 12582912, "state": "in use"},
   {"address": 29360128, "size": 4194304, "state": "free"}]},
  {"address": 134217728, "size": 67108864, "allocator": "b", "blocks": [{"address": 134217728, "size": 67108864, "state": "free"}]}]}}
T
run plan "$tmp/several.json" --format json
check 'of several allocators the sums are of the one that failed' json '.moment.failed.why | any(test("4 MiB are free, 4 MiB in the largest piece")) and any(test("the limit leaves 4 MiB"))'

cat >"$tmp/part.json" <<'T'
{"format": "stowage-graph", "version": 1, "moment": {"planner": "bfc-arena", "failed": {"size": 10485760, "rounded": 10485760},
 "told": [{"figure": "reserved", "bytes": 67108864}],
 "segments": [{"address": 16777216, "size": 16777216, "blocks": [{"address": 16777216, "size": 12582912, "state": "in use"},
   {"address": 29360128, "size": 4194304, "state": "free"}]}]}}
T
run plan "$tmp/part.json" --format json
check 'where a part of the heap only is shown it is not asked again' json '.moment.failed.ways | length == 1 and (any(test("Asked again")) | not)'

# ---- in Lua ----

cat >"$tmp/lua.lua" <<'T'
return {
  name = "moments",
  cases = function(args) return {{name = "oom", path = args.path}} end,
  run = function(case)
    local graph = stowage.load(case.path)
    local moment = graph:moment()
    local sum = 0
    for _, segment in ipairs(moment.segments) do
      for _, block in ipairs(segment.blocks) do sum = sum + (block.state == "in use" and block.size or 0) end
    end
    local went = graph:go_on {requests = {{alloc = "a", size = 1572864}, {alloc = "b", size = 600000}, {free = "a"}, {alloc = "b2", size = 600000}}}
    local refused = select(2, pcall(graph.go_on, graph, {requests = {{free = "x"}}}))
    local larger = graph:go_on {limit = 6 << 20, requests = {{alloc = "a", size = 2 << 20}}}
    local settings = graph:go_on {settings = {max_dead = 0}, requests = {{alloc = "a", size = 1400000}}}
    local unknown = select(2, pcall(graph.go_on, graph, {settings = {nope = 1}, requests = {}}))
    return {settings = settings[1].block, unknown = unknown, sum = sum, in_use = moment.in_use, limit = moment.limit, segments = #moment.segments, by_size = moment.sizes[1].count,
            a = went[1].address, a_block = went[1].block, b = went[2].served, b2 = went[4].address, in_use_then = went.in_use,
            refused = refused, larger = larger[1].new_segment, model = stowage.load("resnet8"):moment() == nil}
  end,
  report = function(rows, out)
    local r, keys = rows[1], {}
    for key in pairs(r) do keys[#keys + 1] = key end
    table.sort(keys)
    for _, key in ipairs(keys) do out:text(key .. " " .. tostring(r[key])) end
  end,
}
T
run run "$tmp/lua.lua" path="$tmp/oom"
check 'Lua: exit 0' exits 0
for line in 'sum 2097152' 'in_use 2097152' 'limit 4194304' 'segments 1' 'by_size 2' 'a 269484032' 'a_block 1572864' 'b false' \
    'b2 269484032' 'in_use_then 2697216' 'larger 2097152' 'model true' 'settings 1400064' "unknown .*has no parameter 'nope'" \
    "refused .*'x' is freed, and was never allocated"; do
    check "Lua: $line" says "^$line"
done

# ---- sums that contradict the chunks; sides that tell no blocks; figures that are rounded ----
cd "$tmp" || exit 1
log=$SOURCE/scripts/models/out_of_memory_moment.log
sed '/ Free  at 7f3c47a80000 of size/s/ Free  at/ InUse at/' "$log" >flipped.log
grep -q ' InUse at 7f3c47a80000' flipped.log || sed '0,/ Free  at /s// InUse at /' "$log" >flipped.log
flipped=$(diff "$log" flipped.log | sed -n 's/^>.* of size \([0-9]*\).*/\1/p')
used=$(awk '/ InUse at / { sub(/.* size /, ""); sum += $1 } END { printf "%d", sum }' "$log")
free=$(awk '/ Free  at / { sub(/.* size /, ""); sum += $1 } END { printf "%d", sum }' flipped.log)
reserved=$(awk '/Next region of size/ { sum += $NF } END { printf "%d", sum }' "$log")
grouped() { printf '%s' "$1" | sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta'; }
run plan flipped.log
check 'a chunk that the sums have as free' says 'Where the text and what it shows differ'
check 'figures that do not come to what is reserved' says "In use and free come to $(grouped $((used + free))) B together; reserved are $(grouped "$reserved") B"
run diff "$log" flipped.log
check 'the verdict is by the sums' says 'The new one holds as much in use\.'
check 'and says what the blocks come to' says "Of the new one this is what the text says; the blocks that it shows come to $(grouped $((used + flipped))) B\."
echo 'CUDA out of memory. Tried to allocate 978.00 MiB (GPU 0; 15.90 GiB total capacity; 14.22 GiB already allocated; 167.88 MiB free; 14.99 GiB reserved in total by PyTorch)' >torch.txt
run diff "$log" torch.txt
check 'a side without blocks: no table of sizes' [ -z "$(grep 'In use, by size' out)" ]
check 'and why' says 'Blocks are told of the old one alone: what grew by size does not follow\.'
check 'a difference of rounded figures is about so much' says "The new one holds about $(grouped "$(awk -v used="$used" 'BEGIN { printf "%.0f", int(14.22 * 1073741824 + 0.5) - used }')") B more in use"
run diff "$log" torch.txt --format json
check 'as JSON, too' json '.sizes == []'

finish
