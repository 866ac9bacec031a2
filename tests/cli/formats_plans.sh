#!/usr/bin/env bash
# Finished plans of other tools: each opens as as-built, is valid, can be compared, and has the figures it is
# known to have.
. "$(dirname "$0")/lib.bash"

# as_built FILE FILTER: opens, holds what the filter says, is valid and can be compared.
as_built() {
    local file=$1 name
    name=$(basename "$file")
    run "$file" -p as-built
    check "$name: opens" exits 0
    check "$name: says what its intervals mean" says '^note: .*(inside|exclusive)'
    run plan "$file" -p as-built --format json
    check "$name: figures" json "$2"
    check "$name: whole" json '.feasible and .planner == "as-built"'
    for kind in csv json; do
        run plan "$file" -p as-built -o "$tmp/plan.$kind"
        run check "$file" "$tmp/plan.$kind"
        check "$name: valid as $kind" exits 0
    done
    run compare "$file" -p as-built,greedy-by-size --format json
    check "$name: compared" json '(.planners | length) == 2 and all(.planners[]; .feasible)'
}

cat >"$tmp/x.log" <<'X'
0 (id=0): size=96, offset=64, first_used=0 last_used=1
1 (id=1): size=64, offset=0, first_used=1 last_used=2
* (id=2): size=16, offset=64, first_used=2 last_used=2
   0: 0000......
[RecordingMicroAllocator] Arena allocation head 160 bytes
X
as_built "$tmp/x.log" '.buffers == 3 and .peak == 160 and .lower_bound == 160 and .naive == 176'

cat >"$tmp/vela.txt" <<'X'
Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using allocator HillClimb, in Npu subgraph:
Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : Name
         0 -          1:        0x0 -       0x20:          32:           32: FeatureMap  : a
         0 -          1:        0x0 -       0x20:          32:           32: FeatureMap  : b
         1 -          2:       0x20 -       0x30:          16:           48: Weights     : w
Allocation Peak Tensor Size:            48 (      0x30) Bytes     0.05 KiB
Allocation Peak Memory Usage:           48 (      0x30) Bytes     0.05 KiB
X
as_built "$tmp/vela.txt" '.buffers == 2 and .peak == 48 and .tiers[0].name == "Sram"'

cat >"$tmp/net_c_info.json" <<'X'
{"json_schema_version":"2.0","memory_pools":[{"id":2,"name":"ram","size_bytes":1024,"used_size_bytes":192}],
"buffers":[
{"id":1,"name":"in","mpool_id":2,"offset_start":0,"size_bytes":64,"epochs":{"start":0,"end":2},"is_param":false},
{"id":2,"name":"act","mpool_id":2,"offset_start":0,"size_bytes":128,"epochs":{"start":2,"end":4},"is_param":false},
{"id":3,"name":"out","mpool_id":2,"offset_start":128,"size_bytes":64,"epochs":{"start":4,"end":5},"is_param":false}]}
X
as_built "$tmp/net_c_info.json" '.buffers == 2 and .peak == 192 and .tiers[0].capacity == 1024'

cat >"$tmp/m-buffer-assignment.txt" <<'X'
BufferAssignment:
allocation 0: size 64, parameter 0, shape |f32[4,4]| at ShapeIndex {}:
 value: <1 p0 @0> (size=64,offset=0): f32[4,4]{1,0}
allocation 3: size 128, preallocated-temp:
 value: <3 dot.1 @0> (size=64,offset=0): f32[4,4]{1,0}
 value: <4 exp.2 @0> (size=64,offset=0): f32[4,4]{1,0}
 value: <5 fusion.4{0} @0> (size=64,offset=64): f32[4,4]{1,0}
X
refuses "no live ranges beside it" plan "$tmp/m-buffer-assignment.txt" because '.*NAME-live-range.txt .* neither of which is beside'
cat >"$tmp/m-live-range.txt" <<'X'
HloLiveRange (max 5):
  InstructionSequence:
    0:p0
  BufferLiveRange:
    p0{}:0-5
    dot.1{}:1-2
    exp.2{}:2-4
    fusion.4{0}:3-5
X
as_built "$tmp/m-buffer-assignment.txt" '.buffers == 3 and .peak == 192'
refuses "live ranges alone" plan "$tmp/m-live-range.txt" because '.*open NAME-buffer-assignment.txt'

printf 'id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,8\nc,2,4,8,0\n' >"$tmp/mini.csv"
run plan "$tmp/mini.csv" -p as-built --format json
check "MiniMalloc with offsets: as built" json '.feasible and .peak == 16'
run plan "$tmp/mini.csv" -p as-built -o "$tmp/plan.csv"
check "MiniMalloc with offsets: the same rows" same "$(cat "$tmp/mini.csv")" "$(cat "$tmp/plan.csv")"
printf 'id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,4\n' >"$tmp/wrong.csv"
run plan "$tmp/wrong.csv" -p as-built -o "$tmp/plan.csv"
run check "$tmp/wrong.csv" "$tmp/plan.csv"
check "a plan with a fault: found" exits 1

# By standard input, too.
"$STOWAGE" plan - -p as-built --format json <"$tmp/x.log" >"$tmp/out"
check "standard input" json '.buffers == 3 and .peak == 160'

if [ ! -d "$data" ]; then
    skip "there is no $data: real logs and programs are not opened"
    finish
    exit
fi
while read -r file buffers naive bound peak; do
    [ -f "$data/$file" ] || { skip "$file is not there"; continue; }
    as_built "$data/$file" ".buffers == $buffers and .naive == $naive and .lower_bound == $bound and .peak == $peak"
done <<'X'
tflite/ad01_int8.tflm.log 11 2320 768 768
tflite/keyword_scrambled.tflm.log 30 3568 672 672
tflite/kws_ref_model.tflm.log 14 72656 16000 16000
tflite/micro_speech_quantized.tflm.log 5 7968 5968 5968
tflite/person_detect.tflm.log 32 241072 55296 55296
tflite/trained_lstm.tflm.log 9 8032 5696 5696
tflite/vww_96_int8.tflm.log 32 259744 55296 73728
vela/person_detect.u55-128.shared.log 85 477696 74464 74464
vela/vww96.u55-128.shared.log 80 363808 74480 74480
executorch/KeywordSpotting.pte 19 98894 16000 16000
executorch/add.pte 3 12 12 36
X
file=$data/vela/mobilenetv2.u65-256.dedicated.log
if [ -f "$file" ]; then
    as_built "$file" '[.tiers[] | [.name, .peak]] == [["Sram", 384592], ["Dram", 301056]]'
fi
# The plans that were read out of these logs by other means: the same buffers, lifetimes and offsets.
for plan in "$data"/reference/tflmplan_*.plan.csv; do
    [ -f "$plan" ] || continue
    name=$(basename "$plan" .plan.csv)
    run check "$data/tflite/${name#tflmplan_}.tflm.log" "$plan"
    check "$name: the plan of the log" exits 0
    run plan "$data/tflite/${name#tflmplan_}.tflm.log" -p as-built -o "$tmp/plan.csv"
    check "$name: row by row" same "$(cat "$plan")" "$(cut -d, -f1-5 "$tmp/plan.csv")"
done
finish
