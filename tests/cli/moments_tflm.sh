#!/usr/bin/env bash
# What TensorFlow Lite Micro prints of its arena: its recording allocator's report, alone and joined to a model; requests that found no room, in
# all wordings.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# sums FILE: total, head, tail and all sections, by awk.
sums() {
    awk '/allocation total/ { total = $5 } /allocation head/ { head = $5 } /allocation tail/ { tail = $5 }
        match($0, /used [0-9]+/) { sections += substr($0, RSTART + 5, RLENGTH - 5); asked += substr($0, index($0, "(requested ") + 11) + 0 }
        END { print total + 0, head + 0, tail + 0, sections + 0, asked + 0 }' "$1"
}
commas() { sed ':again; s/^\([0-9]*[0-9]\)\([0-9]\{3\}\)/\1,\2/; t again' <<<"$1"; }
report() { # FILE SEED
    awk -v seed="$2" 'BEGIN { srand(seed); n = split("TfLiteEvalTensor data/allocations|Persistent TfLiteTensor data/tensors|Persistent TfLiteTensor quantization data/allocations|Persistent buffer data/allocations|TfLiteTensor variable buffer data/allocations|NodeAndRegistration struct/NodeAndRegistration structs|Operator runtime data/OpData structs", names, "|")
        for (i = 1; i <= n; i++) { used[i] = rand() < 0.3 ? 0 : 16 * int(rand() * 100); sum += used[i] }
        head = 16 * int(rand() * 5000); tail = sum + 16 * int(rand() * 50)
        print "[RecordingMicroAllocator] Arena allocation total " head + tail " bytes"; print "[RecordingMicroAllocator] Arena allocation head " head " bytes"
        print "[RecordingMicroAllocator] Arena allocation tail " tail " bytes"
        for (i = 1; i <= n; i++) { split(names[i], part, "/"); print "[RecordingMicroAllocator] \x27" part[1] "\x27 used " used[i] " bytes with alignment overhead (requested " (used[i] > 8 ? used[i] - 8 : used[i]) " bytes for " i " " part[2] ")" } }' >"$1"
}
for seed in 1 2 3 4 5; do
    report report.log $seed
    read -r total head tail sections asked < <(sums report.log)
    run plan report.log --format json
    check "report $seed" json ".moment | .in_use == $total and ([.blocks[].size] | add) == $total and ([.blocks[] | select(.name == \"head\").size] | add // 0) == $head
        and ([.blocks[] | select(.requested != null).size] | add // 0) == $sections and ([.blocks[].requested | values] | add // 0) == $asked and .reserved == null and .free == null"
    jq '.moment' out >plain.json
    run plan report.log
    check "and its note" says "the arena takes $(commas "$total") bytes: head $(commas "$head"), tail $(commas "$tail"), of which $(commas "$sections") are in its sections"
    sed 's/^/> /' report.log >quoted.log
    sed $'s/^.\\{9\\}/\e[33m&\e[0m/' report.log >colored.log
    fold -b -w 80 report.log >folded.log
    sed 's/^/I (1234) tflm: /' report.log >monitor.log
    cat report.log report.log >twice.log
    for file in quoted colored folded monitor twice; do
        run plan $file.log --format json
        check "report $seed, $file" cmp -s plain.json <(jq .moment out)
    done
done
run plan twice.log
check "two reports" says 'note: the text has 2 reports of the allocator: the last one counts'
length=$(stat -c %s report.log)
for ((i = 1; i < length; i += 19)); do
    head -c $i report.log >cut.log
    run plan cut.log --format json
    [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ] || jq -e --slurpfile whole plain.json '[.moment.blocks[] | select(.requested != null)] - $whole[0].blocks == []' out >/dev/null || check "the first $i bytes" false
done
check "cut everywhere" true

# ---- requests that found no room ----
fails() { # NAME ASKED AVAILABLE TEXT
    printf "$4\n" >failed.txt
    run plan failed.txt --format json
    check "$1" json ".moment | .failed.size == $2 and .free == $3 and .largest_free == $3"
}
fails "resize" 16544 15928 'Failed to resize buffer. Requested: 16544, available 15928, missing: 616\nAllocateTensors() failed'
run plan failed.txt
check "what would have helped, a multiple of 16" says '  An arena that is 624 bytes larger has room for this request, if not for what'
check "under its heading, and why it is so much" same "1 616 bytes are missing, and its ends lie at multiples of 16." "$(sed -n '/What would have/,$p' out | tr -s '\n ' ' ' | sed 's/.*What would have made it fit An arena.*after it:/1/; s/ $//')"
check "of which part of the arena" says '16.2 KiB \(16,544 B\) were asked for of the head; '
run plan failed.txt --format json
check "as JSON" json '.moment.failed.ways | length == 1 and (.[0] | startswith("An arena that is 624 bytes larger"))'
run convert failed.txt -o kept.json
run plan kept.json
check "which is kept" says '  An arena that is 624 bytes larger'
fails "without blanks" 16544 15928 'Failed to resize buffer. Requested:16544, available 15928, missing:616'
fails "with commas" 2945744 136160 'Failed to resize buffer. Requested: 2,945,744, available: 136,160, missing: 2,809,584'
fails "tail" 60 12 'TFLM - Failed to allocate tail memory. Requested: 60, available 12, missing: 48'
fails "over lines" 60 12 'Failed to allocate tail memory. Requested: \n60, available: 12, missing:48'
fails "temp" 64 0 'Failed to allocate temp memory. Requested: 64, available 0, missing: 64'
fails "old" 64 8 'Failed to allocate memory. Requested: 64, available 8, missing: 56'
fails "all buffers" 102400 98080 'Arena size is too small for all buffers. Needed 102400 but only 98080 was available.'
fails "activation buffers" 55296 40864 'Arena size is too small for activation buffers. Needed 55296 but only 40864 was available.AllocateTensors() failed'
fails "of several the last" 60 12 'Failed to resize buffer. Requested: 16544, available 15928, missing: 616\nFailed to allocate tail memory. Requested: 60, available 12, missing: 48'
fails "below nothing" 60 null 'Failed to allocate tail memory. Requested: 60, available 4294967292, missing: 64'
fails "without what is missing" 5132944 2096904 'TFLM - Failed to resize buffer. Requested: 5132944, available 2096904, missing:'
printf 'Failed to resize buffer. Requested: 16544, available 1592' >failed.txt
run plan failed.txt
check "a figure that may be cut" exits 2
check "is told of in a line" complains '.*nothing of what its lines announce is told'

# ---- joined to a model ----
printf 'I (7) Failed to resize buffer. Requested: 19440, available 11876, missing: 7564\n' >resize.log
refuses "a request alone" plan "$SOURCE/tests/fuzz/corpus/tflite/plain" --join resize.log because '.*resize.log:1:1: there is no plan in this log, but a request of one for 19440 bytes.*--kernels'
micro=$SOURCE/../shared/cases/two_signatures.tflite
if [ -f "$micro" ]; then
    report report.log 3
    read -r total head tail sections asked < <(sums report.log)
    run plan "$micro" --join report.log
    check "in the note, with its sections" says "the arena's tail takes $(commas "$tail") bytes, as the log says: .*the rest"
    check "and the head" says "the log has no rows of a plan; it says that the arena's head takes $(commas "$head") bytes"
    cases=$SOURCE/../shared/cases
    run plan "$cases/tflm_recording_only.log" --format json
    check "the case" json '.moment | .in_use == 676 and [.blocks[] | [.name, .size]] == [["TfLiteEvalTensor data", 120], ["Persistent TfLiteTensor data", 64], ["Persistent TfLiteTensor quantization data", 40], ["head", 40], ["tail, the rest", 412]]'
    run plan "$micro" --join "$cases/tflm_recording_only.log"
    check "the case, joined" says "the arena's tail takes 636 bytes, as the log says: TfLiteEvalTensor data 120, Persistent TfLiteTensor data 64, Persistent TfLiteTensor quantization data 40, the rest 412"
    printf '[RecordingMicroAllocator] Arena allocation head 40 bytes\n' >head.log
    refuses "a report without its tail" plan "$micro" --join head.log because '.*head.log:1:1: nothing in this log is known'
else
    skip "$micro is not there"
fi
finish
