#!/usr/bin/env bash
# Heaps as glibc, jemalloc, mimalloc, FreeRTOS, ESP-IDF, Zephyr and tt-metal print them, maps of GNU ld and frames of -fstack-usage: every figure
# added up by heaps.py, decorated and cut as people paste them.
. "$(dirname "$0")/lib.bash"
here=$(cd "$(dirname "$0")" && pwd)
cd "$tmp" || exit 1
styles="malloc_info malloc_info_old jemalloc5 jemalloc4 mimalloc_old mimalloc_new freertos freertos_gdb esp_summary esp_dump esp_old zephyr zephyr_sums
    ld_map su tt_0 tt_1 tt_2 tt_3 tt_table"

# Do all figures and all blocks agree with what heaps.py made? What the text rounds down lies within a tenth of its unit.
agrees() {
    jq -e --slurpfile made heaps.json '.moment as $m | $made[0] as $d | .peak == null and .lower_bound == null
        and all(["reserved", "in_use", "free", "largest_free"][]; . as $k | ($d.about | not) and ($d.frames | not) and ($d | has($k)) | not or $m[$k] == $d[$k])
        and ($d.about | not or all(to_entries[]; .value == null or ($m[.key] <= .value and .value <= $m[.key] * 1.1 + 1)))
        and ($d.asked == null or $m.failed.size == $d.asked)
        and ($d.used_blocks == null or $m.blocks_in_use == $d.used_blocks) and ($d.free_blocks == null or $m.blocks_free == $d.free_blocks)
        and ($d.frames == null or [$m.blocks[].size] == $d.frames and $m.in_use == null)
        and ($d.addresses == null or ([$m.segments[].blocks[] | [.address, .size, .state == "in use"]] == $d.addresses))' "$tmp/out"
}
for style in $styles; do
    for seed in 1 2; do
        "$here/heaps.py" "$style" $seed >heap.log
        run plan heap.log --format json
        check "$style, seed $seed: every figure" agrees
        [ $seed = 1 ] || continue
        jq '.moment | del(.told)' out >plain.json
        run plan heap.log
        check "$style, seed $seed: nothing is taken off" [ -z "$(grep 'taken off' out)" ]
        sed 's/^/> /' heap.log >quoted.log
        sed $'s/.*/\e[1;32m&\e[0m/' heap.log >colored.log
        sed 's/$/\r/' heap.log >crlf.log
        { echo '$ ./program'; cat heap.log; echo 'Aborted (core dumped)'; } >among.log
        files="quoted colored crlf among"
        case $style in malloc* | esp* | tt_? | mimalloc* | freertos) sed 's/^/[12:00:01] /' heap.log >stamped.log && files="$files stamped" ;; esac
        case $style in jemalloc* | tt_? | malloc* | esp*) fold -b -w 80 heap.log >folded.log && files="$files folded" ;; esac
        for file in $files; do
            run plan "$file.log" --format json
            check "$style, seed $seed, $file" cmp -s plain.json <(jq '.moment | del(.told)' out)
        done
    done
    "$here/heaps.py" "$style" 7 >heap.log
    length=$(stat -c %s heap.log)
    for ((i = 1; i < length; i += 211)); do
        for part in "head -c $i" "tail -c +$i"; do
            $part heap.log >part.log
            run plan part.log
            [ "$status" = 0 ] || { [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ]; } || check "$style, $part" false
        done
    done
    check "$style, cut everywhere" true
    "$here/heaps.py" "$style" 2 300 >heap.log
    run plan heap.log --format json
    check "$style: a large one" agrees
done

# ---- what figures mean ----
"$here/heaps.py" malloc_info_old 1 >heap.log
run plan heap.log
check "an arena of which the top is not told" says 'note: the chunk at the top of an arena is not told .*: it is neither free nor in use here'
"$here/heaps.py" malloc_info 1 >heap.log
sed -n '/<\/heap>/,$p' heap.log | sed '/<heap/,/<\/heap>/d' >sums.log
run plan sums.log --format json
check "the sums at the end alone" jq -e --slurpfile made heaps.json '.moment.reserved == $made[0].reserved and .moment.in_use == null' out
"$here/heaps.py" jemalloc5 1 >heap.log
sed 's/Merged arenas stats:/arenas[0]:/' heap.log >arena.log
sed -n '/Merged/,$p' heap.log >tables.log
for file in arena tables; do
    run plan $file.log --format json
    check "jemalloc: $file" jq -e --slurpfile made heaps.json '.moment.in_use == $made[0].in_use and .moment.free == $made[0].free' out
done
{ sed '/End jemalloc/d' heap.log; sed -n '/bins:/,/extents:/p' heap.log | sed '1i arenas[0]:'; } >both.log
run plan both.log --format json
check "an arena behind all of them counts once" jq -e --slurpfile made heaps.json '.moment.in_use == $made[0].in_use and .moment.blocks_in_use == $made[0].used_blocks' out
cat >extents.log <<'END'
Merged arenas stats:
bins:           size ind    allocated      nmalloc      curregs     curslabs regs pgs   util
                   8   0           80           10           10            1  512   1    0.1
