#!/usr/bin/env bash
# What people have of PyTorch when memory ran out: snapshots without history as pickle and JSON, its message in the wordings of
# its versions, torch.cuda.memory_summary(). Each figure is reckoned a second time here, from the text or the values.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# ---- snapshots without history ----
cat >make.py <<'X'
import json, pickle, pprint, random
random.seed(7)
M = 1 << 20
stack = [{"name": "forward", "filename": "C:\\work\\model.py", "line": 12}, {"name": "at::empty", "filename": "??", "line": 0}]
def segment(address, total, kind, stream=0, pool=(0, 0), device=0):
    blocks, at = [], address
    while at < address + total:
        size = min(512 * random.randint(1, total // 2048), address + total - at)
        state = random.choice(["active_allocated", "inactive", "active_pending_free"]) if blocks else "active_allocated"
        blocks.append({"address": at, "size": size, "requested_size": 0 if state == "inactive" else size - random.randint(0, 511), "state": state, "frames": stack if state != "inactive" else []})
        at += size
    used = sum(b["size"] for b in blocks if b["state"] == "active_allocated")
    active = sum(b["size"] for b in blocks if b["state"] != "inactive")
    return {"device": device, "address": address, "total_size": total, "allocated_size": used, "active_size": active, "requested_size": 0,
            "stream": stream, "segment_type": kind, "segment_pool_id": pool, "is_expandable": False, "frames": [], "blocks": blocks}
base = 0x7f0000000000
segments = [segment(base + i * 64 * M, 2 * M if i % 2 else 20 * M, "small" if i % 2 else "large", 0 if i < 6 else 7, (0, 0) if i < 8 else (0, 1)) for i in range(10)]
segments.append(segment(base + (1 << 40), 40 * M, "large", device=1))
oom = {"action": "oom", "device_free": 1234567, "size": 9 * M, "stream": 0, "frames": stack}
old = [{"device": 0, "address": s["address"], "total_size": s["total_size"], "stream": 0, "segment_type": s["segment_type"],
        "blocks": [{"size": b["size"], "state": b["state"], "history": [{"addr": b["address"], "real_size": b["requested_size"], "frames": stack}]} for b in s["blocks"]]} for s in segments[:3]]
mine = [s for s in segments if s["device"] == 0]
blocks = [b for s in mine for b in s["blocks"]]
of = lambda state: [b["size"] for b in blocks if b["state"] == state]
large = [s for s in mine if s["segment_type"] == "large" and s["segment_pool_id"] == (0, 0) and s["stream"] == 0]
best = None # the fewest blocks that leave a piece of 9 MiB, found by trying all windows
for s in large:
    b = s["blocks"]
    for i in range(len(b)):
        for j in range(i, len(b)):
            if sum(x["size"] for x in b[i:j + 1]) >= 9 * M:
                used = [x["size"] for x in b[i:j + 1] if x["state"] != "inactive"]
                best = min(best or (len(b), 0), (len(used), sum(used)))
json.dump({"reserved": sum(s["total_size"] for s in mine), "in_use": sum(of("active_allocated")), "waiting": sum(of("active_pending_free")), "free": sum(of("inactive")),
           "largest_free": max(of("inactive")), "requested": sum(b["requested_size"] for b in blocks if b["state"] == "active_allocated"),
           "blocks_in_use": len(of("active_allocated")), "segments": len(mine), "window": best, "other": 40 * M,
           "old": sum(b["size"] for s in old for b in s["blocks"] if b["state"] == "active_allocated"),
           "old_requested": sum(h["real_size"] for s in old for b in s["blocks"] if b["state"] == "active_allocated" for h in b["history"])}, open("truth.json", "w"))
both = {"list": segments, "empty": {"segments": segments, "device_traces": [[], []], "allocator_settings": {"max_split_size": 128 * M}},
        "oom": {"segments": segments, "device_traces": [[oom], []]}, "old": old, "nothing": {"segments": [], "device_traces": [[]]}}
for name, value in both.items():
    pickle.dump(value, open(name + ".pickle", "wb"), protocol=4)
    json.dump(value, open(name + ".json", "w"))
    pprint.pprint(value, open(name + ".printed", "w"))
X
python3 make.py
# agrees FILTER: of the moment ($m) and what is true ($t).
agrees() { jq -e --slurpfile truth truth.json '.moment as $m | $truth[0] as $t | '"$1" "$tmp/out"; }
same_figures='[$m.reserved, $m.in_use, $m.waiting, $m.free, $m.largest_free, $m.requested, $m.blocks_in_use, ($m.segments | length)] == [$t.reserved, $t.in_use, $t.waiting, $t.free, $t.largest_free, $t.requested, $t.blocks_in_use, $t.segments]'
for name in list empty oom; do
    for kind in pickle json printed; do
        run plan "$name.$kind" --format json
        check "$name.$kind: read" exits 0
        check "$name.$kind: a moment" agrees '.peak == null and .lower_bound == null and $m != null'
        check "$name.$kind: its sums" agrees "$same_figures"
        check "$name.$kind: pools and streams" agrees '[$m.segments[].pool] | unique == ["large", "private (0, 1), large", "private (0, 1), small", "small"]'
        check "$name.$kind: frames" agrees '[$m.segments[].blocks[] | select(.state != "free") | .origin] | unique == ["forward (C:\\work\\model.py:12)\nat::empty"]'
        jq -c 'del(.graph)' out >"$name.$kind.said"
    done
    check "$name: as JSON the same" cmp "$name.pickle.said" "$name.json.said"
    check "$name: as Python prints it the same" cmp "$name.pickle.said" "$name.printed.said"
done
run plan oom.pickle --format json
check "the failed request" agrees '$m.failed.size == 9437184 and $m.device_free == 1234567 and $m.failed.origin == "forward (C:\\work\\model.py:12)\nat::empty"'
check "the fewest blocks to give back, as found by trying all" agrees '($m.failed.ways | map(select(startswith("Giving back"))) | .[0] | capture("^Giving back (?<n>[0-9]+) block") | .n | tonumber) == $t.window[0]'
check "a new segment is one of 20 MiB" agrees '$m.failed.why | any(startswith("No new segment: the device has 1.18 MiB"))'
run plan oom.pickle
check "in words" says '^  9 MiB were asked for'
run plan list.pickle --device 1 --format json
check "another device" agrees '$m.reserved == $t.other and ($m.segments | length) == 1'
refuses "one that is not there" plan list.pickle --device 3 because '.*list\.pickle: the snapshot has no history of allocations'
for kind in pickle json; do
    run plan "old.$kind" --format json
    check "old.$kind: blocks without addresses, requests in a history" agrees '$m.in_use == $t.old and $m.requested == $t.old_requested'
    refuses "nothing.$kind" plan "nothing.$kind" because ".*nothing\.$kind: the snapshot has no history of allocations; .*makes one$"
done
echo '[{"address": 4096, "total_size": 8192, "blocks": [{"size": 9000, "state": "inactive"}]}]' >wrong.json
refuses "a block that passes the end of its segment" plan wrong.json because '.*wrong\.json: the block at 0x1000 passes the end of its segment$'
echo '[{"address": 4096, "total_size": -1}]' >wrong.json
refuses "a size below nothing" plan wrong.json because '.*wrong\.json: "total_size" of a segment must be a whole number from 0 to 2\^61$'
if [ -d "$data/pytorch" ]; then
    python3 -c 'import json, pickle, sys; json.dump(pickle.load(open(sys.argv[1], "rb")), open("train_step.json", "w"))' "$data/pytorch/train_step.pickle"
    for file in "$data/pytorch/train_step.pickle" train_step.json; do
        run plan "$file" --format json
        jq -c 'del(.seconds)' out >"$(basename "$file").said"
    done
    check "a history as JSON is the same history" cmp train_step.pickle.said train_step.json.said
else
    skip "shared/data/pytorch is not here"
fi

# ---- the message ----

# bytes_of NUMBER UNIT: in bytes, rounded to the nearest, by awk.
bytes_of() { awk -v n="$1" -v u="$2" 'BEGIN { s["bytes"] = 1; s["KiB"] = 1024; s["MiB"] = 1024 ^ 2; s["GiB"] = 1024 ^ 3; s["GB"] = s["GiB"]; s["MB"] = s["MiB"]; printf "%.0f", n * s[u] }'; }
# message NAME TEXT KEY=NUMBER_UNIT...: the text as it is, quoted, colored and broken at 80 columns tells these figures.
message() {
    local name=$1 text=$2 expected figure
    shift 2
    printf '%s\n' "$text" >plain.txt
    { echo 'Traceback (most recent call last):'; echo '  File "a.py", line 3, in <module>'; echo "torch.OutOfMemoryError: $text"; } >traceback.txt
    fold -w 80 traceback.txt | sed 's/^/> /' >quoted.txt
    printf '\033[31mE   %s\033[0m\n' "$text" >colored.txt
    fold -w 100 plain.txt | sed 's/^/│ /; s/$/ │/' >framed.txt
    fold -w 90 traceback.txt | cat -n >numbered.txt
    for file in plain traceback quoted colored framed numbered; do
        run plan "$file.txt" --format json
        check "$name, $file: read" exits 0
        for figure in "$@"; do
            expected=${figure#*=}
            expected=$(bytes_of "${expected%_*}" "${expected#*_}")
            check "$name, $file: ${figure%%=*}" json ".moment.${figure%%=*} == $expected"
        done
    done
}
message "1.0" "CUDA out of memory. Tried to allocate 1024.00 MiB (GPU 0; 15.90 GiB total capacity; 14.25 GiB already allocated; 991.56 MiB free; 607.00 KiB cached)" \
    failed.size=1024_MiB device=15.90_GiB in_use=14.25_GiB device_free=991.56_MiB idle=607_KiB
check "1.0: what it rules out" json '.moment.failed.why | any(test("^About 607.00 KiB are reserved and not in use; with the room for new segments that is less than the block: .* fragmentation is not the cause"))'
message "1.4" "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 4; 31.75 GiB total capacity; 30.29 GiB already allocated; 3.75 MiB free; 30.40 GiB reserved in total by PyTorch)" \
    failed.size=20_MiB device=31.75_GiB in_use=30.29_GiB device_free=3.75_MiB reserved=30.40_GiB
check "1.4: the block may be smaller than the segment" json '.moment.failed.block_at_least == 1049088'
check "1.4: what is in pieces" json '.moment.failed.why | any(test("fragmentation, or another pool or stream"))'
check "1.4: no segment" json '.moment.failed.why | any(. == "No new segment: the device has about 3.75 MiB free.")'
message "1.8" "CUDA out of memory. Tried to allocate 512.00 MiB (GPU 0; 10.92 GiB total capacity; 4.60 GiB already allocated; 5.50 GiB free; 5.00 GiB allowed; 4.76 GiB reserved in total by PyTorch)" \
    failed.size=512_MiB device=10.92_GiB in_use=4.60_GiB device_free=5.50_GiB limit=5.00_GiB reserved=4.76_GiB
check "1.8: the limit" json '.moment.failed.why | any(. == "No new segment: the limit leaves about 245.76 MiB.")'
check "1.8: what limit would do" json '.moment.failed.ways | any(test("^A limit of at least 5.27 GiB"))'
message "1.10" "CUDA out of memory. Tried to allocate 0 bytes (GPU 0; 8.00 GiB total capacity; 17.20 GiB already allocated; 0 bytes free; 19.15 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF" \
    failed.size=0_bytes device=8_GiB in_use=17.20_GiB device_free=0_bytes reserved=19.15_GiB
message "2.1" "CUDA out of memory. Tried to allocate 448.00 MiB. GPU 1 has a total capacty of 79.10 GiB of which 364.31 MiB is free. Process 175080 has 1.46 GiB memory in use. Process 175356 has 77.26 GiB memory in use. Of the allocated memory 72.12 GiB is allocated by PyTorch, and 3.78 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF" \
    failed.size=448_MiB device=79.10_GiB in_use=72.12_GiB device_free=364.31_MiB idle=3.78_GiB others=1.46_GiB process=77.26_GiB
message "2.3" "CUDA out of memory. Tried to allocate 48.00 MiB. GPU 0 has a total capacity of 39.38 GiB of which 27.38 MiB is free. Including non-PyTorch memory, this process has 39.35 GiB memory in use. Of the allocated memory 36.43 GiB is allocated by PyTorch, and 2.41 GiB is reserved by PyTorch but unallocated." \
    failed.size=48_MiB device=39.38_GiB in_use=36.43_GiB device_free=27.38_MiB idle=2.41_GiB process=39.35_GiB
message "2.9, allowed, private pools" "HIP out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 255.98 GiB of which 244.65 GiB is free. 1.05 GiB allowed; Of the allocated memory 1017.00 MiB is allocated by PyTorch, with 17.00 MiB allocated in private pools (e.g., HIP Graphs), and 55.00 MiB is reserved by PyTorch but unallocated." \
    failed.size=2_MiB device=255.98_GiB in_use=1000_MiB device_free=244.65_GiB limit=1.05_GiB idle=72_MiB private=17_MiB reserved=1072_MiB
message "NPU" "NPU out of memory. Tried to allocate 20.00 MiB (NPU 0; 29.50 GiB total capacity; 27.00 GiB already allocated; 27.50 GiB current active; 16.00 MiB free; 28.00 GiB reserved in total by PyTorch)" \
    active=27.50_GiB in_use=27_GiB reserved=28_GiB
message "MPS" "MPS backend out of memory (MPS allocated: 17.36 GB, other allocations: 512.00 MB, max allowed: 18.13 GB). Tried to allocate 192.00 MB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure)." \
    failed.size=192_MB reserved=17.36_GB limit=18.13_GB
check "MPS: what other allocations leave" json ".moment.left - $(awk 'BEGIN { printf "%.0f", (18.13 - 17.36 - 0.5) * 1024 ^ 3 }') | fabs < 3"
sed 's/192.00 MB on/563.62 MB on/' plain.txt >limit.txt
run plan limit.txt --format json # rounded up, for the rounding of each figure
check "MPS: how much higher a limit" json ".moment.failed.ways | length == 1 and (.[0] | capture(\"^A limit that is (?<n>[0-9.]+) MiB higher has room for a new segment\").n | tonumber - $(awk 'BEGIN { print 563.62 + 2 * 0.005 - (18.13 - 17.36 - 0.5 - 2 * 0.005) * 1024 }') | fabs < 0.02)"
# What would help: nothing where the device is too small; else what the figures come to, and not the low end of their rounding.
ways() { jq -e "(.moment.failed.why | all(test(\"must be given back\") | not)) and (.moment.failed.ways | $1)" out >jq.out; }
echo 'CUDA out of memory. Tried to allocate 16.02 GiB. GPU 0 has a total capacity of 14.74 GiB of which 5.92 GiB is free. Of the allocated memory 8.53 GiB is allocated by PyTorch, and 166.12 MiB is reserved by PyTorch but unallocated.' >huge.txt
run plan huge.txt --format json
check "larger than the device" ways '. == ["Nothing makes it fit: the request is larger than the device, which has about 14.74 GiB."]'
sed 's/16.02/14.74/' huge.txt >most.txt
run plan most.txt --format json
check "as large as the device" ways 'all(test("Nothing makes it fit") | not)'
echo 'CUDA out of memory. Tried to allocate 1.17 GiB (GPU 0; 23.69 GiB total capacity; 20.11 GiB already allocated; 860.50 MiB free; 22.51 GiB reserved in total by PyTorch)' >pieces.txt
run plan pieces.txt --format json
check "what the device lacks" ways ". == [\"For a new segment about $(awk 'BEGIN { printf "%.2f", 1.17 * 1024 - 860.5 }') MiB more must be free on the device.\"]"
check "much more than the block takes" json '.moment.failed.why | any(test("reserved and not in use; that is more than the block takes, but no one piece"))'
echo 'CUDA out of memory. Tried to allocate 64.00 MiB (GPU 0; 8.00 GiB total capacity; 800.00 MiB already allocated; 8.00 MiB free; 820.00 MiB reserved in total by PyTorch)' >lacks.txt
run plan lacks.txt --format json # a segment of 64 MiB is for a block of more than 62 MiB
check "what must be given back stands under the ways" ways "any(. == \"Of what is in use at least about $(awk 'BEGIN { printf "%.2f", 62 - 20 - 8 }') MiB must be given back, so that one piece becomes large enough.\")"
sed 's/800.00 MiB already/20.00 MiB already/; s/820.00 MiB res/40.00 MiB res/' lacks.txt >all.txt
run plan all.txt --format json
check "where all that is in use is not enough" ways 'any(. == "All that is in use, given back, makes no room.")'

run plan quoted.txt
check "what was taken off is said" says '^note: pasted text: quotes taken off 6 lines; lines wrapped at 80 columns joined: 3$'
run plan plain.txt
check "and only then" calm
check "nothing was taken off" same "" "$(grep 'taken off' out)"
cat plain.txt plain.txt >twice.txt
run plan twice.txt
check "two messages" says '^note: 2 messages stand in the text; the first one counts$'
refuses "the words alone" plan <(echo 'CUDA out of memory') because '.*nothing of what its lines announce is told'

# ---- torch.cuda.memory_summary() ----
cat >summary.awk <<'X'
function row(name, now, peak) { printf "| %-21s | %6d %-3s | %6d %-3s |      0 B   |      0 B   |\n", name, now, unit, peak, unit }
function rule(c) { s = sprintf("%75s", ""); gsub(/ /, c, s); print "|" s "|" }
function metric(name, now, peak) { rule("-"); row(name, now, peak); if (!short) { row("      from large pool", now - 3, peak - 3); row("      from small pool", 3, 3) } }
BEGIN {
    rule("="); print "|                  PyTorch CUDA memory summary, device ID 0                 |"; rule("-")
    print "|            CUDA OOMs: 1            |        cudaMalloc retries: 2         |"; rule("=")
    print "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |"
    metric("Allocated memory", 5624, 5673); metric("Active memory", 5630, 5700); if (!old) metric("Requested memory", 5600, 5650)
    metric(old ? "Reserved memory" : "GPU reserved memory", 6000, 6100); metric("Non-releasable memory", 370, 500)
    rule("-"); print "| Allocations           |    4102    |    4110    |    4_M     |    4_M     |"
    if (!old) { rule("-"); print "| Oversize allocations  |       0    |       0    |       0    |       0    |" }
    rule("=")
}
X
for unit in "B  " KiB MiB KB MB; do
    for short in 0 1; do
        case $unit in ?B) old=1 ;; *) old=0 ;; esac
        awk -v unit="$unit" -v short=$short -v old=$old -f summary.awk >summary.txt
        factor=$(bytes_of 1 "$(echo "$unit" | sed 's/^B.*/bytes/; s/^KB/KiB/; s/^MB/MiB/')")
        run plan summary.txt --format json
        check "summary in $unit, $short: read" exits 0
        check "summary in $unit, $short: its sums" json "[.moment | .in_use, .peak_in_use, .active, .reserved, .peak_reserved, .split] == ([5624, 5673, 5630, 6000, 6100, 370] | map(. * $factor))"
        check "summary in $unit, $short: as asked for" json ".moment.requested == $([ $old = 1 ] && echo null || echo $((5600 * factor)))"
        check "summary in $unit, $short: sums are cut to whole units" json "[.moment.told[].about] | unique == [$((factor - 1))]"
        check "summary in $unit, $short: pools apart" json "[.moment.told[] | select(.pool == \"small\") | .bytes] | unique == $([ $short = 1 ] && echo '[]' || echo "[$((3 * factor))]")"
    done
done
run plan summary.txt
check "counts are kept" says '^note: at that moment: Allocations 4102'
check "and what failed before" says '^note: out of memory until then: 1; attempts to allocate again after giving memory back: 2$'

# ---- torch.cuda.memory_stats() ----
cat >stats.py <<'X'
import collections, json, pprint, random, sys
random.seed(11)
stats = collections.OrderedDict()
for of in sorted(["active", "active_bytes", "allocated_bytes", "allocation", "inactive_split_bytes", "requested_bytes", "reserved_bytes", "segment"]):
    small, large = 512 * random.randint(1, 9999), 512 * random.randint(1, 99999999)
    for pool, now in ("all", small + large), ("large_pool", large), ("small_pool", small):
        for metric, value in ("allocated", now * 9), ("current", now), ("freed", now * 8), ("peak", now + 512):
            stats[f"{of}.{pool}.{metric}"] = value
stats["num_alloc_retries"], stats["num_ooms"] = 4, 3
stats = collections.OrderedDict(sorted(stats.items()))
plain = "OrderedDict(" + repr(list(stats.items())) + ")"
texts = {"list": plain, "dict": repr(dict(stats)), "pprint": "OrderedDict(" + pprint.pformat(list(stats.items())) + ")", "json": "stats: " + json.dumps(dict(stats)),
         "lines": "\n".join(f"{k}: {v}" for k, v in stats.items()), "wide": "\n".join(plain[i:i + 133] for i in range(0, len(plain), 133))}
for name, text in texts.items():
    open(name + ".stats", "w").write(text + "\n")
json.dump(stats, open("stats.json", "w"))
X
python3 stats.py
for form in list dict pprint json lines wide; do
    run plan $form.stats --format json
    check "stats as $form: read" exits 0
    check "stats as $form: every figure" jq -e --slurpfile made stats.json '$made[0] as $s | .moment | .in_use == $s["allocated_bytes.all.current"] and .peak_in_use == $s["allocated_bytes.all.peak"]
        and .reserved == $s["reserved_bytes.all.current"] and .peak_reserved == $s["reserved_bytes.all.peak"] and .active == $s["active_bytes.all.current"]
        and .requested == $s["requested_bytes.all.current"] and .split == $s["inactive_split_bytes.all.current"]
        and ([.told[] | select(.pool == "large" and .figure == "in_use").bytes] == [$s["allocated_bytes.large_pool.current"]])' out
    run plan $form.stats
    check "stats as $form: counts" says '^note: out of memory until then: 3; attempts to allocate again after giving memory back: 4$'
done
cat list.stats list.stats >two.stats
run plan two.stats
check "stats twice" says '^note: 1 more such statistics stand in the text; the first ones count$'
length=$(stat -c %s list.stats)
for ((i = 1; i < length; i += 37)); do
    head -c $i list.stats >part.stats
    run plan part.stats --format json
    [ "$status" = 2 ] || jq -e --slurpfile made stats.json '$made[0] as $s | .moment | all([.in_use, "allocated_bytes.all.current"], [.reserved, "reserved_bytes.all.current"], [.active, "active_bytes.all.current"];
        .[0] == null or .[0] == $s[.[1]])' out >jq.out || check "stats cut at $i" false
