#!/usr/bin/env bash
# TensorFlow Lite models of the optional data folder: the published figures, every lifetime, the plan that the
# interpreter made, and plans written into models and read back.
. "$(dirname "$0")/lib.bash"

# lives FILE: size, first step and the step after the last, of every buffer of a table, sorted.
lives() { tail -n +2 "$1" | sed -E 's/^.*,([0-9]+),([0-9]+),([0-9]+)$/\3 \1 \2/' | sort; }
# table GRAPH: the same of a graph.
table() { "$STOWAGE" plan "$1" --kernels none -p first-fit --format json | jq -r '.placements[] | "\(.size) \(.first) \(.last + 1)"' | sort; }

# scratch GRAPH [OPTION...]: name, size as the interpreter rounds it up, and life of every workspace.
scratch() {
    "$STOWAGE" plan "$@" -p first-fit --format json |
        jq -r '.placements[] | select(.buffer | test("[.]scratch[0-9]")) | "\(.buffer) \((.size + 15) / 16 | floor * 16) \(.first) \(.last)"'
}

# ---- small models that ship with the tests ----
corpus=$SOURCE/tests/fuzz/corpus/tflite
cp "$corpus/plain" "$tmp/plain"
run plan "$tmp/plain" --format json
check "detected by content" json '.operators == 4 and .buffers == 5 and .naive == 242'
"$STOWAGE" plan - --format json <"$corpus/plain" >"$tmp/out"
check "standard input" json '.operators == 4'
"$STOWAGE" plan - -o "$tmp/x.tflite" <"$corpus/plain" >"$tmp/out" 2>"$tmp/err"
check "no plan for what came by standard input" grep -q 'must be given as a file' "$tmp/err"
refuses "--join for another format" plan "$models/example1.json" --join "$corpus/plain" because ".*--join .*only a TensorFlow Lite model"
refuses "--dim for a model that has none" plan "$corpus/plain" --dim N=1 because ".*--dim N: this file leaves no dimension open"
refuses "--base in a model" plan "$corpus/plain" --base 4096 -o "$tmp/x.tflite" because ".*leave out --base"
refuses "a plan of another kind of graph" plan "$models/example1.json" -o "$tmp/x.tflite" because ".*is no TensorFlow Lite model"
echo '{"tiers":[{"name":"sram","bandwidth":16,"latency":1}]}' >"$tmp/sram.json"
run plan "$corpus/plain" --tiers "$tmp/sram.json" -p tier-search --set overwrite=any -o "$tmp/x.tflite" --even-if-larger
check "a plan that assumes overwrites: exit 1" exits 1
check "and says so, and nothing else" same "$(cat "$tmp/err")" "stowage: the plan is not written: it assumes 2 overwrites that the graph does not permit: it is right only if those operators can write over what they read."
check "nothing was written" [ ! -e "$tmp/x.tflite" ]
run plan "$corpus/plain" --tiers "$tmp/sram.json" -p tier-search --set overwrite=permitted -o "$tmp/permitted.tflite" --even-if-larger
check "one that assumes none is written" [ -e "$tmp/permitted.tflite" ]
refuses "a log that is none" plan "$corpus/plain" --join "$models/example1.json" because ".*example1.json:.*no memory plan"
refuses "a log that is not there" plan "$corpus/plain" --join "$tmp/none" because ".*none: cannot open"
run plan "$corpus/planned" -p as-built --format json
check "the plan in the file" json '.feasible and .peak == 275 and .planner == "as-built"'
check "what the run never touches is where the interpreter puts it" json '[.placements[] | select(.buffer == "idle") | .offset] == [0]'
run plan "$corpus/planned"
check "and that is told" says "note: 1 more, which nothing in the run touches, have the offsets"

