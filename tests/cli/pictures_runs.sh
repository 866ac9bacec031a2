#!/usr/bin/env bash
# Several runs in one picture: compare as small maps, curves over seeds, diff of two plans. And where two
# plans part, in every way that diff says it.
. "$(dirname "$0")/lib.bash"
model=$models/mobilenet_v1_025_96.json

is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]; }
is_svg() { head -c 100 "$1" | grep -q '<?xml' && tail -c 20 "$1" | grep -q '</svg>'; }
is_pdf() { [ "$(head -c 5 "$1")" = %PDF- ] && tail -c 10 "$1" | grep -q '%%EOF'; }
absent() { [ ! -e "$1" ]; }
# describes FILE PATTERN: what an SVG says of itself.
describes() { grep -a -A1 '<title>' "$1" | grep -qE -- "$2"; }

# draws NAME STATUS ARGUMENT...: a picture of each kind, the same bytes twice, and nothing is printed.
draws() {
    local name=$1 wanted=$2 kind
    shift 2
    for kind in svg png pdf; do
        rm -f "$tmp/p.$kind"
        run "$@" -o "$tmp/p.$kind"
        check "$name: $kind: exit $wanted" exits "$wanted"
        check "$name: $kind: silent" silent
        if [[ $name == *none* ]]; then
            check "$name: $kind: says that none does" complains 'none of the planners found a plan that fits'
        else
            check "$name: $kind: calm" calm
        fi
        check "$name: $kind: is one" "is_$kind" "$tmp/p.$kind"
    done
    run "$@" -o "$tmp/q.png"
    check "$name: the same bytes" cmp "$tmp/p.png" "$tmp/q.png"
    if command -v xmllint >/dev/null; then
        check "$name: well-formed" xmllint --noout "$tmp/p.svg"
    fi
}

# ---- compare ----

draws 'compare' 0 compare "$model"
check 'compare: what and how' describes "$tmp/p.svg" '<title>mobilenet_v1_025_96, planned by 13 planners</title>'
check 'compare: input with digest' describes "$tmp/p.svg" 'Input mobilenet_v1_025_96.json, digest [0-9a-f]{16}: 32 blocks'
check 'compare: planners with seeds' describes "$tmp/p.svg" 'Planners: branch-and-bound \(seed 1, work 200,000,000, .*\); all others \(seed 1\)\.'
check 'compare: of the same peak together, the best first' describes "$tmp/p.svg" 'Peaks: lifetime-best-fit, first-fit, .* and order each 54 KiB[^;]*; greedy-by-size 63 KiB[^;]*; greedy-by-breadth and tflm-greedy each 72 KiB[^;]*; token-sharing'
check 'compare: what is not drawn' describes "$tmp/p.svg" 'Of the same peak, laid out otherwise and not drawn: random-order\.'
check 'compare: those that cannot, by reason' describes "$tmp/p.svg" 'Not for this input: as-built \(needs a finished plan, .*\), .* segment-genetic, farthest-next-use \(need a limited capacity'
draws 'compare two, dark, high' 0 compare "$model" -p first-fit,greedy-by-size --theme dark --size 595x842 --title 'Two <planners>'
check 'compare: title' describes "$tmp/p.svg" '<title>Two &lt;planners&gt;</title>'
draws 'compare: several memories' 0 compare "$models/two_tiers.json"
draws 'compare: none fits' 1 compare "$model" -p first-fit,greedy-by-size --capacity 1K
draws 'compare: none applies' 1 compare "$model" -p as-built,tier-search
printf 'id,lower,upper,size\n' >"$tmp/empty.csv"
draws 'compare: nothing at all' 0 compare "$tmp/empty.csv" -p first-fit
printf 'id,lower,upper,size\n"<b>&",0,5,600\n\xd9\x85\xd8\xae\xd8\xb2\xd9\x86,1,4,99\n' >"$tmp/odd.csv"
draws 'compare: odd names' 0 compare "$tmp/odd.csv" -p first-fit,best-fit
draws 'compare: a set parameter is told' 0 compare "$model" -p first-fit,lifetime --set keep_outputs=false
check 'compare: it is' describes "$tmp/p.svg" 'lifetime-best-fit \(seed 1, keep_outputs=false\)'
run compare "$model" -p first-fit -o "$tmp/t.csv"
check 'compare: a table stays one' grep -q '^planner,feasible' "$tmp/t.csv"

