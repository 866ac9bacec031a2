#!/usr/bin/env python3
"""heaps.py STYLE SEED [TIMES]: what allocators, linkers and compilers print of a made heap, and into heaps.json what it comes to."""
import json
import random
import sys

style, seed, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
rand = random.Random(f"{style} {seed}")
out, want = [], {}


def put(text):
    out.append(text)


def walk(base, count, unit, least=1, most=200):
    """Blocks one behind the other: address, size, used; no two free ones are neighbors, as an allocator joins them."""
    blocks, at, free_before = [], base, True
    for _ in range(count):
        size, used = rand.randint(least, most) * unit, free_before or rand.random() < 0.6
        blocks.append([at, size, used])
        at, free_before = at + size, not used
    return blocks


def sums(blocks):
    want.update(in_use=sum(b[1] for b in blocks if b[2]), free=sum(b[1] for b in blocks if not b[2]),
                largest_free=max([b[1] for b in blocks if not b[2]], default=0), addresses=blocks,
                used_blocks=sum(1 for b in blocks if b[2]), free_blocks=sum(1 for b in blocks if not b[2]))


def malloc_info(top_told):
    free = reserved = most = 0
    totals = [0, 0, 0, 0]
    put('<malloc version="1">')
    for nr in range(rand.randint(1, 3)):
        flag = 1 if nr == 0 else 5
        fast = [(size, rand.randint(1, 9)) for size in range(32, 128, 16) if rand.random() < 0.5]
        bins = [sorted(rand.randint(8, 4000) * 16 for _ in range(rand.randint(1, 12))) for _ in range(rand.randint(0, 5) * times)]
        top = rand.randint(1, 9000) * 16 if top_told else 0
        in_fast, in_bins = sum(s * c for s, c in fast), sum(map(sum, bins))
        flags, chunks = sum(map(len, bins)) * flag, sum(map(len, bins))
        used = rand.randint(1, 90000) * 16
        system = in_fast + in_bins + top + used
        put(f'<heap nr="{nr}">\n<sizes>')
        for size, number in fast:
            put(f'  <size from="{size - 15}" to="{size}" total="{size * number}" count="{number}"/>')
        for i, b in enumerate(bins):
            name = "unsorted" if i == len(bins) - 1 else "size"
            put(f'  <{name} from="{b[0] + flag}" to="{b[-1] + flag}" total="{sum(b) + flag * len(b)}" count="{len(b)}"/>')
        rest, number = in_bins + flags + top, chunks + (1 if top_told else 0)
        put(f'</sizes>\n<total type="fast" count="{sum(c for _, c in fast)}" size="{in_fast}"/>\n<total type="rest" count="{number}" size="{rest}"/>')
        put(f'<system type="current" size="{system}"/>\n<system type="max" size="{system + 4096}"/>')
        put(f'<aspace type="total" size="{system}"/>\n<aspace type="mprotect" size="{system}"/>\n</heap>')
        free, reserved, most = free + in_fast + in_bins + top, reserved + system, most + system + 4096
        totals = [totals[0] + sum(c for _, c in fast), totals[1] + in_fast, totals[2] + number, totals[3] + rest]
    mapped = rand.randint(33, 900) * 4096
    put(f'<total type="fast" count="{totals[0]}" size="{totals[1]}"/>\n<total type="rest" count="{totals[2]}" size="{totals[3]}"/>')
    put(f'<total type="mmap" count="2" size="{mapped}"/>\n<system type="current" size="{reserved}"/>\n<system type="max" size="{most}"/>\n</malloc>')
    want.update(reserved=reserved + mapped, free=free, in_use=reserved + mapped - free if top_told else None)