refuses "--offline-offsets of another file" plan "$models/example1.json" --offline-offsets per-subgraph because ".*only a TensorFlow Lite model holds such a plan"
refuses "--offline-offsets of no rule" plan "$corpus/plain" --offline-offsets both because ".*offline-offsets.*concatenated"
run plan "$corpus/loop" --offline-offsets per-subgraph -o "$tmp/loop.tflite"
check "what has no offset by the older rule is counted where the interpreter puts it" grep -q 'The head would be 112 bytes, and is 112 without' "$tmp/err"
check "and nothing is written" [ ! -e "$tmp/loop.tflite" ]
printf 'save s.txt\n' >"$tmp/commands"
(cd "$tmp" && cp "$corpus/planned" p.tflite && run p.tflite --offline-offsets per-subgraph --script commands --screen 80x24)
check "a session keeps it" grep -q '^offline-offsets' "$tmp/s.txt"
run "$tmp/s.txt" --screen 80x24
check "and opens with it" exits 0
run plan "$corpus/ethos" -p as-built --format json
check "an Ethos-U's arena" json '.feasible and .buffers == 3'
check "and what its kernel asks for: where each argument lies, and how long it is" json '[.placements[] | select(.buffer | test("[.]scratch")) | .size] == [32, 16]'
run plan "$corpus/ethos" --kernels none -p as-built --format json
check "without workspaces" json '.feasible and .buffers == 1'
run plan "$corpus/ethos" --target host --format json
check "on a computer lengths have 64 bits" json '[.placements[] | select(.buffer | test("[.]scratch")) | .size] == [32, 32]'
refuses "--kernels of another file" plan "$models/example1.json" --kernels cmsis-nn because ".*--kernels: only a TensorFlow Lite model runs kernels"
refuses "--target of another file" plan "$models/example1.json" --target host because ".*--target: only a TensorFlow Lite model runs kernels"
refuses "--kernels of no library" plan "$corpus/plain" --kernels cmsis because ".*kernels.*cmsis-nn"
run plan "$corpus/plain" --kernels esp-nn:p4
check "the library is named" says "note: ESP-NN's kernels on an ESP32-P4 ask for no workspaces"
printf 'save k.txt\n' >"$tmp/commands"
(cd "$tmp" && run plain --kernels cmsis-nn:mve --target host --script commands --screen 80x24)
check "a session keeps the library" grep -qx 'kernels cmsis-nn:mve' "$tmp/k.txt"
check "and the target" grep -qx 'target host' "$tmp/k.txt"
run "$tmp/k.txt" --screen 80x24
check "and opens with them" exits 0
cat >"$tmp/log" <<'X'
0 (id=0): size=112, offset=0, first_used=0 last_used=1
1 (id=1): size=80, offset=112, first_used=1 last_used=2
2 (id=2): size=80, offset=0, first_used=2 last_used=3
* (id=3): size=16, offset=80, first_used=3 last_used=3
4 (id=4): size=16, offset=96, first_used=-1 last_used=-1
* (id=5): size=48, offset=112, first_used=3 last_used=3
X
run plan "$corpus/plain" --join "$tmp/log" -p as-built --format json
check "joined: workspaces and the plan" json '.feasible and .buffers == 6 and .peak == 192 and .as_built == 192'
run plan "$corpus/plain" --join "$tmp/log" -p as-built -o "$tmp/joined.tflite" --even-if-larger
check "the head that is told has the workspaces in it" says "the arena's head is 192 bytes for the 5 tensors placed and 1 workspaces, where the interpreter finds room for them"
run plan "$corpus/plain" --join "$tmp/log" -o "$tmp/joined.tflite" --even-if-larger
cp "$tmp/out" "$tmp/said"
run plan "$corpus/plain" --join "$tmp/log" -p tflm-greedy --format json
check "the interpreter's own plan is that of tflm-greedy" grep -q "own plan for the same takes $(jq .peak "$tmp/out") bytes" "$tmp/said"
run plan "$corpus/plain" -o "$tmp/alone.tflite" --even-if-larger
check "without a log it is told which kernels were asked" says 'the reference kernels ask for no workspaces'
run plan "$corpus/plain" --kernels none -o "$tmp/alone.tflite" --even-if-larger
check "or that none were" says 'workspaces of kernels may come on top: --kernels or --join LOG tell which there are'
run plan "$corpus/plain" --join "$tmp/log"
check "another planner is compared with it" says '^  as built +192 B +192 B   the plan in the file; this one is as large'

# ---- a plan that saves nothing, and the whole arena ----
rm -f "$tmp"/worse.*
for kind in tflite cc hpp; do
    run plan "$corpus/plain" -o "$tmp/worse.$kind"
    check "a plan that is not smaller is not written as .$kind: exit 1" exits 1
    check "which is told" grep -q "^stowage: not smaller than the interpreter's own plan: nothing written. The head would be 192 bytes, and is 192 without (--even-if-larger" "$tmp/err"
    check "and there is no file" [ ! -e "$tmp/worse.$kind" ]