run compare "$model" -p first-fit,best-fit --size a4 --scale 0.8 --units bytes -o "$tmp/p.svg"
check 'compare: units' describes "$tmp/p.svg" 'lower bound 55,296 B'
run compare "$model" -p first-fit --size 400x300 --dpi 72 -o "$tmp/p.png"
check 'compare: dots per inch' same "$(head -c 24 "$tmp/p.png" | tail -c 8 | od -An -tx1 | tr -d ' \n')" 000001900000012c

# ---- curves ----

draws 'seeds' 0 compare "$model" --seeds 3
check 'seeds: each can be pointed at' same "$(grep -oE '<title>(order-genetic|random-order), seed [123]: 54 KiB</title>' "$tmp/p.svg" | sort -u | wc -l)" 6
check 'seeds: what needs none is beside them' grep -q '>greedy-by-size, without seeds: 63 KiB<' "$tmp/p.svg"
run compare "$models/example1.json" --seeds 40 --set evaluations=20 --set generations=2 -o "$tmp/many.svg"
check 'seeds: of many the best, the median and the worst can be' same "$(grep -oE '<title>[a-z-]+, (best|median|worst) of 40 seeds: ' "$tmp/many.svg" | wc -l)" 6
check 'seeds: told' describes "$tmp/p.svg" 'order-genetic \(seeds 1 to 3, choices=plain\); random-order \(seeds 1 to 3, evaluations=[0-9]+\)'
draws 'seeds: one planner' 0 compare "$models/two_tiers.json" -p random-order --seeds 2 --seed 7 --set evaluations=50
check 'seeds: from the seed given' describes "$tmp/p.svg" 'seeds 7 to 8, evaluations=50'
draws 'seeds: settings of the other' 0 compare "$model" --seeds 2 --set generations=3
check 'seeds: told for the one that has it' describes "$tmp/p.svg" 'order-genetic \(seeds 1 to 2, generations=3, choices=plain\)'
draws 'convergence' 0 compare "$model" -p order-genetic,random-order,first-fit --view convergence
draws 'convergence of nothing' 0 compare "$model" -p first-fit,best-fit --view convergence
draws 'convergence of cost' 0 compare "$models/two_tiers.json" -p tier-search --view convergence
run compare "$model" -p random-order,order-genetic --seeds 2
check 'seeds: the two may be named' says '^order-genetic +2 of 2'

# ---- diff ----

"$STOWAGE" plan "$model" -p greedy-by-size -o "$tmp/a.csv"
"$STOWAGE" plan "$model" -p best-fit -o "$tmp/b.json"
draws 'diff of plans' 0 diff "$tmp/a.csv" "$tmp/b.json"
check 'diff: both digests' describes "$tmp/p.svg" 'Old: a.csv, digest [0-9a-f]{16}.* New: b.json, digest [0-9a-f]{16}'
draws 'diff that needs more' 1 diff "$tmp/b.json" "$tmp/a.csv" --theme dark
jq '(.buffers[] | select(.name == "conv_1_out") | .shape[3]) = 12 | .buffers += [{"name": "more", "kind": "scratch", "size": 9000, "first": 6, "last": 9}]' "$model" >"$tmp/new.json"
draws 'diff of models' 1 diff "$model" "$tmp/new.json" -p greedy-by-size
check 'diff: planned by' describes "$tmp/p.svg" 'planned by greedy-by-size, seed 1'
draws 'diff of a plan and a model' 0 diff "$tmp/a.csv" "$model" -p best-fit --size 400x300
draws 'diff of memories' 0 diff "$models/two_tiers.json" "$models/two_tiers.json"
draws 'diff of nothing' 0 diff "$tmp/empty.csv" "$tmp/empty.csv"
"$STOWAGE" plan "$model" -p best-fit --base 0x20000000 -o "$tmp/based.csv"
draws 'diff with a base' 0 diff "$tmp/based.csv" "$tmp/based.csv" --base 0x20000000

