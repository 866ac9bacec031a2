#!/usr/bin/env python3
"""dumps.py STYLE SEED [MEGABYTES]: a dump of a BFC allocator's chunks as TensorFlow (2015, 2016, 2017, 2019, 2024) or ONNX Runtime
(ort) prints it, and into dumps.json what it comes to, added up here."""
import json
import random
import sys


def human(n):
    """TensorFlow's strings::HumanReadableNumBytes."""
    if n < 1024:
        return "%dB" % n
    unit = 0
    while n >= 1024 * 1024:
        n //= 1024
        unit += 1
    return ("%.1f%ciB" if unit == 0 else "%.2f%ciB") % (n / 1024.0, "KMGT"[unit])


def memory(rng, regions):
    """Regions of chunks (address, size, is in use, bytes asked for); no two free ones are neighbors."""
    made, at = [], 0x7F0000000000
    for _ in range(regions):
        chunks = []
        for _ in range(rng.randrange(1, 9)):
            free = rng.random() < 0.4 and (not chunks or chunks[-1][2])
            size = 256 * rng.randrange(1, 1 << rng.randrange(1, 14))
            chunks.append((at, size, not free, size - rng.randrange(0, 200)))
            at += size
        made.append(chunks)
        at += 1 << 30
    return made


def tensorflow(style, rng, regions, name="GPU_0_bfc"):
    out = []
    stamp = {"2015": "I tensorflow/core/common_runtime/gpu/gpu_bfc_allocator.cc:%d] ",
             "2016": "I tensorflow/core/common_runtime/bfc_allocator.cc:%d] ",
             "2019": "2020-10-12 23:45:51.958146: I tensorflow/core/common_runtime/bfc_allocator.cc:%d] ",
             "2017": "2017-06-20 20:25:42.826440: I tensorflow/core/common_runtime/bfc_allocator.cc:%d] ",
             "2024": "2024-07-12 14:40:46.380635: I tensorflow/tsl/framework/bfc_allocator.cc:%d] "}[style]
    put = lambda words, line=1103: out.append(stamp % line + words)
    old = style in ("2015", "2016") # whose bins have free chunks alone
    chunks = [chunk for region in regions for chunk in region]
    used = [chunk for chunk in chunks if chunk[2]]
    total, in_use = sum(c[1] for c in chunks), sum(c[1] for c in used)
    asked = total + 1024 - 4
    rounded = (asked + 255) // 256 * 256
    if style == "2024":
        put("Allocator (%s) ran out of memory trying to allocate %s (rounded to %d)requested by op dense/MatMul" % (name, human(asked), rounded))
        out.append("If the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. ")
        out.append("Current allocation summary follows.")
        put("BFCAllocator dump for " + name)
    elif style in ("2017", "2019"):
        put("Allocator (%s) ran out of memory trying to allocate %s.  Current allocation summary follows." % (name, human(asked)))
    for b in range(21):
        low, high = 256 << b, 512 << b if b < 20 else 1 << 62
        here = [c for c in chunks if low <= c[1] < high and not (old and c[2])]
        inside = [c for c in here if c[2]]
        put("Bin (%d): \tTotal Chunks: %d, Chunks in use: %d%s %s allocated for chunks. %s%s in use in bin. %s client-requested in use in bin." %
            (low, len(here), len(inside), "" if old else ".", human(sum(c[1] for c in here)),
             "%s client-requested for chunks. " % human(0) if old else "", human(sum(c[1] for c in inside)),
             human(sum(c[3] for c in inside))))
    put("Bin for %s was 256.00MiB, Chunk State: " % human(rounded))
    for number, region in enumerate(regions):
        if style in ("2019", "2024"):
            put("Next region of size %d" % sum(c[1] for c in region))
        if style == "2016": # of each region the free ones come last
            region = sorted(region, key=lambda chunk: not chunk[2])
        for i, (at, size, is_used, _) in enumerate(region):
            if style == "2016":
                put("%s at 0x%x of size %d" % ("Chunk" if is_used else "Free", at, size))
            elif style == "2019":
                put("%s at 0x%x next %d of size %d" % ("InUse" if is_used else "Free ", at, i + 2 if i + 1 < len(region) else (1 << 64) - 1, size))
            elif style == "2024":
                after = str(i + 2 + 10 * number) if i + 1 < len(region) else "18446744073709551615"
                put("%s at %x of size %d next %s" % ("InUse" if is_used else "Free ", at, size, after))
            else:
                put("%s at 0x%x of size %d" % ("Chunk" if is_used or style == "2015" else "Free ", at, size))
    put("     Summary of in-use Chunks by size: ")
    sizes = {}
    for chunk in chunks if style == "2015" else used:
        sizes[chunk[1]] = sizes.get(chunk[1], 0) + 1
    for size in sorted(sizes):
        put("%d Chunks of size %d totalling %s" % (sizes[size], size, human(size * sizes[size])))
    put("Sum Total of in-use chunks: " + human(total if style == "2015" else in_use))
    limit = total + 768
    if style == "2015":
        put("Ran out of memory trying to allocate %s.  See logs for memory state" % human(asked))
    else:
        if style == "2024":
            put("Total bytes in pool: %d memory_limit_: %d available bytes: %d curr_region_allocation_bytes_: %d" % (total, limit, limit - total, 2 * limit))
        put("Stats: ")
        rows = [("Limit", limit), ("InUse", in_use), ("MaxInUse", in_use + 256), ("NumAllocs", 455), ("MaxAllocSize", 1 << 20)]
        rows += [("Reserved", 0), ("PeakReserved", 0), ("LargestFreeBlock", 0)] if style == "2024" else []
        out.extend("%-17s%20d" % (word + ":", value) for word, value in rows)
        out.append("")
        put("*" * 60 + "_" * 38 + "xx")
        if style == "2016":
            put("Ran out of memory trying to allocate %s.  See logs for memory state." % human(asked))
        put("OP_REQUIRES failed at x.cc:198 : RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[%d] and type float on "
            "/job:localhost/replica:0/task:0/device:GPU:0 by allocator %s" % (asked // 4, name))
    told = dict(asked=asked, block=rounded if style != "2015" else None, limit=limit if style != "2015" else None,
                peak=in_use + 256 if style != "2015" else None)
    return out, told


def onnxruntime(rng, regions):
    out = []
    put = lambda words: out.append("2026-11-25 15:44:32.351181045 [I:onnxruntime:, bfc_arena.cc:589 DumpMemoryLog] " + words)
    chunks = [chunk for region in regions for chunk in region]
    used = [chunk for chunk in chunks if chunk[2]]
    total, in_use = sum(c[1] for c in chunks), sum(c[1] for c in used)
    asked = total + 1000
    out.append("2026-11-25 15:44:32.351181045 [E:onnxruntime:, bfc_arena.cc:341 AllocateRawInternal] BFC Arena ran out of memory trying to allocate %d"
               ".  Current allocation summary follows." % asked)
    put("Allocator:Cuda")
    put("Bin size: Chunks in_use/total (if not zero). Allocated bytes in_use/total. Requested bytes.")
    for b in range(21):
        low, high = 256 << b, 512 << b if b < 20 else 1 << 62
        here = [c for c in chunks if low <= c[1] < high]
        inside = [c for c in here if c[2]]
        if here:
            put("%d: Chunks %d/%d. Bytes %d/%d. Requested %d." % (low, len(inside), len(here), sum(c[1] for c in inside), sum(c[1] for c in here), sum(c[3] for c in inside)))
    put("Diff between in-use and requested bytes is %d" % sum(c[1] - c[3] for c in used))
    put("Bin for %d bytes has max bytes of 268435456, Chunk State: " % asked)
    put("Overall chunks summary:")
    for region in regions:
        for at, size, is_used, _ in region:
            put("  %s at 0x%x of size %d" % ("Chunk" if is_used else "Free ", at, size))
    put("Summary of in-use chunks by size: ")
    sizes = {}
    for chunk in used:
        sizes[chunk[1]] = sizes.get(chunk[1], 0) + 1
    for size in sorted(sizes):
        put("  %d chunks of size %d. Total %d" % (sizes[size], size, size * sizes[size]))
    put("Sum Total of in-use chunks: %d" % in_use)
    put("Stats: ")
    for word, value in (("Limit", -1), ("InUse", in_use), ("TotalAllocated", total), ("MaxInUse", in_use + 256), ("NumAllocs", 455),
                        ("NumReserves", 0), ("NumArenaExtensions", len(regions)), ("NumArenaShrinkages", 0), ("MaxAllocSize", 1 << 20)):
        out.append("%-26s%d" % (word + ":", value))
    return out, dict(asked=asked, block=(asked + 255) // 256 * 256, limit=None, peak=in_use + 256)


def main():
    style, rng = sys.argv[1], random.Random(int(sys.argv[2]))
    count = int(float(sys.argv[3]) * 1700) if len(sys.argv) > 3 else 4
    regions = memory(rng, count)
    out, told = onnxruntime(rng, regions) if style == "ort" else tensorflow(style, rng, regions)
    chunks = [chunk for region in regions for chunk in region]
    free = [c[1] for c in chunks if not c[2]]
    told.update(reserved=sum(c[1] for c in chunks), in_use=sum(c[1] for c in chunks if c[2]), free=sum(free), largest_free=max(free, default=0),
                used_blocks=sum(c[2] for c in chunks), free_blocks=len(free), regions=len(regions),
                requested=sum(c[3] for c in chunks if c[2]), addresses=[[c[0], c[1], c[2]] for c in chunks])
    print("\n".join(out))
    with open("dumps.json", "w", encoding="ascii") as file:
        json.dump(told, file)


main()