def jemalloc(version):
    bins, large, extents = [], [], []
    used = free = 0
    for i, size in enumerate([8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256] * times):
        if rand.random() < 0.7:
            regs, slabs = 4096 // size * 4, rand.randint(1, 3)
            now = rand.randint(1, regs * slabs)
            bins.append((size, i, now, slabs, regs))
            used, free = used + size * now, free + size * (regs * slabs - now)
    for i, size in enumerate([16384, 20480, 24576, 32768, 65536] * times):
        if rand.random() < 0.7:
            large.append((size, 36 + i, rand.randint(1, 9)))
            used += size * large[-1][2]
    for i, size in enumerate([4096, 8192, 12288]):
        extents.append((size, i, rand.randint(0, 4), rand.randint(0, 2)))
        free += size * (extents[-1][2] + extents[-1][3])
    mapped, retained = used + free + rand.randint(1, 99) * 4096, rand.randint(0, 99) * 4096
    put("___ Begin jemalloc statistics ___")
    put(f"Allocated: {used}, active: {used + 4096}, metadata: 77600 (n_thp 0), resident: {mapped - 4096}, mapped: {mapped}, retained: {retained}")
    put("Merged arenas stats:\nassigned threads: 1\nactive:        " + str(used + 4096))
    rates = version == 5
    put(f"bins:{'size':>15} ind {'allocated':>12} {'nmalloc':>12} " + ("(#/sec) " if rates else "") + f"{'curregs':>12} {'curslabs' if rates else 'curruns':>12} regs pgs   util")
    for n, (size, i, now, slabs, regs) in enumerate(bins):
        if n % 3 == 2:
            put("                     ---")
        put(f"{size:>20} {i:>3} {size * now:>12} {now:>12} " + (f"{0:>7} " if rates else "") + f"{now:>12} {slabs:>12} {regs:>4} {1:>3} {'0.9':>6}")
    put(f"large:{'size':>14} ind {'allocated':>12} {'nmalloc':>12} {'curlextents' if rates else 'curruns':>12}")
    for size, i, now in large:
        put(f"{size:>20} {i:>3} {size * now:>12} {now:>12} {now:>12}")
    if rates:
        put(f"extents:{'size':>12} ind {'ndirty':>12} {'dirty':>12} {'nmuzzy':>12} {'muzzy':>12} {'nretained':>12} {'retained':>12}")
        for size, i, dirty, muzzy in extents:
            put(f"{size:>20} {i:>3} {dirty:>12} {dirty * size:>12} {muzzy:>12} {muzzy * size:>12} {0:>12} {0:>12}")
    else:
        free -= sum(size * (dirty + muzzy) for size, _, dirty, muzzy in extents)
    put("--- End jemalloc statistics ---")
    pieces = [size for size, _, now, slabs, regs in bins if regs * slabs > now] + [s for s, _, d, m in extents if rates and d + m]
    want.update(reserved=mapped, in_use=used, free=free, largest_free=max(pieces), used_blocks=sum(b[2] for b in bins) + sum(b[2] for b in large))