run diff "$tmp/a.csv" "$tmp/b.json"
wrapped() { # its lines as one
    tr '\n' ' ' <"$tmp/out" | grep -E "$1"
}
check 'text: plans have no decisions' wrapped ' Plans have no decisions; the first block in time that lies elsewhere is dw_1_out: at 46,080 before, at 0 now\. '
run diff "$tmp/a.csv" "$tmp/a.csv"
check 'text: the same plan' says '^Plans have no decisions; every block that both have lies at the same place\.$'
run diff "$tmp/a.csv" "$model" -p best-fit
check 'text: one plan' says '^The old side is a plan and has no decisions; the first block in time'
run diff "$model" "$tmp/new.json" -p greedy-by-size
check 'text: where runs part' wrapped ' They part at decision 3: the old run places conv_1_out \(18,432 B\) at memory\+27648: .*; the new run places conv_1_out \(27,648 B\)'
run diff "$model" "$model" -p greedy-by-size --format md
check 'md: the same run' says '^Both runs make the same 32 decisions\.$'
run diff "$model" "$tmp/new.json" -p greedy-by-size --format json
check 'json: where runs part' json '.parting.decision == 3 and (.parting.old | test("conv_1_out .18,432 B")) and .first_elsewhere.buffer == "dw_1_out"'
run diff "$tmp/a.csv" "$tmp/b.json" --format json
check 'json: plans' json '.parting == null and .first_elsewhere == {"buffer": "dw_1_out", "old": 46080, "new": 0}'
# Blocks that the planner puts elsewhere have moved, in words as in the picture.
printf 'id,lower,upper,size\na,0,4,100\nb,0,4,50\n' >"$tmp/two.csv"
printf 'id,lower,upper,size\nz,0,4,10\na,0,4,100\nb,0,4,50\n' >"$tmp/three.csv"
run diff "$tmp/two.csv" "$tmp/three.csv" -p first-fit
check 'models: moved' says '^  moved +b  100 -> 110$'
check 'models: all changes' says '^3 buffers changed; the new one needs 10 B more'
run diff "$tmp/two.csv" "$tmp/three.csv" -p first-fit --format json
check 'models: moved, as JSON' json '[.changes[] | select(.change == "moved") | [.buffer, .old.offset, .new.offset]] == [["a", 0, 10], ["b", 100, 110]]'
jq '.tiers |= [.[0] + {capacity: 1}, .[1]]' "$models/two_tiers.json" >"$tmp/tight.json"
run diff "$models/two_tiers.json" "$tmp/tight.json" -p first-fit
check 'memories: moved' says '^  moved +w  sram\+0 -> dram\+0$'
run diff "$models/two_tiers.json" "$tmp/tight.json" -p first-fit --format json
check 'memories: from which to which' json '.first_elsewhere | .buffer == "w" and .old_tier == "sram" and .new_tier == "dram"'
# A side that did not come to its end: said, or, after Ctrl-C, no verdict at all.
slow=$models/gpt_decoder.lua
long=(-p order-genetic --set choices=plain --set generations=100000 --set patience=100000)
run diff "$slow" "$slow" -p branch-and-bound --work 3
check 'a limit: said of both sides' same "$(grep -c '^a limit stopped the ... run after decision ' "$tmp/out")" 2
run diff "$slow" "$slow" -p branch-and-bound --work 3 --format json
check 'a limit: as JSON' json '.old.stopped_at > 0 and .new.stopped_at > 0'
run diff "$slow" "$slow" -p branch-and-bound --work 3 --format md
check 'a limit: in Markdown' same "$(grep -c '^a limit stopped the ... run after decision ' "$tmp/out")" 2
run diff "$slow" "$slow" -p branch-and-bound --work 3 -o "$tmp/p.svg"
check 'a limit: in the picture' describes "$tmp/p.svg" 'Old: .*, stopped by a limit after decision [0-9,]+'
env --default-signal=INT "$STOWAGE" diff "$slow" "$slow" "${long[@]}" --progress always >"$tmp/out" 2>"$tmp/err" </dev/null &
program=$!
for ((i = 0; i < 600; i++)); do
    grep -q 'order-genetic: decision' "$tmp/err" && break
    sleep 0.1
done
kill -INT "$program"
wait "$program"
status=$?
check 'Ctrl-C: exit 2' exits 2
check 'Ctrl-C: no verdict' silent
check 'Ctrl-C: said' grep -q '^stowage: .*interrupted: nothing is compared$' "$tmp/err"