done
check "stats cut everywhere" true
sed 's/[0-9]\{3\})/)/g' list.stats >thousands.stats
run plan thousands.stats
check "another unit is suspected" says '^note: sums are no multiples of 512 bytes'

# ---- what contradicts itself ----
told="of which 27.00 MiB is free. Including non-PyTorch memory, this process has 0 bytes memory in use. Of the allocated memory 36.25 GiB is allocated by PyTorch, and 2.50 GiB is reserved by PyTorch but unallocated."
echo "CUDA out of memory. Tried to allocate 48.00 MiB. GPU 0 has a total capacity of 39.25 GiB $told" >none.txt
run plan none.txt
check "a process with less than is reserved" says '^note: this process has 0 bytes by the driver, less than PyTorch has reserved: that is left out$'
check "and no bytes of others are made up" [ -z "$(grep 'not of this process' out)" ]
sed 's/27.00 MiB is free/64.00 GiB is free/' none.txt >free.txt
run plan free.txt
check "more free than there is" says '^note: the driver tells more bytes free than the device has'

# A long log around a message.
{ yes 'step 1 loss 0.5 of a long log that says nothing else about memory at all' | head -70000; cat plain.txt; } >long.log
run plan long.log --format json
check "a message at the end of 5 MB" json '.moment.failed.size == 201326592'
finish
