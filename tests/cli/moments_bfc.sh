#!/usr/bin/env bash
# Dumps of BFC allocators (TensorFlow's since 2015, ONNX Runtime's) and their messages: every figure added up by dumps.py, decorated and cut as people paste
# them.
. "$(dirname "$0")/lib.bash"
here=$(cd "$(dirname "$0")" && pwd)
cd "$tmp" || exit 1

# Do all figures and all chunks agree with what dumps.py made?
agrees() {
    jq -e --slurpfile made dumps.json '.moment as $m | $made[0] as $d | [$m.segments[].blocks[] | select(.address != null) | [.address, .size, .state == "in use"]] as $b
        | $m.reserved == $d.reserved and $m.in_use == $d.in_use and $m.free == $d.free and $m.largest_free == $d.largest_free and $m.blocks_in_use == $d.used_blocks
        and $m.blocks_free == $d.free_blocks and $m.limit == $d.limit and $m.peak_in_use == $d.peak and $m.failed.size == $d.asked and $m.failed.block == $d.block
        and $b == $d.addresses and .peak == null and .lower_bound == null' "$tmp/out"
}
# Is each chunk shown one that was made, and no sum higher?
is_part() {
    jq -e --slurpfile made dumps.json '.moment as $m | $made[0] as $d | ($m.in_use // 0) <= $d.in_use + 6000 and ($m.reserved // 0) <= $d.reserved + 6000 and ($m.free // 0) <= $d.free + 6000
        and ([$m.segments[].blocks[] | select(.address != null and (.state == "in use" or .state == "free")) | [.address, .size, .state == "in use"]] - $d.addresses) == []' "$tmp/out"
}
for style in 2016 2017 2019 2024 ort; do
    for seed in 1 2 3; do
        "$here/dumps.py" $style $seed >dump.log
        run plan dump.log --format json
        check "$style, seed $seed: every figure" agrees
        jq '.moment | del(.told)' out >plain.json
        [ $style = 2016 ] || check "$style: the sum of what was asked for, which the bins round" jq -e --slurpfile made dumps.json '($made[0].requested - .requested | fabs) <= 6000' plain.json
        sed 's/^/> /' dump.log >quoted.log
        sed $'s/.\\{12\\}/\e[1;32m&\e[0m/' dump.log >colored.log
        sed 's/$/\r/' dump.log >crlf.log
        cat -n dump.log >numbered.log
        fold -b -w 80 dump.log >folded.log
        fold -s -w 90 dump.log >mailed.log
        fold -b -w 100 dump.log | sed 's/^/> /' >quoted_folded.log
        sed 's/^[^]]*\] //' dump.log >bare.log
        { echo '$ python train.py'; cat dump.log; echo 'Traceback (most recent call last):'; } >among.log
        cat dump.log dump.log >twice.log
        for file in quoted colored crlf numbered folded mailed quoted_folded bare among twice; do
            run plan $file.log --format json
            check "$style, seed $seed, $file" cmp -s plain.json <(jq '.moment | del(.told)' out)
        done
    done
    run plan twice.log
    check "a dump before it is told of" says 'note: the text has 1 more dump of the same allocator: the last one counts'
    run plan quoted_folded.log
    check "so is what was taken off" says '^note: pasted text: quotes taken off [0-9]+ lines; lines wrapped at 100 columns joined: [0-9]+$'
    "$here/dumps.py" $style 7 >dump.log
    run plan dump.log --format json
    mv out whole.json
    length=$(stat -c %s dump.log)
    for ((i = 1; i < length; i += 331)); do
        for part in "head -c $i" "tail -c +$i"; do
            $part dump.log >part.log
            run plan part.log --format json
            [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ] || is_part >/dev/null || check "$style, $part" false
        done
    done
    check "$style, cut everywhere" true
done
check "without a limit: what is free in all is less than the block" jq -e --slurpfile made dumps.json 'def less: any(test("; that is less than the block: without a new segment no"));
    (.moment.failed.why | less) == ($made[0].free < $made[0].block)' whole.json
