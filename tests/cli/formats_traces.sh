#!/usr/bin/env bash
# What gzip compressed, what a run recorded (memory snapshots of PyTorch), and logs of decisions.
. "$(dirname "$0")/lib.bash"

# Is it true of standard output, and is there any?
figures() { [ -s "$tmp/out" ] && json "$1"; }

printf 'id,lower,upper,size\na,0,2,8\nb,1,3,16\n' >"$tmp/x.csv"
gzip -c "$tmp/x.csv" >"$tmp/x.csv.gz"
run plan "$tmp/x.csv.gz" --format json
check "gzip: a file" figures '.buffers == 2 and .peak == 24 and .graph == "x"'
gzip -c "$tmp/x.csv" | "$STOWAGE" plan - --format json >"$tmp/out" 2>"$tmp/err"
check "gzip: standard input" figures '.buffers == 2 and .peak == 24'
cat "$tmp/x.csv.gz" "$tmp/x.csv.gz" >"$tmp/twice.csv.gz"
refuses "gzip: two members are one text" plan "$tmp/twice.csv.gz" because '.*twice.csv.gz:4:'
echo 'return {operators = {}, buffers = {{name = "a", size = 3, first = 0, last = 1}}}' >"$tmp/p.lua"
gzip "$tmp/p.lua"
run plan "$tmp/p.lua.gz" --format json
check "gzip: a program" figures '.naive == 3'
run plan "$tmp/x.csv.gz" -o "$tmp/plan.csv"
gzip "$tmp/plan.csv"
run check "$tmp/x.csv" "$tmp/plan.csv.gz"
check "gzip: a plan" exits 0
head -c 20 "$tmp/x.csv.gz" >"$tmp/cut.csv.gz"
refuses "gzip: cut off" plan "$tmp/cut.csv.gz" because '.*cut.csv.gz: the gzip data is cut off at offset 20$'
printf '\037\213\010' | "$STOWAGE" plan - >"$tmp/out" 2>"$tmp/err"
check "gzip: cut off in standard input" complains '.*-: the gzip data is cut off at offset 3$'

# A snapshot of three allocations, protocol 4.
byte() { printf "$(printf '\\%03o' "$1")"; }
text() { printf '\214'; byte "${#1}"; printf %s "$1"; }
event() { # ACTION ADDRESS SIZE (below 256)
    printf '}('
    text action; text "$1"
    text addr; printf K; byte "$2"
    text size; printf K; byte "$3"
    text frames; printf ']}('
    text name; text forward
    text filename; text model.py
    text line; printf 'K\007ua'
    printf 'u'
}
snapshot() {
    printf '\200\004}('
    text segments; printf '](}('
    text address; printf 'K\000'
    text total_size; printf 'M\000\001'
    text stream; printf 'K\000ue'
    text device_traces; printf '](]('
    event alloc 64 64; event alloc 128 64; event free_requested 64 64; event free_completed 64 64
    event alloc 64 32
    printf 'eeu.'
}
snapshot >"$tmp/x.pickle"
run "$tmp/x.pickle" -p as-built
check "snapshot: opens" exits 0
check "snapshot: says what its intervals mean" says '^note: .*exclusive'
check "snapshot: says what is reserved" says '^note: .*segments at the end: 1, 256 bytes reserved'
run plan "$tmp/x.pickle" -p as-built --format json
check "snapshot: figures" figures '.buffers == 3 and .naive == 160 and .lower_bound == 128 and .peak == 192'
run plan "$tmp/x.pickle" -p as-built -o "$tmp/as_built.csv"
run check "$tmp/x.pickle" "$tmp/as_built.csv"
check "snapshot: valid" exits 0
run convert "$tmp/x.pickle" -o "$tmp/x.json"
check "snapshot: says which code asked" grep -q '"origin":"forward (model.py:7)"' "$tmp/x.json"
snapshot | gzip >"$tmp/x.pickle.gz"
run plan "$tmp/x.pickle.gz" --format json
check "snapshot: compressed" figures '.buffers == 3 and .graph == "x"'
run compare "$tmp/x.pickle" -p as-built,greedy-by-size --format json
check "snapshot: compared" figures 'all(.planners[]; .feasible)'
head -c 100 "$tmp/x.pickle" >"$tmp/cut.pickle"
refuses "snapshot: cut off" plan "$tmp/cut.pickle" because '.*cut.pickle: the pickle is cut off at offset 100$'
printf '\200\002cos\nsystem\n(U\002idtR.' >"$tmp/code.pickle"
refuses "snapshot: code" plan "$tmp/code.pickle" because \
    '.*code.pickle: the pickle wants to run code \(opcode GLOBAL\) at offset 2; only plain values are read$'