done
printf 'last\nwrite %s\n' "$tmp/worse.tflite" >"$tmp/commands"
run "$corpus/plain" --write-anywhere --script "$tmp/commands" --screen 80x24
check "nor by the explorer" [ ! -e "$tmp/worse.tflite" ]
run plan "$corpus/plain" --target host --format json
arena=$(jq .arena "$tmp/out")
check "the arena is what is planned and the tail, or what planning needs" json '.outside > 0 and .arena % 16 == 0 and .arena >= .peak + .outside'
run plan "$corpus/plain" --target host --capacity "$arena" --capacity-of arena
check "an arena of that size will do" exits 0
run plan "$corpus/plain" --target host --capacity 300 --capacity-of arena
check "one that is too small to plan in will not: exit 1" exits 1
check "and why" grep -q 'plain: infeasible: the runtime needs an arena of [0-9]* bytes while it plans, and it has only 300' "$tmp/err"
refuses "an arena of which nothing is known" plan "$models/example1.json" --capacity 1K --capacity-of arena because ".*--capacity-of arena: this file does not tell"
"$STOWAGE" convert "$corpus/plain" --target host -o "$tmp/arena.json"
run plan "$tmp/arena.json" --format json
check "a graph in JSON keeps it" json ".arena == $arena"

# ---- models in source, and as source ----
array() { # NAME FILE: as C source
    printf 'unsigned char %s[] = {' "$1"
    od -An -v -tu1 "$2" | sed 's/  */, /g; s/^, //; s/$/,/'
    printf '};\nunsigned int %s_len = 1;\n' "$1"
}
array model_tflite "$corpus/plain" >"$tmp/plain.h"
run plan "$tmp/plain.h" --format json
cp "$tmp/out" "$tmp/from_source"
run plan "$corpus/plain" --format json
check "a model in C source is planned as it would be alone" same "$(jq -c '[.placements, .peak]' "$tmp/from_source")" "$(jq -c '[.placements, .peak]' "$tmp/out")"
run plan "$tmp/plain.h"
check "and it is told which array that is" says 'note: the model is the array model_tflite of this source'
{ array one "$corpus/plain"; array other "$corpus/planned"; } >"$tmp/both.h"
refuses "two models in one source" plan "$tmp/both.h" because ".*both\.h:[0-9]+:1: two arrays in this source are models, one and other: --array one takes the first of them"
for name in one other; do
    run plan "$tmp/both.h" --array $name --format json
    cp "$tmp/out" "$tmp/chosen"
    run plan "$corpus/$([ $name = one ] && echo plain || echo planned)" --format json
    check "--array $name" same "$(jq -c '[.placements[].size]' "$tmp/chosen")" "$(jq -c '[.placements[].size]' "$tmp/out")"
done
run plan "$tmp/both.h" --array one --even-if-larger -o "$tmp/one.tflite"
run plan "$corpus/plain" --even-if-larger -o "$tmp/direct.tflite"
check "a plan goes into the one that was chosen" cmp -s "$tmp/direct.tflite" "$tmp/one.tflite"
refuses "an array that is not there" plan "$tmp/both.h" --array third because ".*both\.h:[0-9]+:1: there is no array third here"
refuses "--array of what is no source" plan "$corpus/plain" --array one because ".*--array one: .*plain is no C or C\+\+ source"
printf 'save a.txt\n' >"$tmp/commands"
(cd "$tmp" && run both.h --array other --script commands --screen 80x24)
check "a session keeps it" grep -qx 'array other' "$tmp/a.txt"
run "$tmp/a.txt" --screen 80x24
check "and opens with it" exits 0
printf 'const unsigned char a[] = {1, 2};\n' >"$tmp/none.c"
refuses "a source without a model" plan "$tmp/none.c" because ".*none\.c:1:1: no array in this source is a model \(the first is a\)"
{ array model "$corpus/plain" | head -c 200; } >"$tmp/cut.c"
refuses "a source that is cut" plan "$tmp/cut.c" because ".*cut\.c:[0-9]+:1: no array in this source is a model; model: it is cut off"
refuses "a source that is no source" plan "$tmp/plain.h" --dim a=1 because '.*leaves no dimension open'
run plan "$corpus/plain" -o "$tmp/plain.cc" --even-if-larger
check "a planned model as source" exits 0
run plan "$corpus/plain" -p as-built --format json
run plan "$tmp/plain.cc" -p as-built --format json
check "is a plan that reads back" json '.feasible and .planner == "as-built"'
cp "$tmp/out" "$tmp/read_back"
run plan "$corpus/plain" --format json
check "with the same places" same "$(jq -c '[.placements[].offset]' "$tmp/read_back")" "$(jq -c '[.placements[].offset]' "$tmp/out")"
run plan "$corpus/plain" --join "$tmp/log" -o "$tmp/plain.hpp" --even-if-larger
check "a plan as a BufferPlan" exits 0
check "which has the tensors and the workspaces" grep -q '5 tensors, then 1 workspaces' "$tmp/plain.hpp"
check "and where those come from" grep -q 'that a run of it printed. The model' "$tmp/plain.hpp"
run plan "$corpus/plain" --kernels cmsis-nn -o "$tmp/asked.hpp" --even-if-larger
check "or would be" grep -q "0 workspaces$" "$tmp/asked.hpp"
check "in the firmware" grep -q "that CMSIS-NN's kernels with DSP instructions ask for. The model" "$tmp/asked.hpp"
for kind in hpp:1600 tflite:1616; do
    run plan "$corpus/detections" -p random-order -o "$tmp/detections.${kind%:*}"
    check "a BufferPlan places workspaces, a plan in the model does not: .$kind" grep -q "The head would be ${kind#*:} bytes, and is 1600 without" "$tmp/err"