"$here/dumps.py" 2015 1 >dump.log
run plan dump.log --format json
check "2015: which are free is not told" jq -e --slurpfile made dumps.json '.moment.reserved == $made[0].reserved and (.moment.free - $made[0].free | fabs) < 6000 and .moment.in_use == null and .moment.blocks_in_use == 0' out
run plan dump.log
check "and it says so" says 'note: this version lists free chunks as it does those in use'
"$here/dumps.py" 2016 1 >dump.log
grep -v ' Free at ' dump.log >part.log
run plan part.log --format json
grep -E '[/]bfc_allocator.*(Bin \\(|Chunk at)' dump.log >few.log
run plan few.log --format json
check "2016: so they are without sums" jq -e --slurpfile made dumps.json '.moment.blocks_in_use == $made[0].used_blocks and .moment.in_use == $made[0].in_use' out
run plan part.log --format json
check "2016: those listed are in use, with lines of free ones or without" jq -e --slurpfile made dumps.json '.moment.blocks_in_use == $made[0].used_blocks and .moment.in_use == $made[0].in_use' out

# ---- parts of dumps ----
tf='2022-01-19 11:33:41.229287: I tensorflow/core/common_runtime/bfc_allocator.cc:1066]'
printf '%s\n' "$tf Next region of size 1024" "$tf InUse at b11600100 of size 256 by op conv1 action_count 7 step 3 next 5" "$tf Free  at b11600200 of size 512 next 18446744073709551615 freed_at_count 4" >part.log
run plan part.log --format json
check "a region's place follows from its last chunk; a chunk with a time is waiting" json '.moment | .reserved == 1024 and .segments[0].address == 47536144384 and .waiting == 512 and .in_use == 256 and .free == null'
check "its first chunk is missing" json '[.moment.segments[0].blocks[] | [.size, .state]] == [[256, "not told"], [256, "in use"], [512, "waiting"]]'
check "an operator is told" json '.moment.segments[0].blocks[1].origin == "conv1"'
printf '%s\n' "$tf InUse at b11600000 of size 256 next 4" "$tf 12 Chunks of size 256 totalling 3.0KiB" "$tf 2 Chunks of size 1024 totalling 2.0KiB" "$tf Sum Total of in-use chunks: 5.0KiB" >part.log
run plan part.log --format json
check "chunks of which only the summary is left" json '.moment | .in_use == 5120 and .blocks_in_use == 14 and [.blocks[] | [.size, .count]] == [[256, 11], [1024, 2]]'
run plan part.log
check "and it says which" says 'note: 13 chunks of 4,864 bytes stand only in the summary by size'
printf '%s\n' "$tf   Size: 510.00MiB | Requested Size: 510.00MiB | in_use: 0 | bin_num: 20, prev:   Size: 382.50MiB | Requested Size: 380.00MiB | in_use: 1 | bin_num: -1" >part.log
run plan part.log --format json
check "a line of a bin alone" json '.moment | .free == 534773760 and .in_use == 401080320'
printf '%s\n' "$tf InUse at b11600000 of size 25" | head -c -1 >part.log
run plan part.log
check "a size that may be cut counts for nothing" exits 2
printf '%s\n' "$tf Total bytes in pool: 4096 memory_limit_: 8192 available bytes: 4096 curr_region_allocation_bytes_: 8192" >part.log
run plan part.log --format json
check "the line of the pool alone" json '.moment | .reserved == 4096 and .limit == 8192'
printf '%s\n' "$tf Allocator memory summary: rounded request 2.0KiB, total free in pool 1.0KiB, largest free chunk usable by lower end 512B, unallocated bytes 4.0KiB, pool size 4.0KiB, pool limit 8.0KiB" >part.log
run plan part.log --format json
check "that of 2026" json '.moment | .reserved == 4096 and .limit == 8192 and .free == 1024'
{
    printf '%s\n' "$tf Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.0KiB (rounded to 1024)" "$tf Next region of size 256" "$tf InUse at 1000 of size 256 next 18446744073709551615" "$tf Sum Total of in-use chunks: 256B"
    printf '%s\n' "$tf Allocator (GPU_1_bfc) ran out of memory trying to allocate 2.0KiB (rounded to 2048)" "$tf Next region of size 512" "$tf Free  at 9000 of size 512 next 18446744073709551615" "$tf Sum Total of in-use chunks: 0B"
} >part.log
run plan part.log --format json
check "two allocators" json '.moment | [.segments[].allocator] == ["GPU_0_bfc", "GPU_1_bfc"] and .in_use == 256 and .free == 512 and .failed.allocator == "GPU_1_bfc" and .failed.size == 2048'