extents:        size ind       ndirty        dirty       nmuzzy        muzzy
               20480   4            3        65536            0            0
END
run plan extents.log
check "extents of one class differ in size" says 'note: of 3 free extents only the class of sizes is told'
run plan extents.log --format json
check "and count in the sum" json '.moment.free == 65536 + 502 * 8 and .moment.blocks_free == 502 and .moment.in_use == 80'
printf '  reserved:   100.0 mb   100.0 mb     2.5 mb    97.5 mb       1 b  not all freed!\n committed:    50.0 mb    60.0 mb    70.0 mb   -10.0 mb  1 b  not all freed!\nnormal   1:    98.2 kb   338.7 kb   337.1 kb   1.6 kb   8 b   43.4 k   not all freed!\n' >mi.log
run plan mi.log --format json
check "mimalloc: rows that are rounded make no blocks; below nothing is nothing" json '.moment | .reserved == 102236160 and .in_use == null and .blocks_in_use == 0 and .peak_reserved == 104857600'
printf 'heap stats:     peak      total      freed       unit      count  \n  reserved:   100.0 mb   100.0 mb     0 b       1 b   ok\n committed:    50 b  60 b  70 b  1 b  not all freed!\n' >mi.log
run plan mi.log --format json
check "its first version has no current" json '.moment.reserved == 104857600'
printf '#define configTOTAL_HEAP_SIZE ( ( size_t ) ( 17 * 1024 ) )\nxAvailableHeapSpaceInBytes: 5000\nxSizeOfLargestFreeBlockInBytes: 2000\nxSizeOfSmallestFreeBlockInBytes: 8\nxNumberOfFreeBlocks: 5\n' >rtos.log
run plan rtos.log --format json
check "FreeRTOS: the heap in KiB, and blocks of which the size does not follow" json '.moment | .reserved == 17408 and .free == 5000 and .largest_free == 2000 and .blocks_free == 2'
printf 'pos += printf("xAvailableHeapSpaceInBytes: %%zu\\n", stats.xAvailableHeapSpaceInBytes);\n' >rtos.c
run plan rtos.c
check "its source is no moment" exits 2
printf 'Mem alloc fail. size 0x00000300 caps 0x00001800\n' >esp.log
run plan esp.log --format json
check "ESP-IDF's message alone" json '.moment | .failed.size == 768 and .free == null'
for caps in 0x00000004 0x00001800; do printf 'Heap summary for capabilities %s:\n  At 0x3ffae6e0 len 6432 free 4 allocated 6236 min_free 4\n    largest_free_block 4 alloc_blocks 12 free_blocks 1 total_blocks 13\n' $caps; done >esp.log
run plan esp.log --format json
check "a heap of two summaries is one" json '.moment | .reserved == 6432 and .free == 4 and .segments[0].pool == "capabilities 0x00001800"'
run plan esp.log
check "and it says so" says 'note: 1 heap is told for more than one set of capabilities: the last one counts'
printf '  At 0x1000 len 900 free 0 allocated 800 min_free 0\n    largest_free_block 0 alloc_blocks 38 free_blocks 0 total_blocks 38\n  At 0x1020 len 300 free 40 allocated 200 min_free 40\n    largest_free_block 40 alloc_blocks 38 free_blocks 1 total_blocks 39\n' >esp.log
run plan esp.log --format json
check "a heap inside another" json '.moment | .reserved == 1200 and .in_use == 1000 and .free == 40 and .largest_free == 40'
run plan esp.log
check "which is said" says 'note: 1 heap lies inside another: both count, as in the sums of the text'
printf 'free:           4096\nallocated:      1024\nmax. allocated: 2048\n' >zephyr.log
run plan zephyr.log --format json
check "Zephyr's shell" json '.moment | .free == 4096 and .in_use == 1024 and .peak_in_use == 2048'
printf 'allocated 20, free 220, max allocated 30, heap size 256\n' >zephyr.log
run plan zephyr.log --format json
check "and its sample" json '.moment | .free == 220 and .in_use == 20 and .peak_in_use == 30 and .reserved == 256'
"$here/heaps.py" ld_map 1 >heap.log
run plan heap.log --format json
check "a linker's map: names, objects, regions" json '.moment.segments | .[0].allocator == ".data" and .[0].pool == "RAM" and .[0].blocks[0].name == "symbol_0" and .[0].blocks[0].origin == "part_0.o" and all(.[]; .allocator != ".debug_info")'
"$here/heaps.py" tt_0 1 >heap.log
printf 'Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 1655296 B which is beyond max L1 size of 1499136 B\n' >>heap.log
run plan heap.log --format json
check "tt-metal: the last message counts" json '.moment | .failed.size == 1655296 and .limit == 1499136'
run plan heap.log
check "and it says so" says 'note: the text has 1 more such message: the last one counts'
"$here/heaps.py" su 1 >heap.log
run plan heap.log
check "frames are in use at no moment" says 'note: a frame takes memory only while its function runs: sums of them say nothing'

