#!/usr/bin/env bash
# What the color of a block says, --color-by: in every picture the same, with a legend; and what cannot be colored so.
. "$(dirname "$0")/lib.bash"
model=$models/mobilenet_v1_025_96.json
here=$(cd "$(dirname "$0")" && pwd)

# colors FILE.html: "buffer color" of each block with a name, on all its maps, where color is the number of a hue or of a
# step of the scale. What the decision was about last, and what is faint, is seen through.
colors() { python3 "$here/colors.py" "$1"; }
# legend FILE.html: what the legend says of colors of blocks.
legend() { grep -oE '<text class="told [^>]*>[^<]*' "$1" | sed 's/.*>//' | tr '\302\240' ' ' | tr -s ' ' | sort -u | paste -sd '|'; }
# one_each FILE: has each buffer one color alone?
one_each() { sort -u "$1" >"$tmp/each"; [ -s "$tmp/each" ] && [ -z "$(awk '{ print $1 }' "$tmp/each" | uniq -d)" ]; }

differs() { ! cmp -s "$1" "$2"; }
absent() { [ ! -e "$1" ]; }

# ---- each word, and what it means ----

says_legend() { # WORD LEGEND
    run export "$model" -p best-fit --color-by "$1" --size 16:9 -o "$tmp/by-$1.html"
    check "$1: exit 0" exits 0
    check "$1: calm" calm
    check "$1: the legend" same "$(legend "$tmp/by-$1.html")" "$2"
}
says_legend identity ''
says_legend kind 'input|intermediate|output'
says_legend operator 'average_pool|conv2d|depthwise_conv2d|fully_connected|input|reshape|softmax'
says_legend size 'up to 16 KiB|up to 4 KiB|up to 64 KiB|up to 8 KiB'
says_legend lifetime 'alive 1 step|alive up to 2 steps'
says_legend tier 'memory'
run export "$model" -p best-fit --size 16:9 -o "$tmp/usual.html"
check 'by itself: the types of operators, where they are told' cmp <(colors "$tmp/usual.html") <(colors "$tmp/by-operator.html")
run export "$model" -p best-fit --color-by auto --size 16:9 -o "$tmp/auto.html"
check 'auto is what is not asked for' cmp "$tmp/usual.html" "$tmp/auto.html"
run export "$models/example1.json" -p best-fit -o "$tmp/few.html"
check 'by itself: few blocks have a color each' same "$(colors "$tmp/few.html" | sort -u | wc -l) $(colors "$tmp/few.html" | awk '{ print $2 }' | sort -u | wc -l)" '6 6'
run export "$models/two_tiers.json" -p tier-search --color-by tier -o "$tmp/tiers.html"
check 'tier: the legend' same "$(legend "$tmp/tiers.html")" 'dram|sram'
echo '{"operators":[],"buffers":[]}' >"$tmp/nothing.json"
for by in size lifetime kind; do
    run export "$tmp/nothing.json" --color-by "$by" -o "$tmp/nothing.svg"
    check "$by of no blocks: exit 0" exits 0
done
tiers=$(for i in {0..8}; do printf '{"name":"t%s","bandwidth":%s%s},' "$i" $((9 - i)) "$([ "$i" = 8 ] || echo ',"capacity":8')"; done)
printf '{"tiers":[%s],"operators":[{"name":"a","inputs":["x"],"outputs":["y"]}],"buffers":[{"name":"x","kind":"input","size":8},{"name":"y","kind":"output","size":64}]}' \
    "${tiers%,}" >"$tmp/nine.json"
run export "$tmp/nine.json" -p auto --color-by tier -o "$tmp/nine.html"
check 'tier: the ninth shares a color, and the legend says so' same "$(legend "$tmp/nine.html")" 't0, t8'
for by in kind size; do
    for kind in svg png pdf; do
        run export "$model" -p best-fit --color-by "$by" -o "$tmp/one.$kind"
        check "$by as $kind" exits 0
        cp "$tmp/one.$kind" "$tmp/first.$kind"
        run export "$model" -p best-fit --color-by "$by" -o "$tmp/one.$kind"
        check "$by as $kind: the same bytes" cmp "$tmp/one.$kind" "$tmp/first.$kind"
    done
    cp "$tmp/one.svg" "$tmp/$by.svg"