{
    echo "$tf Allocator (g) ran out of memory trying to allocate 1.0KiB (rounded to 1024)"
    printf '%s\n' "$tf InUse at b11600000 of size 256 next 4" "$tf Free  at b11600100 of size 512 next 5" "$tf Total bytes in pool: 8192 memory_limit_: 9000 available bytes: 808 curr_region_allocation_bytes_: 8192" "$tf Stats:" 'Limit: 9000' 'InUse: 4096'
} >part.log
run plan part.log --format json
check "of a dump in part the allocator's own sums count" json '.moment | .reserved == 8192 and .in_use == 4096 and .free == 4096 and .largest_free == 512'
run plan part.log
check "and what is shown is called so" says 'All that is shown as free is one piece smaller than that'
check "in the table, too" says 'reserved +8 KiB +8,192 B +as the text says'

# Two processes print at once, and their memory has the same addresses: what overlaps is left out, and counted.
"$here/dumps.py" 2024 3 >one.log
"$here/dumps.py" 2024 4 >other.log
paste -d '\n' one.log other.log >mixed.log
run plan mixed.log
check "lines of two processes, mixed" exits 0
chunks='Next region|InUse at|Free  at'
{
    sed -E "/$chunks/,\$d" one.log
    paste -d '\n' <(grep -E "$chunks" one.log) <(grep -E "$chunks" other.log)
    sed '1,/18446744073709551615$/d' one.log | grep -vE "$chunks"
} >mixed.log
run plan mixed.log
check "their chunks" says 'note: [0-9]* lines are cut, or mixed with others, and left out'

# ---- messages alone ----
message() { # NAME FILTER LINE...: a moment
    printf '%s\n' "${@:3}" >message.txt
    run plan message.txt --format json
    check "$1" json ".moment | $2"
}
message "a tensor" '.failed.size == 536870912 and .failed.block == 536870912 and .failed.allocator == "GPU_0_bfc" and .free == null' \
    'OOM when allocating tensor with shape[4,2048,128,128] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc'
message "its node" '.failed.size == 49187328 and .failed.origin == "a/Relu_1"' '  (0) Resource exhausted: OOM when allocating tensor with shape[4,48,62,1033] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc' \
    '	 [[{{node a/Relu_1}}]]' 'Hint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom'
message "of one byte" '.failed.size == 3 and .failed.block == 256' 'OOM when allocating tensor with shape[3] and type bool on /job:x by allocator cpu'
message "the node that ONNX Runtime names" '.failed.origin == "Mul_87 (Mul)"' \
    "error 6: Non-zero status code returned while running Mul node. Name:\\'Mul_87\\' Status Message: bfc_arena.cc:368 Failed to allocate memory for requested buffer of size 2830172160"
run plan message.txt
check "and what asked" says 'were asked for by Mul_87 \(Mul\)\.'
message "the words of a message alone" '.failed.size == 1022980260' 'it says: `ran out of memory trying to allocate 975.59MiB  `'
device='2019-07-21 23:26:35.082216: E tensorflow/stream_executor/cuda/cuda_driver.cc:828] failed to allocate'
message "what the device refused" '.failed.size == 135630080 and .failed.block == 135630080' "$device 159.69M (167444480 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory" \
    "$device 129.35M (135630080 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory"
run plan message.txt
check "with all of it" says 'note: the device refused 2 pieces of 135,630,080 to 167,444,480 bytes'
small='Allocator (GPU_0_bfc) ran out of memory trying to allocate'
message "several requests" '.failed.size == 2097152 and .failed.about > 0' "$small 1.00MiB" "$small 2.00MiB" "$small 3.00MiB with freed_by_count=0. The caller indicates that this is not a failure"
run plan message.txt
check "are counted" says 'note: 2 requests failed: shown is'
check "those that are no failure, too" says 'note: of 1 request more the text says that it is no failure'
refused() { # NAME WORDS LINE...
    printf '%s\n' "${@:3}" >message.txt
    refuses "$1" plan message.txt because ".*$2"
}
refused "bins in part" 'this has 2 of 21 bins, with chunks of about 1,887,436,800 bytes, about 1,840,250,880 of them in use' \
    "$tf Bin (8388608): 	Total Chunks: 45, Chunks in use: 43. 800.00MiB allocated for chunks. 755.00MiB in use in bin. 700.00MiB client-requested in use in bin." \
    "$tf Bin (16777216): 	Total Chunks: 36, Chunks in use: 36. 1000.00MiB allocated for chunks. 1000.00MiB in use in bin. 548.00MiB client-requested in use in bin."