done
refuses "a BufferPlan of something else" plan "$models/example1.json" -o "$tmp/no.hpp" because '.*is no TensorFlow Lite model'
if command -v g++ >/dev/null; then
    folder=$tmp/tensorflow/lite/micro/memory_planner
    mkdir -p "$folder"
    cat >"$folder/memory_plan_struct.h" <<'EOT'
#include <cstddef>
#include <cstdint>
namespace tflite {
struct BufferDescriptor { std::int32_t offset; };
struct BufferPlan { std::int32_t buffer_count; BufferDescriptor buffer_plan_entries[1]; };
constexpr std::size_t SizeOfBufferPlan(std::int32_t count) { return sizeof(BufferPlan) + sizeof(BufferDescriptor) * (count - 1); }
}
EOT
    cat >"$tmp/main.cc" <<'EOT'
#include "plain.hpp"
#include <cstdio>
extern const unsigned char g_plain[];
extern const unsigned int g_plain_len;
int main() {
    const tflite::BufferPlan *plan = plain_buffer_plan();
    const std::int32_t *words = reinterpret_cast<const std::int32_t *>(plan);
    for (int i = 0; i <= words[0]; i++) std::printf("%d ", words[i]);
    std::printf("head %d, model %u, aligned %d\n", plain_head_bytes, g_plain_len, reinterpret_cast<std::uintptr_t>(g_plain) % 16 == 0);
}
EOT
    (cd "$tmp" && g++ -std=c++17 -Wall -Wextra -Wno-strict-aliasing -I. main.cc plain.cc -o firmware) >"$tmp/gcc" 2>&1
    check "both compile as C++" [ ! -s "$tmp/gcc" ]
    run plan "$corpus/plain" --join "$tmp/log" --format json
    want="6 $(jq -r '.placements | sort_by(.buffer | test("scratch")) | map(.offset) | join(" ")' "$tmp/out") head"
    check "and say where everything lies" same "$want" "$("$tmp/firmware" | sed 's/head.*/head/')"
    check "the model is aligned" same 'aligned 1' "$("$tmp/firmware" | sed 's/.*aligned/aligned/')"
else
    skip "C++: there is no g++"
fi
printf 'goto 1\nsave %s\n' "$tmp/session" >"$tmp/commands"
run "$corpus/plain" --join "$tmp/log" --write-anywhere --script "$tmp/commands" --screen 80x24
check "a session of a joined model" exits 0
check "names the log" grep -qx 'join log' "$tmp/session"
run "$tmp/session" --screen 80x24
check "and opens again, as it was built" says 'as-built'
sed -i 's/offset=112, first_used=3/offset=128, first_used=3/' "$tmp/log"
refuses "not when the log has changed" "$tmp/session" --screen 80x24 because ".*has changed since the session was saved"
printf 'last\nwrite %s\n' "$tmp/e.tflite" >"$tmp/commands"
run "$corpus/plain" -p greedy-by-size --even-if-larger --write-anywhere --script "$tmp/commands" --screen 80x24
run plan "$tmp/e.tflite" -p as-built --format json
check "written by the explorer" json '.feasible and .peak == 177'