# ---- what is on this machine ----
if cc=$(command -v gcc) && "$cc" -Wl,--version 2>&1 | grep -q 'GNU ld' && [ "$SANITIZE" = none ]; then
    cat >heap.c <<'END'
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
char tensor_arena[65536];
int main(void) {
    void *kept[300];
    for (int i = 0; i < 300; i++) { kept[i] = malloc((size_t)i * 37 + 1); }
    for (int i = 0; i < 300; i += 2) { free(kept[i]); }
    return malloc_info(0, stdout) + tensor_arena[0];
}
END
    if "$cc" -O0 -fstack-usage -Wl,-Map=heap.map heap.c -o heap && ./heap >heap.xml 2>/dev/null; then
        run plan heap.xml --format json
        check "malloc_info() of this machine" jq -e --argjson s "$(grep -o 'current" size="[0-9]*' heap.xml | tail -1 | tr -dc 0-9)" '.moment.reserved >= $s and .moment.in_use + .moment.free == .moment.reserved' out
        run plan heap.map --format json
        check "a map of this machine" json '[.moment.segments[] | select(.allocator == ".bss")][0].size >= 65536'
        run plan ./*.su --format json
        check "frames of this machine" json '[.moment.blocks[] | .name] == ["main"] and .moment.blocks[0].size >= 2400'
    fi
else
    skip "no gcc with GNU ld"
fi

# ---- rows without the sums ----
cat >rows.log <<'END'
heap stats:    peak      total      freed    current       unit      count
normal   1:   11.5 MiB    2.0 GiB    2.0 GiB   10.5 MiB      8 B    270.0 M    not all freed!
normal   4:   48.0 MiB    4.5 GiB    4.4 GiB   40.0 MiB     32 B    150.0 M    not all freed!
normal   6:  200.0 KiB    1.0 MiB    1.0 MiB   64.0 KiB     48 B      1.0 M    not all freed!
END
run plan rows.log --format json
check "mimalloc: rows of sizes alone" json '.moment | .in_use == 10.5 * 1048576 + 40 * 1048576 + 65536 and .blocks_in_use == 0'
run plan rows.log
check "and what they are is said" says 'note: in use is the sum of the 3 rows of sizes in the text'
printf 'extents:        size ind       ndirty        dirty       nmuzzy        muzzy    nretained     retained\n%s%s' '                4096   0            2         8192            0            0           10        40960
' '               12288   2            1        12288            0            0            5        61440
' >extents_alone.log
run plan extents_alone.log --format json
check "jemalloc: extents alone" json '.moment | .free == 8192 + 12288 and .blocks_free == 3'

# ---- glibc's malloc_stats() ----
awk 'BEGIN { srand(5); for (i = 0; i < 9; i++) { system_ = 4096 * int(1 + rand() * 9999); used = 16 * int(rand() * system_ / 16); a += system_; b += used
    printf "Arena %d:\nsystem bytes     = %10d\nin use bytes     = %10d\n", i, system_, used }
    printf "Total (incl. mmap):\nsystem bytes     = %10d\nin use bytes     = %10d\nmax mmap regions = %10d\nmax mmap bytes   = %10d\n", a + 65536, b + 65536, 1, 65536 }' >stats.log
sums=$(awk '/^Total/ { exit } /^system/ { s += $4 } /^in use/ { u += $5 } END { print s, u }' stats.log)
read -r reserved used <<<"$sums"
run plan stats.log --format json
check "malloc_stats: the sums" json ".moment | .reserved == $reserved + 65536 and .in_use == $used + 65536 and .free == $reserved - $used
    and ([.told[] | select(.pool != null and .figure == \"in_use\").bytes] | length == 9 and add == $used)"
jq '.moment | del(.told)' out >plain.json
sed 's/^/> /' stats.log >quoted.log
run plan quoted.log --format json
check "malloc_stats: quoted" cmp -s plain.json <(jq '.moment | del(.told)' out)
sed '/^Total/,$d' stats.log | tail -n +2 >arenas.log
run plan arenas.log --format json
check "malloc_stats: arenas alone, the first without its number" json ".moment | .reserved == $reserved and .in_use == $used"
for ((i = 1; i < $(stat -c %s stats.log); i += 17)); do
    head -c $i stats.log >part.log
    run plan part.log --format json
    [ "$status" = 2 ] || json ".moment | (.reserved // 0) <= $reserved + 65536 and (.in_use // 0) <= $used + 65536" >jq.out || check "malloc_stats cut at $i" false
done
sed '3s/= .*/= 4123456789/' stats.log >wrapped.log
run plan wrapped.log
check "malloc_stats: 32 bits" says 'note: malloc_stats\(\) counts with 32 bits'
finish