refused "a size that overflowed" 'a request of 4585490524328388608 bytes failed, which is more than 2\^61' 'bfc_arena.cc:376 Failed to allocate memory for requested buffer of size 4585490524328388608'
printf '%s\n' "$tf Chunk at 0x1323f9bd00 of size 246016000" "$tf Free at 0x1116e55a0" >part.log
run plan part.log
check "a line that is cut before its size is told of" says 'note: 1 line is cut'
run plan part.log --format json
check "stretches of chunks alone say nothing of what is free" json '.moment | .in_use == 246016000 and .free == null and .largest_free == null'
message "a list of tensors" '[.blocks[] | [.name, .size]] == [["unet/a", 471859200], ["unet/b", 250976666], ["unet/b#2", 250976666]] and .failed.size == 1024' \
    'OOM when allocating tensor with shape[256] and type float on /device:GPU:0 by allocator GPU_0_bfc.' '' 'Current usage from device: /job:localhost/replica:0/task:0/device:GPU:0, allocator: GPU_0_bfc' \
    '  450.00MiB from unet/a' '  239.35MiB from unet/b' '  239.35MiB from unet/b' '  Remaining 12 nodes with 3.25GiB' '' '1.00MiB from nothing'
run plan message.txt
check "and what it leaves out" says 'note: tensors of GPU_0_bfc, the largest first; their sizes are rounded; the text has 12 nodes with 3.25GiB more'
check "a name is no sentence's end" says 'asked for of GPU_0_bfc by'
message "an allocator" '.failed.size == 2110783744 and .failed.block == 2110783744 and .failed.allocator == "GPU_0_bfc"' \
    'W external/tsl/tsl/framework/bfc_allocator.cc:482] Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.97GiB (rounded to 2110783744)requested by op '
message "no failure" '.failed.size == 1073741824' 'Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.00GiB with freed_by_count=0. The caller indicates that this is not a failure, but may mean that there could be performance gains if more memory were available.'
run plan message.txt
check "which is said" says 'note: the text says that the request is no failure'
message "ONNX Runtime's limit" '.failed.size == 524288 and .left == 131072 and .failed.ways[0] == "A limit that is 384 KiB higher has room for a new segment of that size."' \
    '2022-01-01 00:00:00 [E:onnxruntime:, sequential_executor.cc:346 Execute] Non-zero status code returned while running Conv node. Name:'"'Conv_0'"' Status Message: bfc_arena.cc:326 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Available memory of 131072 is smaller than requested bytes of 524288'
message "its device" '.failed.size == 1073741824' 'bfc_arena.cc:342 onnxruntime::BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size 1073741824'
message "its regions" '.reserved == 34603008 and .segments[0].size == 16777216' '[I:onnxruntime:, bfc_arena.cc:186 Extend] Extended allocation by 16777216 bytes.' \
    '[I:onnxruntime:, bfc_arena.cc:189 Extend] Total allocated bytes: 34603008' '[I:onnxruntime:, bfc_arena.cc:192 Extend] Allocated memory at 0x14cd74000 to 0x14dd74000'
message "shrunk" '.reserved == 1048576 and .segments == []' '[V:onnxruntime:, bfc_arena.cc:480 Shrink] Cuda BFC Arena shrunk by 16777216 bytes.  The total allocated bytes is now 1048576'

# ---- much of it ----
"$here/dumps.py" 2024 1 4 >large.log
run plan large.log --format json
check "a large one" agrees
cases=$SOURCE/../shared/cases
if [ -d "$cases" ]; then
    run plan "$cases/bfc_chunk_dump.log" --format json
    check "the case" json '.moment | .in_use == 512 and .free == 2096640'
    run plan "$cases/bfc_chunk_dump.log"
    check "with a note on a chunk in no region" says 'note: a free chunk of 510.00MiB, which the lines of its bin have, is in no region that is shown'
else
    skip "$cases is not there"
fi
finish
