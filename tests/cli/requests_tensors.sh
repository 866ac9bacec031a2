#!/usr/bin/env bash
# TensorFlow's log of tensors (__LOG_MEMORY__) where its allocators log nothing: every figure counted by awk.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# tensors SEED COUNT: a log of two allocators. Tensors share memory now and then; some frees are of what came before the log.
tensors() {
    awk -v seed="$1" -v count="$2" 'BEGIN { srand(seed); p = "2017-01-07 10:00:00.000000: I tensorflow/core/framework/log_memory.cc:35] __LOG_MEMORY__ "
        print p "MemoryLogStep { step_id: 2 handle: \"->add:0//0/;0\" }"
        for (i = 1; i <= count; i++) {
            host = rand() < 0.3; name = host ? "cpu" : "GPU_0_bfc"; asked = 1 + int(rand() * (host ? 100 : 100000)); got = host ? asked : 256 * int((asked + 255) / 256)
            if (rand() < 0.1) print p "MemoryLogRawAllocation { step_id: -3 operation: \"TF_AllocateTensor\" num_bytes: " got " ptr: 80910752 allocation_id: " i " allocator_name: \"" name "\" }"
            else print p "MemoryLogTensorAllocation { step_id: 2 kernel_name: \"op_" i % 7 "\" tensor { dtype: DT_FLOAT shape { dim { size: 9 } } allocation_description { requested_bytes: " asked " allocated_bytes: " got " allocator_name: \"" name "\" allocation_id: " i " has_single_reference: true ptr: " 1108332544000 + 1048576 * i " } } }"
            if (rand() < 0.1) print p "MemoryLogTensorAllocation { step_id: 2 kernel_name: \"again\" tensor { allocation_description { requested_bytes: " asked " allocated_bytes: " got " allocator_name: \"" name "\" allocation_id: " i " ptr: 7 } } }"
            of[i] = name; alive[++n] = i
            while (n > 0 && rand() < 0.45) { k = 1 + int(rand() * n); print p "MemoryLogTensorDeallocation { allocation_id: " alive[k] " allocator_name: \"" of[alive[k]] "\" }"; alive[k] = alive[n--] }
        } }'
}
# account FILE: allocations and frees of GPU_0_bfc, and the most bytes alive at once; the step of a free still has them.
account() {
    awk '/GPU_0_bfc/ && match($0, /allocation_id: [0-9]+/) { id = substr($0, RSTART + 15, RLENGTH - 15)
            if (/Deallocation/) { frees++; gone = live[id]; now -= gone; delete live[id] }
            else if (!(id in live)) { bytes = $0; sub(/.*(allocated_bytes|num_bytes): /, "", bytes); live[id] = bytes + 0; now += bytes; allocs++; if (now > most) most = now } }
        END { print allocs + 0, frees + 0, most + 0 }' "$1"
}
for seed in 1 2 3; do
    tensors $seed 40 >tensors.log
    read -r allocs frees most < <(account tensors.log)
    run plan tensors.log --format json
    check "log $seed" json ".buffers == $allocs and .details.allocs == $allocs and .lower_bound >= $most and .details.allocated >= $most and .planner == \"bfc-arena\""
    jq 'del(.seconds, .graph)' out >plain.json
    run plan tensors.log
    check "its events" says "note: time is the number of the event, from 0: $allocs allocations, $frees frees"
    check "the other allocator" says 'note: the allocator cpu is left out: it has fewer bytes, in [0-9]* allocations'
    sed 's/^/> /' tensors.log >quoted.log
    sed $'s/^.\\{20\\}/\e[33m&\e[0m/' tensors.log >colored.log
    fold -b -w 80 tensors.log >folded.log
    cat -n tensors.log >numbered.log
    for file in quoted colored folded numbered; do
        run plan $file.log --format json
        check "log $seed, $file" cmp -s plain.json <(jq 'del(.seconds, .graph)' out)
    done
done
length=$(stat -c %s tensors.log)
for ((i = 1; i < length; i += 311)); do
    for part in "head -c $i" "tail -c +$i"; do
        $part tensors.log >part.log
        run plan part.log --format json
        [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ] || jq -e ".buffers <= $allocs" out >/dev/null || check "$part" false
    done
done
check "cut everywhere" true
{
    echo '2026-11-25 01:02:03.456789: I tensorflow/tsl/framework/bfc_allocator.cc:260] AllocateRaw GPU_0_bfc  1028 0x7f65fe000000'
    cat tensors.log
} >with.log
run plan with.log --format json
check "lines of the allocator are read where they are" json '.buffers == 1'
cases=$SOURCE/../shared/cases
if [ -d "$cases" ]; then
    run plan "$cases/tf_log_memory_only.log" --format json
    check "the case: two of 4,096, both alive at once" json '[.placements[].size] == [4096, 4096] and .lower_bound == 8192 and .details.allocated == 8192'
else
    skip "$cases is not there"
fi
finish