# Cut anywhere it is an error or a smaller problem.
bad=0
for ((n = 0; n < $(stat -c %s "$corpus/planned"); n += 61)); do
    head -c "$n" "$corpus/planned" >"$tmp/cut"
    "$STOWAGE" plan "$tmp/cut" >/dev/null 2>"$tmp/err"
    status=$?
    { [ $status -eq 0 ] || { [ $status -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]; }; } || bad=$((bad + 1))
done
check "cut short anywhere" [ $bad -eq 0 ]

if [ ! -d "$data/tflite" ]; then
    skip "there is no $data/tflite: real models are not read"
    finish
    exit
fi
# model, operators, tensors, naive sum, bound, greedy-by-size, and of TFLM: buffers, naive sum, bound, its peak
while read -r name operators tensors naive bound greedy buffers sum live peak; do
    model=$data/tflite/$name.tflite log=$data/tflite/$name.tflm.log
    if [ ! -f "$model" ]; then
        skip "$name is not in the data folder"
        continue
    fi
    run plan "$model" --kernels none -p greedy-by-size --format json
    check "$name: the published figures" json ".operators == $operators and .buffers == $tensors and .naive == $naive and .lower_bound == $bound and .peak == $greedy"
    check "$name: every size and lifetime" same "$(lives "$data/reference/tflite_$name.csv")" "$(table "$model")"
    run plan "$model" --join "$log" -p as-built --format json
    check "$name: the interpreter's plan" json ".feasible and .buffers == $buffers and .naive == $sum and .lower_bound == $live and .peak == $peak"
    run plan "$model" --join "$log" -p tflm-greedy --format json
    check "$name: the interpreter's rule makes the same" json ".peak == $peak"
    check "$name: the reference kernels' workspaces are those of the log" same "$(scratch "$model" --join "$log")" "$(scratch "$model")"
    run plan "$model" -p tflm-greedy --format json
    check "$name: and so is the head" json ".peak == $peak"
    run plan "$model" --join "$log" -p tflm-greedy --format json
    total=$(sed -n 's/.*Arena allocation total \([0-9]*\) bytes.*/\1/p' "$log") tail=$(sed -n 's/.*Arena allocation tail \([0-9]*\) bytes.*/\1/p' "$log")
    check "$name: head and tail are those of the log" json ".peak + .outside == $total"
    run plan "$model" --target host -p tflm-greedy --format json
    # A RecordingMicroAllocator takes 208 bytes more than the MicroAllocator that is computed.
    check "$name: the tail can be computed" json ".outside + 208 == $tail"
    run plan "$model" --target host
    while read -r section; do
        check "$name: $section" says "$section"
    done < <(sed -n "s/^\[RecordingMicroAllocator\] '\(.*\)' used \([0-9]*\) bytes.*/\1 \2/p" "$log")
    run plan "$model" --kernels none --even-if-larger -o "$tmp/out.tflite"
    check "$name: a plan goes in" exits 0
    "$STOWAGE" plan "$model" --kernels none -o "$tmp/a.csv"
    "$STOWAGE" plan "$tmp/out.tflite" --kernels none -p as-built -o "$tmp/b.csv"
    check "$name: and comes out" same "$(cat "$tmp/a.csv")" "$(cat "$tmp/b.csv")"
    check "$name: the file it was is still in it" cmp -s "$model" <(tail -c "$(stat -c %s "$model")" "$tmp/out.tflite")
done <<'X'
keyword_scrambled 15 16 718 288 288 30 3568 672 672
micro_speech_quantized 4 5 7928 5960 5960 5 7968 5968 5968
person_detect 31 32 241030 55296 55296 32 241072 55296 55296
trained_lstm 4 5 7696 5376 5376 9 8032 5696 5696
ad01_int8 10 11 2312 768 768 11 2320 768 768
kws_ref_model 13 14 72642 16000 16000 14 72656 16000 16000
vww_96_int8 31 32 259716 55296 64512 32 259744 55296 73728
X
# A model as an array, in its own order or in another.
run convert "$corpus/plain" -o "$tmp/array.cc"
check "a model as an array: exit 0" exits 0
"$STOWAGE" convert "$corpus/plain" -o "$tmp/plain.json" && "$STOWAGE" convert "$tmp/array.cc" -o "$tmp/array.json"
check "a model as an array: the same model" same "$(jq -S 'del(.name)' "$tmp/array.json")" "$(jq -S 'del(.name)' "$tmp/plain.json")"
run convert "$corpus/plain" -p order-greedy -o "$tmp/ordered.cc"
check "a model in another order, as an array" exits 0
run plan "$tmp/ordered.cc" --format json
check "a model in another order, as an array: read back" exits 0
refuses "a graph as an array" convert "$models/example1.json" -o "$tmp/none.cc" because ".*none.cc: only a TensorFlow Lite model becomes an array in C\\+\\+ source, and example1.json is none"
run plan "$corpus/plain"
check "what the interpreter's own planner takes" says '^  interpreter  .* what its own planner takes'
run plan "$corpus/lstm"
check "an arena that is all known" says '^  whole arena .* B   (so much|with the tail)'