done
check 'another word: another picture' differs "$tmp/kind.svg" "$tmp/size.svg"
run export "$model" -p best-fit --color-by size --steps 1:5 -o "$tmp/steps.svg"
check 'steps of a run' exits 0
run export "$model" -p best-fit --color-by size --steps 1:3 --frames "$tmp/frames"
check 'frames of a run' exits 0
echo id,lower,upper,size >"$tmp/none.csv"
run export "$tmp/none.csv" --color-by size -o "$tmp/none.svg"
check 'a model without buffers' exits 0

# ---- in a terminal ----

# screen MODEL WxH LINE...: the frame after these commands.
screen() {
    local file=$1 size=$2
    shift 2
    printf '%s\n' "$@" >"$tmp/script"
    run "$file" --screen "$size" --script "$tmp/script"
}
# told: the classes of the legend in the frame; status: what its last rows say, as one line.
told() { grep -E '^├[^│]*┤' "$tmp/out" | head -1 | sed 's/┤ .*/┤/; s/^├//; s/┤$//; s/┤├/|/g'; }
status() { tail -4 "$tmp/out" | tr -s ' \n' ' '; }
screen "$model" 80x24 last
check 'low: no row for a legend that was not asked for' same "$(told)" ''
screen "$model" 80x24 last 'color-by operator'
check 'low: the legend that was asked for' same "$(told)" 'softmax|depthwise_conv2d|conv2d|reshape|input'
screen "$model" 80x24 last 'color-by size'
check 'another legend' same "$(told)" 'up to 4K|up to 8K|up to 16K|up to 64K|input'
screen "$model" 40x24 last 'color-by operator'
check 'narrow: names lose their middle' same "$(told)" 'so...x|de...d|conv2d|re...e|input'
screen "$model" 80x24 last 'color-by identity'
check 'each its own color: there is nothing to tell' same "$(told)" ''
screen "$model" 80x40 last
check 'high: the legend is there' same "$(told | tr '|' '\n' | sort | paste -sd '|')" 'average_pool|conv2d|depthwise_conv2d|input|reshape|softmax'
screen "$model" 80x24 last 'cursor 25' merged
check 'merged: what the lowest area hides' grep -q ' 1 of 2: 4 blocks too small to draw, 2 of them counted here, 7 KiB; 97% full: conv2d 65%, depthwise_conv2d 33%, average_pool under 1%; largest pw_12_out (2.25 KiB),' <(status)
check 'merged: it has a frame' grep -q '╠═*╣' "$tmp/out"
screen "$model" 80x24 last 'cursor 25' 'key I' 'key I'
check 'the key: the next one up' grep -q ' 2 of 2: 2 blocks too small to draw, 1 of them counted here, 3.38 KiB; 29% full: depthwise_conv2d 100%; largest dw_13_out (2.25 KiB), dw_12_out (1.13 KiB) ' <(status)
screen "$model" 80x24 last 'cursor 25' merged merged merged
check 'and round' grep -q ' 1 of 2: 4 blocks' <(status)
screen "$model" 80x24 last 'cursor 2' merged
check 'none at the cursor' grep -q ' at time step 2 nothing is too small to draw ' <(status)
screen "$model" 80x24 last 'cursor 25' merged 'cursor 24'
check 'another command ends it' same "$(grep -c 'blocks too small\|╠═' "$tmp/out")" 0
screen "$model" 80x24 last whole merged
check 'no map' grep -q ' there is no map on the screen ' <(status)
screen "$models/out_of_memory_moment.log" 80x24 merged
check 'a moment: of all areas' grep -q ' 1 of 1: 11 blocks too small to draw, 2 MiB; 3% in use: up to 8M 89%, up to 2K 10%; largest 0x7f3c20014200 (1.92 MiB), ' <(status)