printf '\200\002].' >"$tmp/list.pickle"
refuses "snapshot: another pickle" plan "$tmp/list.pickle" because '.*the pickle is no snapshot of memory'

# A block that is there all along, one that is freed in the run, and one that waits for another stream.
int() { printf J; byte $(($1 & 255)); byte $(($1 >> 8 & 255)); byte $(($1 >> 16 & 255)); byte 0; }
block() { # ADDRESS SIZE ASKED STATE
    printf '}('
    text address; int "$1"; text size; int "$2"; text requested_size; int "$3"; text state; text "$4"
    printf 'u'
}
moment() { # ACTION ADDRESS SIZE
    printf '}('
    text action; text "$1"; text addr; int "$2"; text size; int "$3"
    printf 'u'
}
older() {
    printf '\200\004}('
    text segments; printf '](}('
    text address; int 0; text total_size; int 2097152; text stream; printf 'K\000'; text segment_type; text small
    text blocks; printf ']('
    block 0 512 300 active_allocated; block 512 1024 1000 active_pending_free; block 1536 512 400 active_allocated
    block 2048 2095104 0 inactive
    printf 'eue'
    text device_traces; printf '](]('
    moment free_requested 4096 700; moment free_completed 4096 700
    moment alloc 512 1000; moment free_requested 512 1000; moment alloc 1536 400
    printf 'eeu.'
}
# one_bound NAME FILE BYTES WORDS: all outputs have this lower bound.
one_bound() {
    local planner
    for planner in cuda-caching as-built greedy-by-size; do
        run plan "$2" -p $planner --format json
        check "$1, $planner: the bound" figures ".lower_bound == $3"
        run plan "$2" -p $planner
        check "$1, $planner: the bound in words" says "^  lower bound .* $4 B "
    done
    run plan "$2" --format csv
    check "$1: the bound in a row" same "$(sed -n 2p "$tmp/out" | cut -d, -f7)" "$3"
    run compare "$2" --format json
    check "$1: compared" figures ".lower_bound_rounded == $3 and .offline.lower_bound == $3"
    run compare "$2" -p as-built,cuda-caching --format json
    check "$1: compared by name" figures ".lower_bound == $3"
    printf 'last\npane bounds\n' >"$tmp/bounds.txt"
    run "$2" --script "$tmp/bounds.txt" --screen 200x60
    check "$1: in the explorer" says "peak: at least $4 B"
    check "$1: by name" says '0x[0-9a-f]*@before'
}
older >"$tmp/older.pickle"
one_bound "older blocks" "$tmp/older.pickle" 2048 2,048
run plan "$tmp/older.pickle" --format json
check "older blocks: all predicted" figures '.buffers == 4 and .details.hits == 2 and .details.allocs == 2'
check "asked for counts until the release is completed" figures '.details.requested == 1700'
check "older blocks: where they lie" figures '.placements | map(select(.buffer | test("before")) | [.buffer, .offset, .size, .first]) | sort ==
    [["0x0@before", 0, 512, -1], ["0x1000@before", 4096, 1024, -1]]'
run plan "$tmp/older.pickle" --set start=trace --format json
check "older blocks: not with start=trace" figures '.buffers == 2 and .lower_bound == 1536 and .feasible'
run plan "$tmp/older.pickle" --set start=all --format json
check "older blocks: asked for first with start=all" figures '.buffers == 4 and .details.allocs == 4 and .feasible'
printf 'last\ngoto-block 0x0@before\n' >"$tmp/older.txt"
run "$tmp/older.pickle" -p as-built --script "$tmp/older.txt" --screen 120x40
check "older blocks: said in words" says 'before the recording, 512 bytes, 300'
if [ -f "$data/pytorch/train_512.pickle.gz" ]; then
    one_bound train_512 "$data/pytorch/train_512.pickle.gz" 12426630144 12,426,630,144
else
    skip "$data/pytorch/train_512.pickle.gz is not there"
fi

# ---- requests ----

