#!/usr/bin/env bash
# What XLA says of memory when it ran out: peak buffers with all kinds of lines missing, the largest allocations of a TPU with tiles, parts of buffer
# assignments, messages alone. Every figure is added up by python3 from the shapes.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

cat >programs.py <<'END'
"""programs.py KIND SEED: a text of XLA's, and into programs.json what it comes to."""
import json
import random
import sys

BITS = {"f32": 4, "bf16": 2, "s8": 1, "f64": 8, "pred": 1, "s32": 4}


def human(n, suffix="iB"):
    if n < 1024:
        return "%dB" % n
    unit = 0
    while n >= 1024 * 1024:
        n //= 1024
        unit += 1
    return ("%.1f%c%s" if unit == 0 and suffix else "%.2f%c%s") % (n / 1024.0, "KMGT"[unit], suffix)


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def main():
    kind, rng = sys.argv[1], random.Random(int(sys.argv[2]))
    out, sizes, unpadded = [], [], []
    shapes = []
    for _ in range(rng.randrange(1, 16)):
        of, dims = rng.choice(sorted(BITS)), [rng.randrange(1, 300) for _ in range(rng.randrange(1, 4))]
        plain = product(dims) * BITS[of]
        size, text = plain, "%s[%s]" % (of, ",".join(map(str, dims)))
        if kind == "tpu":
            padded = list(dims)
            for i, tile in ((-1, 128), (-2, 8)):
                if len(dims) >= -i:
                    padded[i] = -(-dims[i] // tile) * tile
            size = product(padded) * BITS[of] * (1 if len(dims) > 1 else 8)
            if len(dims) == 1:
                size = product([-(-dims[0] // 128) * 128]) * BITS[of]
            text += "{%s:T(%s)}" % (",".join(str(i) for i in reversed(range(len(dims)))), "8,128" if len(dims) > 1 else "128")
        shapes.append((size, plain, text))
    shapes.sort(reverse=True)
    total = sum(s[0] for s in shapes) + 4096
    if kind == "tpu":
        out += ["Ran out of memory in memory space hbm. Used %s of %s hbm. Exceeded hbm capacity by %s." % (human(total, ""), human(1 << 20, ""), human(abs(total - (1 << 20)), "")), "",
                "Program hbm requirement %s:" % human(total - 2048, ""), "    HLO temp         1.00G (92.8% utilization, 0.3% fragmentation (53.61M))", "", "  Largest program allocations in hbm:", ""]
        for i, (size, plain, text) in enumerate(shapes):
            out += ["  %d. Size: %s" % (i + 1, human(size, ""))] + (['     Operator: op_type="OneHot" op_name="op_%d"' % i] if i % 2 else [])
            out += ["     Shape: " + text, "     Unpadded size: " + human(plain, ""), "     Extra memory due to padding: %s (1.3x expansion)" % human(size - plain, ""),
                    "     XLA label: %%fusion.%d = %s fusion(f32[64]{0:T(256)} %%g)" % (i, text), "     Allocation type: HLO temp", "     " + "=" * 26, ""]
    else:
        out += ["jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate %d bytes." % (total // 2), "BufferAssignment OOM Debugging.",
                "BufferAssignment stats:", "             parameter allocation: %10s" % human(total), "     preallocated temp allocation: %10s" % human(0),
                "                 total allocation: %10s" % human(total), "              total fragmentation: %10s (0.00%%)" % human(2048), "Peak buffers:"]
        for i, (size, plain, text) in enumerate(shapes):
            out += ["\tBuffer %d:" % (i + 1), "\t\tSize: " + human(size)] + (['\t\tOperator: op_name="jit(f)/op_%d" source_file="m.py" source_line=7' % i] if i % 2 else [])
            out += ["\t\tEntry Parameter Subshape: " + text] if i % 3 == 0 else ["\t\tXLA Label: fusion", "\t\tShape: " + text]
            out += ["\t\t" + "=" * 26, ""]
    print("\n".join(out))
    with open("programs.json", "w", encoding="ascii") as file:
        json.dump(dict(sizes=[s[0] for s in shapes], plain=[s[1] for s in shapes], total=total, failed=total // 2), file)


main()
END
for kind in gpu tpu; do
    for seed in 1 2 3 4 5 6; do
        python3 programs.py $kind $seed >program.txt
        run plan program.txt --format json
        check "$kind $seed: each buffer" jq -e --slurpfile made programs.json '[.moment.blocks[].size] == $made[0].sizes and .moment.blocks_in_use == ($made[0].sizes | length)' out
        check "$kind $seed: the total, which is rounded" jq -e --slurpfile made programs.json '(.moment.reserved - $made[0].total | fabs) <= $made[0].total / 100 + 6' out
        check "$kind $seed: at the peak" jq -e --slurpfile made programs.json '(.moment.in_use - ($made[0].total - 2048) | fabs) <= $made[0].total / 100 + 60' out
        if [ $kind = tpu ]; then
            check "without padding" jq -e --slurpfile made programs.json '[.moment.blocks[].requested] == $made[0].plain' out
        else
            check "what failed" jq -e --slurpfile made programs.json '.moment.failed.size == $made[0].failed' out
        fi
        jq '.moment' out >plain.json
        sed 's/^/> /' program.txt >quoted.txt
        sed $'s/.*/\e[31m&\e[0m/' program.txt >colored.txt
        expand -t 8 program.txt >blanks.txt
        { cat program.txt; echo; cat program.txt; } >twice.txt
        sed 's/$/\r/' program.txt >crlf.txt
        sed 's|^|2020-05-04 09:05:40.721128: E    1578 tensorflow/compiler/xla/xla_client/xla_util.cc:76] |' program.txt >logged.txt
        sed 's|^|(EngineCore pid=106339) ERROR 06-03 07:41:11 [core.py:1184] |' program.txt >engine.txt
        for file in quoted colored blanks twice crlf logged engine; do
            run plan $file.txt --format json
            check "$kind $seed, $file" cmp -s plain.json <(jq .moment out)
        done
    done
    length=$(stat -c %s program.txt)
    for ((i = 1; i < length; i += 67)); do
        for part in "head -c $i" "tail -c +$i"; do
            $part program.txt >part.txt
            run plan part.txt --format json
            [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ] || jq -e --slurpfile made programs.json '([.moment.blocks[].size] | length) <= ($made[0].sizes | length)' out >/dev/null || check "$kind, $part" false
        done
    done
    check "$kind, cut everywhere" true
done
sed '/Operator: /d; /Shape: /d; /Subshape: /d' program.txt >less.txt
run plan less.txt --format json
check "without operators and shapes: as they are rounded" jq -e --slurpfile made programs.json '[.moment.blocks | to_entries[] | (.value.size - $made[0].sizes[.key] | fabs) <= 5400] | all' out
printf '%s\n' 'Out of memory while trying to allocate 6291456 bytes.' >message.txt
run plan message.txt --format json
check "a message alone" json '.moment | .failed.size == 6291456 and .reserved == null'
printf '%s\n' 'E external/xla/xla/pjrt/pjrt_stream_executor_client.cc:2732] Execution of replica 0 failed: RESOURCE_EXHAUSTED: Failed to allocate request for 154.06GiB (165425291480B) on device ordinal 0' >message.txt
run plan message.txt --format json
check "in other words" json '.moment.failed.size == 165425291480'
{
    echo 'W external/tsl/tsl/framework/bfc_allocator.cc:482] Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.97GiB (rounded to 2110783744)requested by op '
    python3 programs.py gpu 3
} >both.txt
run plan both.txt --format json
check "an allocator's message in front gives way to buffers" jq -e --slurpfile made programs.json '[.moment.blocks[].size] == $made[0].sizes' out

# ---- other words ----
message() { # NAME FILTER LINE...: a moment
    printf '%s\n' "${@:3}" >message.txt
    run plan message.txt --format json
    check "$1" json ".moment | $2"
    run plan message.txt
}
message "in units" '.failed.size == 4.25 * 1073741824 and .failed.about > 0' 'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4.25GiB.'
check "which are rounded" says 'About 4.25 GiB were asked for'
message "a TPU's buffer" '.failed.size == 135790592 and (.device_free - 81967186 | fabs) < 2' 'RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 129.50M. That was not possible. There are 78.17M free.; (0x0x0_HBM0)'
check "how much is missing" says 'For a new segment about 51.33 MiB more must be free'
message "a TPU's program" '(.failed.size - 6957847019 | fabs) < 2 and (.device_free - 7279969567 | fabs) < 2' \
    '  (1) RESOURCE_EXHAUSTED: Attempting to reserve 6.48G at the bottom of memory. That was not possible. There are 6.78G free, 0B reserved, and 3.33G reservable.'
check "what can be reserved" says 'note: the text says: of what is free 3.33G can be reserved at the bottom of memory'
message "a kernel's stack" '(.failed.size - 20814234 | fabs) < 2 and .limit == 16777216 and .failed.origin == "splash_fwd"' \
    'Ran out of memory in memory space vmem while allocating on stack for %splash_fwd...' 'Scoped allocation with size 19.85M and limit 16.00M exceeded scoped vmem limit by 3.85M.'
check "how far beyond its limit" says 'note: the limit is about 4,037,018 bytes less than what was asked for'
message "of vmem that is the limit, and not the device" '.limit == 16777216 and .device == null and (.reserved - 62694359 | fabs) < 2' 'Ran out of memory in memory space vmem. Used 59.79M of 16.00M vmem. Exceeded vmem capacity by 43.79M.'
message "a sentence that a page broke" '.device == 33554432000 and (.reserved - 35540854374 | fabs) < 2' '- Error: `Ran out of' '  memory in memory space hbm. Used 33.10G of 31.25G hbm. Exceeded hbm capacity' '  by 1.86G.`'
message "a message that was wrapped" '.failed.size == 5520758552' 'Execution of replica 0 failed: Resource exhausted: Out ' 'of memory while trying to allocate 5520758552 bytes.'
message "two kinds of cores" '(.reserved - 224326057000 | fabs) < 1e6 and (.device - 102800042000 | fabs) < 1e6' 'RESOURCE_EXHAUSTED: TPU TensorCore Hbm usage: 34.82G, SparseCore Hbm usage 174.10G, exceeding available bytes: 95.74G'
check "each of them" says 'note: the text says: TensorCore 34.82G, SparseCore 174.10G'
message "all in one line" '[.blocks[] | [.name, .size]] == [["scratch operand f8e4m3fn[2,2048,9,4,256]", 37748736]]' 'Largest program allocations in vmem:' '  1. Size: 36.00M  Shape: f8e4m3fn[2,2048,9,4,256]  Tag: scratch operand'
message "from the middle of an entry on" '[.blocks[].size] == [50331648]' '     Shape: bf16[512,16,3072]{2,1,0:T(8,128)(2,1)}' '     Unpadded size: 48.00M' '     XLA label: %r.1 = bf16[512,16,3072] reshape(x)' '     Allocation type: HLO temp'
message "what a program takes, and its arguments" '(.in_use - 32437740503 | fabs) < 4' 'Ran out of memory in memory space hbm. Used 30.21G of 15.48G hbm. Exceeded hbm capacity by 14.73G.' '' 'Total hbm usage >= 30.73G:' \
    '    reserved        530.00M ' '    program          14.31G ' '    arguments        15.90G ' '' 'Output size 1.0K; shares 0B with arguments.' '' 'Program hbm requirement 14.31G:' '    global           481.0K'
check "the text's own sums" says 'note: the text says: Total hbm usage >= 30.73G; reserved 530.00M; program 14.31G; arguments 15.90G; output 1.0K; shares 0B with arguments; Program hbm requirement 14.31G; global 481.0K'
message "an allocator's message behind buffers that have none" '[.blocks[].size] == [100663296] and .failed.size == 29995136256 and .failed.allocator == "GPU_1_bfc"' '        Buffer 13:' '                Size: 96.00MiB' \
    '                XLA Label: fusion' '                Shape: bf16[128,6,256,256]' '' 'W x/bfc_allocator.cc:479] Allocator (GPU_1_bfc) ran out of memory trying to allocate 27.93GiB (rounded to 29995136256)requested by op'
message "sums of a program" '.failed.size == 9031036208' 'Out of memory while trying to allocate 9031036208 bytes.' 'BufferAssignment stats:' '             parameter allocation:    2.78GiB' '     preallocated temp allocation:    8.41GiB' \
    '                 total allocation:   11.62GiB'
check "which of them failed" says 'note: the text says: parameter allocation 2.78GiB; preallocated temp allocation 8.41GiB, as much as was asked for'
printf '%s\n' 'Ran out of memory in memory space vmem.' 'Largest program allocations in vmem:' '  XLA label: register allocator spill slots' '  Allocation type: scoped' '' '  XLA label: %f.1 = (bf16[]) fusion(x)' >message.txt
refuses "allocations without sizes" plan message.txt because '.*2 allocations of a program are listed in vmem, and the size of none is told'
for words in 'bfc_arena.cc:376 onnxruntime::BFCArena::AllocateRawInternal Failed to alloc' 'x/bfc_allocator.cc:479] InU' 'RESOURCE_EXHAUSTED: Out of mem' 'ResourceExhaustedError: OOM when'; do
    printf '%s\n' "$words" >message.txt
    refuses "$words" plan message.txt because '.*this looks like .*(TensorFlow|ONNX Runtime|BFC|XLA).*, but no line has .*; paste .*'
done

# ---- parts of a buffer assignment ----
printf '%s\n' 'allocation 3: size 64, parameter 0, shape |f32[4,4]| at ShapeIndex {}:' ' value: <3 a @0> (size=64,offset=0): f32[4,4]' 'allocation 4: size 1092, preallocated-temp:' \
    ' value: <4 b @0> (size=64,offset=64): f32[16]' '' 'Total bytes used: 2000 (2.0KiB)' >part.txt
run plan part.txt --format json
check "allocations" json '.moment | [.blocks[].size] == [64, 1092] and .in_use == 1156 and .reserved == 2000 and .blocks[1].origin == "preallocated-temp"'
sed 's/allocation 3/allocation 0/' part.txt >first.txt
run plan first.txt --format json
check "from the first one on" json '.moment | [.blocks[].size] == [64, 1092]'
sed 1d part.txt | sed '/allocation 4/,$d' >value.txt
run plan value.txt --format json
check "a value alone" json '.moment.in_use == 64'
printf '%s\n' '  512.0KiB( 67%);   256.0KiB; allocation 6: size 512.0KiB, preallocated-temp:' '  768.0KiB(100%);        20B; allocation 0: size 256.0KiB, parameter 0, shape |f32[256,256]| at ShapeIndex {}:' >usage.txt
run plan usage.txt --format json
check "lines of a report of usage" json '.moment | [.blocks[].size] == [524288, 262144]'
cases=$SOURCE/../shared/cases
if [ -d "$cases" ]; then
    run plan "$cases/xla_oom_peak_buffers.txt" --format json
    check "the case" json '.moment | [.blocks[].size] == [6291456, 393216, 393216] and .in_use == 12582912 and .reserved == 12582912 and .failed.size == 6291456'
    run plan "$cases/xla_oom_peak_buffers.txt"
    check "with both sums" says 'note: 3 buffers, 7,077,888 bytes, of about 12,582,912 in all'
else
    skip "$cases is not there"
fi
finish