# ---- what cannot be ----

for command in export compare; do
    refuses "$command: no word" "$command" "$model" -o "$tmp/x.svg" --color-by because 'option --color-by needs a value'
    refuses "$command: another word" "$command" "$model" -o "$tmp/x.svg" --color-by hue because '--color-by hue: .*identity, kind, operator, size, lifetime, tier'
    refuses "$command: twice" "$command" "$model" -o "$tmp/x.svg" --color-by kind --color-by size because 'option --color-by is given twice'
    refuses "$command: stacks of a model" "$command" "$model" -o "$tmp/x.svg" --color-by stack because 'the input does not tell the stacks'
done
refuses 'diff: another word' diff "$model" "$model" -p best-fit -o "$tmp/x.svg" --color-by hue because '--color-by hue: '
refuses 'diff: stacks of models' diff "$model" "$model" -p best-fit -o "$tmp/x.svg" --color-by stack because 'the input does not tell the stacks'
printf 'id,lower,upper,size\na,0,2,8\nb,1,3,8\n' >"$tmp/plain.csv"
refuses 'no types of operators' export "$tmp/plain.csv" -o "$tmp/x.svg" --color-by operator because 'the input does not tell the types'
for view in live occupancy decisions; do
    refuses "the view $view" export "$model" -o "$tmp/x.svg" --view "$view" --color-by size because "--color-by: the view '$view' has no map of blocks"
done
refuses 'compare as curves' compare "$model" -p first-fit,best-fit --view convergence -o "$tmp/x.svg" --color-by size because "--color-by: the view 'convergence' has no map"
refuses 'compare over seeds' compare "$models/branches.json" --seeds 2 -o "$tmp/x.svg" --color-by size because "--color-by: the view 'convergence' has no map"
refuses 'compare as a table' compare "$model" -p first-fit --color-by size because '--color-by is about a picture'
refuses 'diff as text' diff "$model" "$model" -p first-fit --color-by size because '--color-by is about a picture'
refuses 'trace events' export "$model" -o "$tmp/x.perfetto.json" --color-by size because '--color-by: x.perfetto.json is to be trace events'
refuses 'plan has no picture' plan "$model" --color-by size because 'option --color-by does not belong to plan'
for by in identity kind operator lifetime tier; do
    refuses "a moment by $by" export "$models/out_of_memory_moment.log" -o "$tmp/x.svg" --color-by "$by" because 'the blocks of a moment are colored by size, or by stack'
done
refuses 'a moment without stacks' export "$models/out_of_memory_moment.log" -o "$tmp/x.svg" --color-by stack because 'the input does not tell the stacks'
check 'nothing was written' absent "$tmp/x.svg"

# ---- one color everywhere ----

run export "$model" -p best-fit --view filmstrip -o "$tmp/film.html"
check 'a filmstrip' exits 0
run export "$model" -p best-fit --view report -o "$tmp/report.html"
check 'a report' exits 0
run compare "$model" -p first-fit,best-fit,greedy-by-size,greedy-by-breadth -o "$tmp/compare.html"
check 'a comparison' exits 0
run diff "$model" "$model" --old-planner greedy-by-breadth --new-planner first-fit -o "$tmp/diff.html"
check 'a difference' exits 0
for page in film report compare diff; do
    colors "$tmp/$page.html" >"$tmp/$page.colors"
    check "$page: pw_1_out is there" grep -q '^pw_1_out ' "$tmp/$page.colors"
    check "$page: with its color" same "$(awk '$1 == "pw_1_out" { print $2 }' "$tmp/$page.colors" | sort -u)" "$(colors "$tmp/usual.html" | awk '$1 == "pw_1_out" { print $2 }')"