printf 'event,id,size,stream\nalloc,a,100,\nalloc,b,50,7\nfree,a\nempty_cache\nalloc,a,30,0\n' >"$tmp/requests.csv"
run plan "$tmp/requests.csv" -p first-fit --format json
check "requests: a table" figures '.buffers == 3 and .lower_bound == 150 and .peak == 150'
gzip -c "$tmp/requests.csv" | "$STOWAGE" plan - -p first-fit --format json >"$tmp/out" 2>"$tmp/err"
check "requests: compressed" figures '.buffers == 3'
printf 'event,id,size\nalloc,a,1\nfree,b\n' >"$tmp/requests_bad.csv"
refuses "requests: a free of nothing" plan "$tmp/requests_bad.csv" because ".*requests_bad.csv:3:6: 'b' is freed, and was never allocated$"
printf '= Start\n@ ./prog:[0x11c0] + 0x5000 0x64\n@ ./prog:[0x11d0] - 0x5000\n' >"$tmp/m.txt"
run convert "$tmp/m.txt" -o "$tmp/m.json"
check "requests: mtrace says which code asked" grep -q '"origin":"./prog:\[0x11c0\]"' "$tmp/m.json"
printf 'v 10400 3\nX ./prog\ns 4 main\ni 100 0 1\nt 1 0\na 64 1\n+ 0\n- 0\n' >"$tmp/heaptrack.txt"
run convert "$tmp/heaptrack.txt" -o "$tmp/h.json"
check "requests: heaptrack as well" grep -q '"origin":"main"' "$tmp/h.json"
ort='[I:onnxruntime:log, bfc_arena.cc:306 Extend]'
printf '%s\n' "$ort Extending BFCArena for Cuda. bin_num:9 (requested) num_bytes: 160000 (actual) rounded_bytes:160000" \
    "$ort Extended allocation by 1048576 bytes." "$ort Allocated memory at 0x7fa4c6800000 to 0x7fa4c6900000" >"$tmp/ort.log"
run plan "$tmp/ort.log" -p first-fit --format json
check "requests: ONNX Runtime" figures '.buffers == 1 and .naive == 160000'
printf '%s\n' "tensorflow/tsl/framework/bfc_allocator.cc:307] AllocateRaw GPU_0_bfc  2053376 0x7fb912c85100" >"$tmp/tf.log"
run plan "$tmp/tf.log" -p first-fit --format json
check "requests: TensorFlow" figures '.buffers == 1 and .naive == 2053376'

file=$data/pytorch/train_step.pickle
if [ -f "$file" ]; then
    run plan "$file" -p as-built
    check "train_step: says what is reserved" says 'segments at the end: 96, 4,238,344,192 bytes reserved; streams: 1; devices: 1'
    run plan "$file" -p as-built --format json
    check "train_step: figures" figures '[.buffers, .lower_bound, .feasible] == [2162 + 447, 3849232896, true]'
    check "train_step: no more than is reserved" figures '.peak <= 4238344192'
    run plan "$file" -p as-built -o "$tmp/as_built.csv"
    check "train_step: lives" same "$(sed 1d "${file%.pickle}.csv" | awk -F, -v OFS=, '{ $4 = int(($4 + 511) / 512) * 512; print }' | sort)" \
        "$(sed 1d "$tmp/as_built.csv" | cut -d, -f1-4 | grep -v '@before' | sort)"
    run check "$file" "$tmp/as_built.csv"
    check "train_step: valid" exits 0
else
    skip "$file is not there"
fi

# ---- logs of decisions ----

logs=$SOURCE/tests/fuzz/corpus
cp "$logs/ggml_log/runs" "$tmp/ggml.log"
run plan "$tmp/ggml.log"
check "ggml: opens as recorded" says '^recorded \('
check "ggml: says which run" says '^note: the trace has 4 runs: this is run 4'
run trace "$tmp/ggml.log" --run 1
check "ggml: decisions of the first run" same "$(jq -r .sentence "$tmp/out" | tail -n 1)" \
    'reallocating: CPU buffer from size 0.00 MiB to 0.00 MiB'
run convert "$tmp/ggml.log" -o "$tmp/ggml.trace"
check "ggml: becomes a trace" exits 0
check "ggml: without a word" silent
check "ggml: with all its runs" same "$(grep -c '^{"stowage-trace":1,"planner":"ggml"' "$tmp/ggml.trace")" 4
"$STOWAGE" convert - -o "$tmp/ggml.trace.gz" <"$tmp/ggml.log"
check "ggml: from standard input, compressed" cmp <(gzip -dc "$tmp/ggml.trace.gz") "$tmp/ggml.trace"
"$STOWAGE" trace "$tmp/ggml.trace" --run 2 >"$tmp/of_trace"
run trace "$tmp/ggml.log" --run 2
check "ggml: the trace has the same decisions" cmp "$tmp/out" "$tmp/of_trace"
run trace "$tmp/ggml.log" -o "$tmp/again.trace"
run trace "$tmp/ggml.log"
"$STOWAGE" trace "$tmp/again.trace" >"$tmp/of_trace"
check "ggml: so has a trace of the run" cmp <(jq .sentence "$tmp/out") <(jq .sentence "$tmp/of_trace")
refuses "ggml: a trace has the log as it stands" convert "$tmp/ggml.log" --run 1 -o "$tmp/x.trace" because \
    '.*--run: x.trace is to be a decision trace, which has the log as it stands'