# Options that change the problem are told, and every peak.
run compare "$model" -p first-fit,greedy-by-size --capacity 1M --base 0x20000000 -o "$tmp/p.svg"
check 'compare: options' describes "$tmp/p.svg" 'Options --capacity 1048576 --base 0x20000000; problem [0-9a-f]{16}\.'
check 'compare: peaks' describes "$tmp/p.svg" 'Peaks: first-fit [^;]*KiB[^;]*; greedy-by-size 63 KiB'
run diff "$tmp/two.csv" "$tmp/three.csv" -p first-fit --capacity 1K -o "$tmp/p.svg"
check 'diff: options' describes "$tmp/p.svg" 'Options --capacity 1024; problem'
run compare "$model" -p random-order --seeds 2 --set evaluations=5 --inplace safe -o "$tmp/p.svg"
check 'seeds: options' describes "$tmp/p.svg" 'Options --inplace safe; problem'

# The same buffers in another order are the same buffers.
{ head -n 1 "$tmp/a.csv"; tail -n +2 "$tmp/a.csv" | sort -r; } >"$tmp/sorted.csv"
run diff "$tmp/a.csv" "$tmp/sorted.csv"
check 'matched by name' says '^Plans have no decisions; every block that both have lies at the same place\.$'

# ---- what is refused, and leaves nothing ----

gone() {
    local name=$1
    shift
    refuses "$name" "$@"
    check "$name: no file" absent "$tmp/none.svg"
    check "$name: no file" absent "$tmp/none.png"
}
for option in '--view layout' '--theme dark' '--title x' '--size 800x600' '--scale 2' '--dpi 72' '--units kib'; do
    # shellcheck disable=SC2086
    refuses "compare $option without a picture" compare "$model" $option because "${option%% *} is about a picture"
done
refuses 'diff: a theme without a picture' diff "$tmp/a.csv" "$tmp/b.json" --theme dark -o "$tmp/none.csv" because '--theme is about a picture'
gone 'another view' compare "$model" --view live -o "$tmp/none.svg" because '--view live: planners are compared as layout or convergence'
gone 'seeds as maps' compare "$model" --seeds 2 --view layout -o "$tmp/none.svg" because '--view layout: runs over seeds are drawn as convergence'
gone 'a format, too' compare "$model" --format csv -o "$tmp/none.svg" because '--format contradicts the name'
gone 'dots of an SVG' compare "$model" --dpi 300 -o "$tmp/none.svg" because '.*--dpi is for PNG'
gone 'notes on several runs' compare "$model" --annotate x.json -o "$tmp/none.svg" because '.*--annotate'
gone 'diff: a format, too' diff "$tmp/a.csv" "$tmp/b.json" --format json -o "$tmp/none.svg" because '--format contradicts the name'
gone 'a theme that is not there' compare "$model" --theme nothing -o "$tmp/none.svg" because '.*theme'
gone 'too large' compare "$model" -p first-fit --size 20000x300 -o "$tmp/none.png" because 'a PNG of 20000x300 points'
gone 'too small' diff "$tmp/a.csv" "$tmp/b.json" --size 100x100 -o "$tmp/none.svg" because 'a picture is from'
gone 'nothing to draw over seeds' compare "$model" -p first-fit --seeds 2 -o "$tmp/none.svg" because '--seeds: first-fit measures nothing'
gone 'a planner that does not apply, over seeds' compare "$model" -p segment-genetic --seeds 2 -o "$tmp/none.svg" because 'segment-genetic needs'
gone 'a file that is not there' diff "$tmp/a.csv" "$tmp/missing.csv" -o "$tmp/none.svg" because '.*missing'
refuses 'seeds without a picture: two only' compare "$model" -p order-genetic,first-fit --seeds 2 because '--seeds sets order-genetic beside random-order'
refuses 'diff has no views' diff "$tmp/a.csv" "$tmp/b.json" --view layout -o "$tmp/none.svg" because '.*--view'
refuses 'a folder that is not there' compare "$model" -p first-fit -o "$tmp/nowhere/p.svg" because '.*nowhere'
if [ -c /dev/full ] && ln -s /dev/full "$tmp/full.png"; then
    refuses 'a full disk' compare "$model" -p first-fit -o "$tmp/full.png" because '.*full'
fi
finish