done
colors "$tmp/usual.html" >"$tmp/usual.colors"
cat "$tmp"/{usual,film,report,compare,diff}.colors >"$tmp/all.colors"
check 'each buffer has one color in all pictures' one_each "$tmp/all.colors"
for by in kind size lifetime; do
    run export "$model" -p best-fit --view filmstrip --color-by "$by" -o "$tmp/film.html"
    run export "$model" -p best-fit --view report --color-by "$by" -o "$tmp/report.html"
    run compare "$model" -p first-fit,greedy-by-breadth --color-by "$by" -o "$tmp/compare.html"
    run diff "$model" "$model" --old-planner greedy-by-breadth --new-planner first-fit --color-by "$by" -o "$tmp/diff.html"
    for page in "by-$by" film report compare diff; do colors "$tmp/$page.html"; done >"$tmp/all.colors"
    check "by $by: each buffer has one color in all pictures" one_each "$tmp/all.colors"
    check "by $by: others than by operator" differs <(sort -u "$tmp/all.colors") <(sort -u "$tmp/usual.colors")
done
# Both sides of two models: a type has one color.
run diff "$models/mobilenet_v1.lua" "$models/mobilenet_v2.lua" -p greedy-by-size -o "$tmp/two.html"
check 'two models: a type has one color on both sides' same "$(python3 "$here/colors.py" --types "$tmp/two.html" | sort -u | awk '{ print $1 }' | uniq -d)" ''
# By identity a name has one color on both sides, whatever the other blocks.
sed 's/"b3","kind":"intermediate","size":2048/"b3","kind":"intermediate","size":1024/; s/"b5"/"b6"/g' "$models/example1.json" >"$tmp/other.json"
run diff "$models/example1.json" "$tmp/other.json" -p best-fit -o "$tmp/names.html"
colors "$tmp/names.html" >"$tmp/names.colors"
check 'two small models: a name has one color on both sides' same "$(awk '{ print $1 }' "$tmp/names.colors" | sort | uniq -c | awk '{ print $1 }' | paste -sd ' '), $(one_each "$tmp/names.colors" && echo yes)" '2 2 2 2 2 1 1, yes'
check 'two models: the page begins with what was drawn' grep -q '"drawn":"operator"' "$tmp/two.html"
check 'two models: their types are told' same "$(legend "$tmp/two.html")" 'add|conv2d|dense|depthwise_conv2d|global_avg_pool|input|softmax'
check 'two models: what became of blocks, too' same "$(grep -oE '>(added|removed|same, some earlier or later: faint)<' "$tmp/two.html" | sort -u | tr -d '<>' | paste -sd '|')" 'added|removed|same, some earlier or later: faint'

# ---- moments, by size and by stack ----

run export "$models/out_of_memory_moment.log" -o "$tmp/moment.html"
check 'a moment: by size, where no stack is told' grep -q '"drawn":"size"' "$tmp/moment.html"
run export "$models/out_of_memory_moment.log" --color-by size -o "$tmp/by.html"
check 'a moment: by size, as asked' cmp "$tmp/moment.html" "$tmp/by.html"
check 'a moment: what the colors mean' same "$(legend "$tmp/moment.html" | grep -c 'up to')" 1

# A line of a stack that no other has: most begin in the same function.
if [ -r "$data/pytorch/from_start.pickle.gz" ]; then
    run export "$data/pytorch/from_start.pickle.gz" -o "$tmp/stacks.html"
    check 'stacks: where they are told, by them' grep -q '"drawn":"stack"' "$tmp/stacks.html"
    check 'stacks: each of the eight colors is told' same "$(legend "$tmp/stacks.html" | tr '|' '\n' | wc -l)" 8
    check 'stacks: and what has none of its own' same "$(legend "$tmp/stacks.html" | grep -c '15 more places that asked')" 1
    check 'stacks: each buffer has one color' one_each <(colors "$tmp/stacks.html")
else
    skip 'stacks: no snapshot at hand'
fi
finish