check "ggml: nothing is written then" [ ! -e "$tmp/x.trace" ]
refuses "a graph is no log" convert "$models/example1.json" -o "$tmp/x.trace" because '.*example1.json: this is no log of decisions'
check "a graph is no log: nothing is written" [ ! -e "$tmp/x.trace" ]
refuses "--arg is for programs" plan "$tmp/ggml.log" --arg a=1 because '.*--arg applies only to Lua models'
echo 'ggml_dyn_tallocr_alloc: allocating x (8 bytes) - block 0, chunk 0' >>"$tmp/ggml.log"
echo >>"$tmp/ggml.log"
refuses "ggml: a line that is wrong" plan "$tmp/ggml.log" because '.*ggml.log:[0-9]+:40: an allocation says its place'
refuses "ggml: no trace of a wrong log" convert "$tmp/ggml.log" -o "$tmp/x.trace" because '.*ggml.log:[0-9]+:40: '
check "ggml: no trace is written" [ ! -e "$tmp/x.trace" ]

# c takes the place of b: given back and asked for again it would go to the bottom, and d beside it.
alloc='ggml_dyn_tallocr_alloc: allocating'
printf '%s\n' "$alloc a (384 bytes) - block 0, offset 0, chunk 0" "$alloc b (352 bytes) - block 0, offset 384, chunk 0" \
    'exec: COPY (b) <= a' 'parent a: 0 children, 0 views, allocated: 1' \
    'ggml_gallocr_free_node: freeing a at {chunk=0, offset=0} (384 bytes) - n_free_blocks = 2' '' 'reusing parent b for c' \
    'exec: SQR (c) <= b' "$alloc d (416 bytes) - block 1, offset 736, chunk 0" 'exec: CONT (d) <= c' >"$tmp/reusing.log"
for planner in recorded ggml-dyn; do
    run plan "$tmp/reusing.log" -p $planner --format json
    check "ggml: in place of its parent, $planner" figures '.peak == 1152 and
        (.placements | map({(.buffer): .offset}) | add) == {"a": 0, "b": 384, "c": 384, "d": 736}'
done
run trace "$tmp/reusing.log" -p ggml-dyn
check "ggml: and is said to be" same "$(jq -r 'select(.variant == "take-over" or .operands.over != null) | [.buffer, .operands.over] | @csv' "$tmp/out")" '"c","b"'
for planner in cuda-caching bfc-arena tlsf buddy free-list; do
    run plan "$tmp/reusing.log" -p $planner --format json
    check "ggml: what is in place, $planner" figures '.feasible and (.placements | map({(.buffer): .offset}) | add | .b == .c)'
done
cases=$SOURCE/../shared/cases
if [ -f "$cases/ggml_reusing_parent.log" ]; then
    run plan "$cases/ggml_reusing_parent.log" -p ggml-dyn --format json
    check "ggml: the peak that it had" figures '.peak == 1632'
else
    skip "$cases/ggml_reusing_parent.log is not there"
fi

cp "$logs/xla_msa/values" "$tmp/m.bufferinfo"
cp "$logs/xla_msa/places" "$tmp/m.allocinfo"
cp "$logs/xla_msa/schedule" "$tmp/m.scheduleinfo"
for table in bufferinfo allocinfo scheduleinfo; do
    run plan "$tmp/m.$table" --format json
    check "XLA: $table finds the others" figures '[.buffers, .peak] == [3, 8704]'
done
run "$tmp/m.allocinfo" --screen 100x30
check "XLA: the explorer" exits 0

run trace "$logs/tt_mlir/plain"
check "tt-mlir: decisions in its own words" same "$(jq -r '.operands.word' "$tmp/out" | sort -u | tr '\n' ' ')" \
    'dead_removal eviction final choice layout live_added oom resolve fork '
run plan "$logs/tt_mlir/plain"
check "tt-mlir: claims no addresses" says '^note: .*no addresses'
check "tt-mlir: claims no peak" same "$(grep -c "^  peak" "$tmp/out")" 0
run plan "$logs/inductor/plain" -p first-fit --format json
check "Inductor: a problem" figures '[.buffers, .lower_bound] == [6, 144]'
finish