# ---- a planned model is a plan ----
run plan "$corpus/plain" -p greedy-by-breadth -o "$tmp/planned.tflite" --even-if-larger
peak=$("$STOWAGE" plan "$corpus/plain" -p greedy-by-breadth --format json | jq .peak)
run check "$corpus/plain" "$tmp/planned.tflite"
check "a planned model: valid" says "planned.tflite: valid, .* peak $peak, bound "
refuses "a model without a plan" check "$corpus/plain" "$corpus/plain" because '.*plain: this model holds no plan: none of its [0-9]+ buffers has an offset$'
refuses "a plan of another model" check "$models/example1.json" "$tmp/planned.tflite" because '.*planned.tflite: this model holds no plan'
vww=$data/tflite/vww_96_int8.tflite
if [ -f "$vww" ]; then
    run plan "$vww"
    check "vww_96_int8: the interpreter's own planner" says '^  interpreter .* 73,728 B   what its own planner takes; this plan takes 18,432 B less$'
    check "vww_96_int8: what to do next" says '^next: stowage plan .*vww_96_int8.tflite -o planned.tflite   to keep it'
    (cd "$tmp" && eval "$(sed -n 's/^next: stowage \(plan .*\)   to keep it.*/"$STOWAGE" \1/p' out)" >next.out)
    check "vww_96_int8: which works" grep -q "55296 bytes for the 32 tensors" "$tmp/next.out"
    run plan "$data/tflite/keyword_scrambled.tflite"
    check "keyword_scrambled: the tail is the larger part" says '^  interpreter .*; the tail is larger, 12,500 B$'
    run plan "$vww" -p branch-and-bound -o "$tmp/planned.tflite"
    check "vww_96_int8: 55,296 bytes where the interpreter needs 73,728" says '89 offsets; .*55296 bytes for the 32 tensors'
    run plan "$vww" -p branch-and-bound --target host --capacity 84960 --capacity-of arena
    check "vww_96_int8: all of it in 84,960 bytes" exits 0
    run plan "$vww" -p branch-and-bound --target host --capacity 84959 --capacity-of arena
    check "vww_96_int8: and not in one byte less" exits 1
    for ((n = 0; n < $(stat -c %s "$vww"); n += n < 32 ? 4 : 29989)); do
        head -c "$n" "$vww" >"$tmp/cut"
        "$STOWAGE" plan "$tmp/cut" -p first-fit >/dev/null 2>"$tmp/err"
        status=$?
        { [ $status -eq 0 ] || { [ $status -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]; }; } || bad=$((bad + 1))
    done
    check "vww_96_int8, cut short" [ $bad -eq 0 ]
fi

# Public threads about voice models: what the interpreter asked for, by the version of ESP-NN of that day, and what was left of the arena.
# MODEL VERSION REQUESTED ARENA AVAILABLE; the last two only where the arena ends at a multiple of 8, as the tail is rounded from there.
voice=$SOURCE/../shared/cases/voice
while read -r model version requested arena available; do
    [ -f "$voice/$model" ] || continue
    run plan "$voice/$model" --kernels "esp-nn@$version" -p tflm-greedy --format json
    check "$model with ESP-NN $version" json ".peak == $requested"
    [ -z "$arena" ] && continue
    inputs=$("$STOWAGE" plan "$voice/$model" --kernels "esp-nn@$version" -p tflm-greedy |
        grep -oE 'Persistent TfLiteTensor (quantization )?data [0-9]+' | awk '{ sum += $NF } END { print sum }') # come after the plan
    check "what it had for that" json "$arena - .outside + $inputs == $available"
done <<'EOF'
okay_nabu.tflite 1.2.1 19440 26080 11876
hey_jarvis.tflite 1.2.1 17840
vad.tflite 1.2.1 17088
speech_commands.cc 1.1 26496 25000 23656
speech_commands.cc 1.2.3 31264
EOF

finish
