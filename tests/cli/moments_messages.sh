#!/usr/bin/env bash
# Messages that memory ran out, each with a few figures: each figure by a sum made here, quoted, stamped, folded and cut at every byte.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1
samples=$SOURCE/tests/fuzz/corpus/oom_message

# NAME and a condition of jq on .moment; rounded figures are those of their units.
while read -r name condition; do
    run plan "$samples/$name" --format json
    check "$name: every figure" json "def MiB: . * 1048576 + 0.5 | floor; .peak == null and (.moment | $condition)"
    jq '.moment | del(.told)' out >plain.json
    sed 's/^/> /' "$samples/$name" >quoted.log
    sed 's/^/2031-05-06 07:08:09 /' "$samples/$name" >stamped.log
    sed $'s/.*/\e[31m&\e[0m/' "$samples/$name" >colored.log
    { echo '$ ./program'; cat "$samples/$name"; echo 'Aborted (core dumped)'; } >among.log
    for file in quoted stamped colored among; do
        run plan $file.log --format json
        check "$name, $file" cmp -s plain.json <(jq '.moment | del(.told)' out)
    done
    length=$(stat -c %s "$samples/$name")
    for ((i = 1; i < length; i += 3)); do
        head -c $i "$samples/$name" >part.log
        run plan part.log --format json
        if [ "$status" = 0 ]; then # no figure of which the end is missing
            jq -e --slurpfile whole plain.json '.moment.failed.size as $size | ($size == $whole[0].failed.size or ($whole[0].failed.size - $size | fabs) < 10486)' out >jq.out ||
                check "$name cut at $i" false
        else
            [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ] || check "$name cut at $i" false
        fi
    done
    check "$name: cut everywhere" true
done <<'END'
cupy .failed.size == 3000832 and .reserved == 7340032 and .limit == 9437184 and .in_use == null
cupy_old .failed.size == 3000832 and .reserved == 10340864 - 3000832 and .limit == null
paddle .failed.size == (12.5 | MiB) and .device == (5.25 * 1024 + 8.75 | MiB) and .device_free == (8.75 | MiB) and .in_use == null
ggml .failed.size == 314709000 and .in_use == (2048.5 + 256.25 | MiB) and .reserved == null
ggml_host .failed.size == (10240.5 | MiB)
vulkan .failed.size == 7654400
metal .failed.size == (1234.25 | MiB)
host .failed.size == 7654321
rmm .failed.size == (1.5 * 1024 | MiB)
tensorrt .failed.size == 123456789
numpy .failed.size == (74.5 * 1024 | MiB)
END
for name in cupy paddle ggml; do
    run plan "$samples/$name" --format json
    jq '.moment | del(.told)' out >plain.json
    fold -b -w 80 "$samples/$name" >folded.log
    run plan folded.log --format json
    check "$name: folded at 80" cmp -s plain.json <(jq '.moment | del(.told)' out)
done

# ---- what figures mean ----
run plan "$samples/cupy"
check "a limit says what it leaves" says 'No new segment: the limit leaves 2 MiB\.'
sed 's/buffer of size 314709000/buffer of size 414709000/' "$samples/ggml" >other.log
run plan other.log --format json
check "a size that is another one's" json '.moment.failed.size == (300.13 * 1048576 + 0.5 | floor)'
sed 's/5.250000GB/0.000000B/' "$samples/paddle" >none.log
run plan none.log --format json
check "nothing was allocated: the device is not told" json '.moment.device == null and .moment.device_free != null'
cat "$samples/cupy" "$samples/cupy_old" >two.log
run plan two.log
check "the first of two" says 'note: 2 messages stand in the text; the first one counts'
for i in $(seq 40000); do echo "2031-05-06 07:08:09 a line of a log, number $i, as servers write them: allocating 5 of them"; done >large.log
cat "$samples/ggml" >>large.log
run plan large.log --format json
check "behind 4 MB of a log" json '.moment.failed.size == 314709000'
echo 'src/storage/./pooled_storage_manager.h:157: cudaMalloc failed: out of memory' >bare.log
refuses "a message without figures" plan bare.log because '.*which has no figures'
printf 'ld: a.elf section `.bss'"'"' will not fit in region `RAM'"'"'\nld: region `RAM'"'"' overflowed by 4321 bytes\n' >linker.log
refuses "a region that is too small" plan linker.log because '.*a region is too small.*its map .* can be opened'
sed 's/^/[main][memory] /' "$samples/cupy" >words.log
run plan words.log
check "words in brackets are no colors" [ -z "$(grep 'colors' out)" ]
finish