def amount(value, old):
    units, base = (("", "k", "m", "g") if old else ("", "Ki", "Mi", "Gi")), 1024
    shift = min(3, max(0, (value.bit_length() - 1) // 10)) if value else 0
    if shift == 0:
        return f"{value} {'b ' if old else '  B'}"
    tenths = value * 10 // base ** shift
    return f"{tenths // 10}.{tenths % 10} {units[shift]}{'b' if old else 'B'}"


def mimalloc(old):
    blocks = [(size, rand.randint(1, 7)) for size in (8, 16, 32, 64) if rand.random() < 0.8]
    now, peak, reserved = rand.randint(1 << 14, 1 << 30), rand.randint(1 << 30, 1 << 31), rand.randint(1 << 31, 1 << 32)
    asked = now - now // 9
    if old:
        put("heap stats:     peak      total      freed    current       unit      count  ")
    else:
        put("subproc 0\n blocks          peak       total     current       block      total#   ")
    for i, (size, count) in enumerate(blocks):
        cells = [amount(size * count, old)] * 2 + ([amount(0, old)] if old else []) + [amount(size * count, old), amount(size, old)]
        put((f"normal {i + 1:>3}: " if old else f"  bin S {i + 1:>2}  : ") + " ".join(f"{cell:>12}" for cell in cells) + "   16.9 K   not all freed!")
    for name, current, most in [("total", now, peak), ("malloc req", asked, peak), ("reserved", reserved, reserved + 999), ("committed", now, now)]:
        if name == "reserved" and not old:
            put(" arenas          peak       total     current       block      total#   ")
        if name == "malloc req" and old:
            continue
        cells = [amount(most, old), amount(most, old)] + ([amount(most - current, old)] if old else []) + [amount(current, old)]
        put(f"{name:>10}{'' if old else '  '}: " + " ".join(f"{cell:>12}" for cell in cells) + "   not all freed!")
    want.update(about=dict(reserved=reserved, in_use=now, peak_in_use=peak, requested=None if old else asked))


def freertos(colon):
    sizes = [rand.randint(2, 400) * 8 for _ in range(rand.randint(2, 3))]
    least = rand.randint(0, sum(sizes))
    for name, value in [("xAvailableHeapSpaceInBytes", sum(sizes)), ("xSizeOfLargestFreeBlockInBytes", max(sizes)), ("xSizeOfSmallestFreeBlockInBytes", min(sizes)),
                        ("xNumberOfFreeBlocks", len(sizes)), ("xMinimumEverFreeBytesRemaining", least), ("xNumberOfSuccessfulAllocations", 90), ("xNumberOfSuccessfulFrees", 60)]:
        put(f"[Heap Stats] {name}: {value}" if colon else f"  {name} = {value},")
    want.update(free=sum(sizes), largest_free=max(sizes), free_blocks=len(sizes))


def esp_summary():
    at, heaps = 0x3ffae6e0, []
    put("Heap summary for capabilities 0x00001800:")
    for _ in range(rand.randint(1, 5) * times):
        free, used = rand.randint(1, 9999) * 4, rand.randint(1, 9999) * 4
        heaps.append((at, free + used + 240, free, used, rand.randint(1, free)))
        at += free + used + 240 + rand.randint(0, 2) * 4096
    for at, length, free, used, largest in heaps:
        put(f"  At 0x{at:08x} len {length} free {free} allocated {used} min_free {free // 2}\n    largest_free_block {largest} alloc_blocks 12 free_blocks 3 total_blocks 15")
    want.update(reserved=sum(h[1] for h in heaps), free=sum(h[2] for h in heaps), in_use=sum(h[3] for h in heaps), largest_free=max(h[4] for h in heaps))
    put(f"  Totals:\n    free {want['free']} allocated {want['in_use']} min_free {want['free'] // 2} largest_free_block {want['largest_free']}")
    want["asked"] = want["largest_free"] + 4
    put(f"Mem alloc fail. size 0x{want['asked']:08x} caps 0x00001800")


def esp_dump(old):
    blocks = walk(0x3ffae2b4, 30 * times, 4, 4)
    if old:
        put(f"Heap start 0x{blocks[0][0]:x} end 0x{sum(blocks[-1][:2]):x}\nFirst free block 0x0")
    else:
        put("Showing data for heap: 0x3ffae2a0 ")
    for at, size, used in blocks:
        if old:
            put(f"Block 0x{at:x} data size 0x{size - 4:08x} bytes next block 0x{at + size:x}" + ("" if used else " FREE. Next free 0x3ffb0000"))
        else:
            put(f"Block 0x{at + 4:x} data, size: {size - 4} bytes, Free: {'No' if used else 'Yes'} ")
    if old:
        put(f"Block 0x{sum(blocks[-1][:2]):x} data size 0x00000000 bytes next block (nil) FREE. Next free (nil)")
    sums(blocks)
    want["reserved"] = sum(b[1] for b in blocks)


def zephyr(chunks):
    base = 0x20001000
    blocks = [[base, 72, True]] + walk(base + 72, 20 * times, 8)
    units = sum(b[1] for b in blocks) // 8
    used, free = [b for b in blocks[1:] if b[2]], [b for b in blocks if not b[2]]
    large = max(b[1] for b in free)
    put(f"Heap at 0x{base:x} contains {units} units in 9 buckets\n\n  bucket#    min units        total      largest      largest")
    put(f"             threshold       chunks      (units)      (bytes)\n  {'-' * 59}\n{4:>9} {16:>12} {len(free):>12} {large // 8:>12} {large:>12}\n")
    if chunks:
        put("Chunk dump:")
        left = 0
        for at, size, is_used in blocks + [[sum(blocks[-1][:2]), 0, True]]:
            put(f"chunk {(at - base) // 8:>4}: [{'*' if is_used else '-'}] size={size // 8:<4} left={left:<4} right={(at - base + size) // 8}")
            left = size // 8
    put(f"\n{sum(b[1] - 4 for b in free)} free bytes, {sum(b[1] - 4 for b in used)} allocated bytes, overhead = 99 bytes (1.2%)")
    if chunks:
        sums(blocks)
    else:
        want.update(in_use=sum(b[1] - 4 for b in used), free=sum(b[1] - 4 for b in free), largest_free=large)
    want["reserved"] = units * 8


def ld_map():
    put("Discarded input sections\n\n .text          0x0000000000000000        0x0 crt1.o\n .bss.gone      0x0000000000000000      0x999 gone.o\n")
    put("Memory Configuration\n\nName             Origin             Length             Attributes")
    put("RAM              0x0000000020000000 0x0000000000100000 xrw\n*default*        0x0000000000000000 0xffffffffffffffff\n")
    put("Linker script and memory map\n\nLOAD crt1.o")
    at, reserved, blocks = 0x20000000, 0, []
    for name in [".data", ".bss", ".a_section_with_a_long_name"] + [f".bank{i}" for i in range(times - 1)]:
        parts = walk(at, rand.randint(2, 12), 8)
        size = sum(p[1] for p in parts)
        put(f"\n{name:<15} 0x{at:016x} {hex(size):>10}" if len(name) < 16 else f"\n{name}\n                0x{at:016x} {hex(size):>10}")
        put(f" *({name} {name}.*)")
        for i, (where, length, used) in enumerate(parts):
            part = f" {name}.tensor_arena_{i}" if i % 2 else f" {name}.v{i}"
            if used and len(part) < 16:
                put(f"{part:<15} 0x{where:016x} {hex(length):>10} part_{i}.o\n                0x{where:016x}                symbol_{i}")
            elif used:
                put(f"{part}\n                0x{where:016x} {hex(length):>10} part_{i}.o")
            else:
                put(f" *fill*         0x{where:016x} {hex(length):>10} ")
        blocks, reserved, at = blocks + parts, reserved + size, at + size + rand.randint(0, 9) * 16
    put("\n.debug_info     0x0000000000000000     0x1234\n .debug_info    0x0000000000000000     0x1234 part_0.o")
    sums(blocks)
    want["reserved"] = reserved


def su():
    frames = []
    for i in range(20 * times):
        frames.append((rand.randint(0, 600) * 8, rand.choice(["static", "dynamic", "dynamic,bounded"])))
        place = f"src/op{i % 5}.cc:{i + 1}" + (f":{i % 60 + 1}" if rand.random() < 0.7 else "")
        put(f"{place}:{rand.choice(['main', 'void ns::op<int>(const char*)', 'Reset_Handler'])}\t{frames[-1][0]}\t{frames[-1][1]}")
    want.update(frames=[size for size, _ in frames])


def tt(wording):
    kind, banks = rand.choice(["L1", "DRAM", "L1_SMALL"]), rand.choice([8, 12, 64])
    size, used, free = rand.randint(1, 9999) * 1024, rand.randint(1, 9999) * 1024, rand.randint(1, 999) * 1024
    text = f"Out of Memory: Not enough space to allocate {size * banks} B {kind} buffer across {banks} banks, where each bank needs to store {size} B"
    want["asked"] = size
    if wording > 0:
        text += f", but bank size is {'only ' if wording == 1 else ''}{used + free} B"
        want["reserved"] = used + free
    if wording > 1:
        text += f" (allocated: {used} B, free: {free} B" + (f", largest free block: {free // 2} B)" if wording > 2 else ")")
        want.update(in_use=used, free=free, largest_free=free // 2 if wording > 2 else None)
    put("TT_FATAL @ tt_metal/impl/allocator/bank_manager.cpp:462: false\ninfo:")
    put(text)


def tt_table():
    blocks = walk(0, 25 * times, 32)
    put("FreeListOpt allocator info:\nBlock table:\n" + " ".join(f"{w:>12}" for w in ["Block", "Address", "Size", "PrevID", "NextID", "Allocated"]) + " ")
    for i, (at, size, used) in sorted(enumerate(blocks), key=lambda _: rand.random()):
        put(" ".join(f"{w:>12}" for w in [i, at, size, i - 1 if i else "none", i + 1 if i + 1 < len(blocks) else "none", "yes" if used else "no"]))
    sums(blocks)
    want["reserved"] = sum(b[1] for b in blocks)


styles = dict(malloc_info=lambda: malloc_info(True), malloc_info_old=lambda: malloc_info(False), jemalloc5=lambda: jemalloc(5), jemalloc4=lambda: jemalloc(4),
              mimalloc_old=lambda: mimalloc(True), mimalloc_new=lambda: mimalloc(False), freertos=lambda: freertos(True), freertos_gdb=lambda: freertos(False),
              esp_summary=esp_summary, esp_dump=lambda: esp_dump(False), esp_old=lambda: esp_dump(True), zephyr=lambda: zephyr(True),
              zephyr_sums=lambda: zephyr(False), ld_map=ld_map, su=su, tt_0=lambda: tt(0), tt_1=lambda: tt(1), tt_2=lambda: tt(2), tt_3=lambda: tt(3), tt_table=tt_table)
styles[style]()
sys.stdout.write("\n".join(out) + "\n")
json.dump(want, open("heaps.json", "w"))
