#!/usr/bin/env bash
# Several pages and several steps: documents, filmstrips, numbered pictures, animations.
. "$(dirname "$0")/lib.bash"
model=$models/mobilenet_v1_025_96.json
out=$tmp/made
mkdir "$out"
picture() { run export "$model" -p greedy-by-size "$@"; }
empty() { [ -z "$(ls -A "$1")" ]; }
# pages FILE: how many a PDF has.
pages() { grep -ac '/Type /Page\b' "$1"; }
# png FILE WIDTHxHEIGHT: is it one, whole, of this size?
png() {
    [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] &&
        [ "$(tail -c 8 "$1" | head -c 4)" = IEND ] &&
        [ "$(head -c 24 "$1" | tail -c 8 | od -An -tu1 | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }')" = "$2" ]
}

# A document.
picture --view report -o "$out/report.pdf"
check 'a report' exits 0
check 'nothing is said' calm
check 'it has five pages' same "$(pages "$out/report.pdf")" 5
check 'with a list of contents' grep -aq '/Outlines' "$out/report.pdf"
check 'with an entry for the provenance' grep -aq '(Provenance)' "$out/report.pdf"
check 'of A4' grep -aqE '/MediaBox *\[ 0 0 842 595 \]' "$out/report.pdf"
check 'which says what it is' grep -aq 'mobilenet_v1_025_96, planned by greedy-by-size' "$out/report.pdf"
# What it says of planners is what compare says, and what it says would help does.
texts() { grep -oE '<text[^>]*>[^<]*' "$1" | sed 's/<[^>]*>//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'; }
picture --view report -o "$out/report.html"
texts "$out/report.html" >"$tmp/texts"
"$STOWAGE" compare "$model" --format json >"$tmp/compared"
least=$(jq '[.planners[] | select(.planner != "order" and .planner != "token-sharing") | .peak | numbers] | min' "$tmp/compared")
others=$(jq --argjson least "$least" '[.planners[] | select(.planner != "order" and .planner != "token-sharing" and .peak == $least)] | length - 1' "$tmp/compared")
first=$(jq -r --argjson least "$least" '[.planners[] | select(.peak == $least)][0].planner' "$tmp/compared")
check 'the best planner that is known, and how the plan compares' grep -q "$((least / 1024)) KiB, by $first and $others more: 9 KiB less than this plan (-14.3%)" <(tr '\n' ' ' <"$tmp/texts")
for planner in lifetime-best-fit best-fit tflm-greedy greedy-by-size; do
    check "$planner has the peak that compare has" same "$(awk -v p=$planner '$0 == "planners that were tried" { on = 1 } on && $0 == p { getline; print; exit }' "$tmp/texts")" \
        "$(jq -r --arg p $planner '.planners[] | select(.planner == $p) | .peak / 1024 | "\(.) KiB"' "$tmp/compared")"
done
check 'what limited them is said' grep -qx 'Each of the others with at most 1,000,000 units of work.' "$tmp/texts"
grep -oE '^goto [0-9]+; pin [^:]*: peak [^ ]* KiB' "$tmp/texts" >"$tmp/moves"
check 'pins that lower the peak' test "$(wc -l <"$tmp/moves")" -ge 2
while read -r line; do
    printf '%s\nlast\n' "${line%%:*}" | sed 's/; /\n/g' >"$tmp/script"
    run "$model" -p greedy-by-size --script "$tmp/script" --screen 120x30
    check "which do: ${line%%:*}" says "peak $(sed 's/.*peak \(.*\) KiB/\1/' <<<"$line")K"
done <"$tmp/moves"
run export "$models/teaching.lua" -p greedy-by-size --view report -o "$out/teaching.html"
check 'what lowers the bound' grep -q 'reorder right pool1: peak 4.5 KiB (its new bound), 0.5 KiB less' <(texts "$out/teaching.html" | tr '\n' ' ')
run export "$models/two_tiers.json" --view report -o "$out/priced.html"
cost=$("$STOWAGE" compare "$models/two_tiers.json" --format json | jq '[.planners[] | .cost | numbers] | min')
check 'of several memories the one that costs least' grep -qE "best known E $cost, by [a-z-]+: 74.9% of this plan's" <(texts "$out/priced.html" | tr '\n' ' ')
run export "$model" --capacity 50K --view report -o "$out/unfit.html"
check 'where none fits, what each needs' test "$(texts "$out/unfit.html" | grep -c 'does not fit$')" -ge 8
# twice FILE: sentences that stand there more than once, but for what is at the head and foot of each page.
twice() { texts "$1" | grep -E '.{26}' | grep -vE '^Input |, planned by |^E [0-9]' | sort | uniq -d; }
for name in densenet121.lua two_tiers.json teaching.lua; do
    run export "$models/$name" --view report -o "$out/once.html"
    check "$name: nothing is said twice" same "$(twice "$out/once.html")" ''
    check "$name: a figure of the plan is not in every head and foot" same "$(texts "$out/once.html" | grep -cE '^(Peak|.*lower bound) .*; ')" 0
done
run export "$models/two_tiers.json" -p first-fit --view report -o "$out/tiers.pdf" --size 600x800
check 'a report of several memories' exits 0
check 'each has its page' test "$(pages "$out/tiers.pdf")" -ge 7
run export "$models/example1.json" -p first-fit --view report --step 3 -o "$out/part.pdf"
check 'a report of one step' exits 0
if ! command -v pdftotext >/dev/null; then
    skip 'the words of a report: pdftotext is not installed'
else
    pdftotext -layout "$out/report.pdf" "$tmp/words"
    check 'the key figures' grep -qE 'over the bound +\+16.7%' "$tmp/words"
    check 'the verdict' grep -q 'Decision 4 set the peak: dw_1_out (18 KiB) went to 45 KiB and ends there\.' <(pdftotext "$out/report.pdf" - | tr '\n' ' ')
    check 'the last page is numbered' grep -q '5 of 5' "$tmp/words"
    check 'the length of the input' grep -q "length in bytes  *$(numfmt --grouping "$(stat -c %s "$model")" | tr -d ,)" <(tr -d , <"$tmp/words")
fi
awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 20000; i++) printf "b%d,%d,%d,%d\n", i, i, i + 40, 64 + i % 4096 }' >"$tmp/many.csv"
run export "$tmp/many.csv" -p first-fit --view report -o "$out/many.pdf"
check 'twenty thousand buffers' exits 0
check 'do not make a long report' test "$(pages "$out/many.pdf")" -le 20

# A filmstrip.
picture --view filmstrip -o "$out/film.svg"
check 'a filmstrip' exits 0
run export "$models/resnet50.lua" -p greedy-by-size --view filmstrip -o "$out/turns.svg"
for turn in '1  place conv1' '3  place layer1_0_down' '4  place layer1_0_add' '74  place prob'; do
    check "the strip has $turn" grep -qF ">$turn<" "$out/turns.svg"
done
check 'and others between them' grep -qF 'some between them' "$out/turns.svg"
picture --view filmstrip --steps 3,10,25 -o "$out/film.png" --size 800x400
check 'of chosen steps' exits 0
check 'it is a PNG' png "$out/film.png" 1600x800
picture --view filmstrip --steps 0:end -o "$out/film.pdf"
check 'of all steps' exits 0
check 'is one page' same "$(pages "$out/film.pdf")" 1

# Numbered pictures.
picture --steps 0:end:5 --frames "$out/frames" --size 400x300
check 'frames' exits 0
check 'every fifth, and the last' same "$(ls "$out/frames" | tr '\n' ' ')" "$(printf 'frame-%04d.png ' 1 2 3 4 5 6 7 8)"
for frame in "$out"/frames/*; do
    check "$(basename "$frame") is a PNG" png "$frame" 800x600
done
check 'they differ' bash -c '! cmp -s "$1/frame-0002.png" "$1/frame-0003.png"' - "$out/frames"
cp "$out/frames/frame-0003.png" "$tmp/third.png"
echo mine >"$out/frames/notes.txt"
picture --steps 10:12 --frames "$out/frames" --size 400x300
check 'again, into the same folder' exits 0
check 'what else was there stays' grep -qx mine "$out/frames/notes.txt"
check 'frames are written over' bash -c '! cmp -s "$1" "$2"' - "$tmp/third.png" "$out/frames/frame-0003.png"
picture --steps 0,30 --frames "$out/two" --view decision
check 'frames of another view' test -s "$out/two/frame-0002.png"
refuses 'a folder in a folder that is not there' export "$model" --steps 1:2 --frames "$out/no/where" because '.*no/where: cannot make this folder'
refuses 'a folder that is a file' export "$model" --steps 1:2 --frames "$out/film.png" because '.*film.png: cannot make this folder'
mkdir "$out/frames/frame-0002.png.d" "$out/blocked" "$out/blocked/frame-0003.png"
refuses 'a failure midway' export "$model" -p first-fit --steps 1:5 --frames "$out/blocked" because '.*frame-0003.png: .*; 2 of 5 frames are written'
check 'leaves what was written' test -s "$out/blocked/frame-0002.png"
check 'and nothing half-done' same "$(ls -A "$out/blocked" | tr '\n' ' ')" 'frame-0001.png frame-0002.png frame-0003.png '

# An animation.
picture --steps 0:end -o "$out/steps.svg"
check 'an animation' exits 0
check 'is whole' grep -q '</svg>' "$out/steps.svg"
check 'has no script' bash -c '! grep -qi "<script\|javascript:" "$1"' - "$out/steps.svg"
check 'needs no network' same "$(sed 's:<metadata>.*</metadata>::' "$out/steps.svg" | tr '\n' ' ' | sed 's:<metadata>.*</metadata>::' | grep -o 'http[^"]*' | sort -u)" 'http://www.w3.org/2000/svg'
check 'can stand still' grep -q 'prefers-reduced-motion:reduce' "$out/steps.svg"
check 'is small' test "$(stat -c %s "$out/steps.svg")" -lt 100000
check 'two steps a second, and three for the last' grep -q 'animation:19.5s' "$out/steps.svg"
check 'says what happens' grep -q '>Decision 4 places dw_1_out (18 KiB) at memory+46080' "$out/steps.svg"
if command -v python3 >/dev/null; then
    check 'is XML' python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$out/steps.svg"
else
    skip 'whether it is XML: python3 is not installed'
fi
cp "$out/steps.svg" "$tmp/first.svg"
picture --steps 0:end -o "$out/steps.svg"
check 'the same again' cmp "$tmp/first.svg" "$out/steps.svg"
picture --steps 1:4 --fps 0.5 -o "$out/slow.svg"
check 'another pace' grep -q 'animation:11s' "$out/slow.svg"
run export "$tmp/many.csv" -p first-fit --steps 0:end:100 -o "$out/long.svg"
check 'a long one' grep -q 'animation:33s' "$out/long.svg"

run export "$model" -p first-fit --steps 1:4 -o "$tmp/moves.svg"
check 'an animation says where it is from, to programs, too' grep -q '<metadata>.*rdf:RDF' "$tmp/moves.svg"

# What does not go together.
rm -rf "$out"
mkdir "$out"
refuses 'a report that is no document' export "$model" --view report -o "$out/x.png" because "the view 'report' has several pages: -o must name a .pdf or .html"
refuses 'a report of several steps' export "$model" --view report --steps 1:2 -o "$out/x.pdf" because '--steps: the report'
refuses 'frames of a report' export "$model" --view report --steps 1:2 --frames "$out/f" because '--steps: the report'
refuses 'frames of a filmstrip' export "$model" --view filmstrip --steps 1:2 --frames "$out/f" because '--frames: pictures of single decisions'
refuses 'frames without steps' export "$model" --frames "$out/f" because '--frames: --steps is missing'
refuses 'frames and a file' export "$model" --steps 1:2 --frames "$out/f" -o "$out/x.svg" because '--frames and -o'
refuses 'neither' export "$model" --steps 1:2 because '-o is missing'
refuses 'frames nowhere' export "$model" --steps 1:2 --frames '' because "--frames '': expected the name of a folder"
refuses 'an animated PNG' export "$model" --steps 1:2 -o "$out/x.png" because '--steps makes an animation'
refuses 'one step and several' export "$model" --step 2 --steps 1:2 -o "$out/x.svg" because '--step: one decision'
refuses 'one step of a filmstrip' export "$model" --view filmstrip --step 2 -o "$out/x.svg" because '--step: one decision'
refuses 'a pace without steps' export "$model" --fps 3 -o "$out/x.svg" because '--fps: how fast'
refuses 'a pace of frames' export "$model" --fps 3 --steps 1:2 --frames "$out/f" because '--fps: how fast'
refuses 'no pace' export "$model" --fps 0 --steps 1:2 -o "$out/x.svg" because '--fps 0: expected'
refuses 'steps beyond the end' export "$model" -p first-fit --steps 1:999 -o "$out/x.svg" because '--steps: there is no decision 999: the run has 32 decisions'
refuses 'a start beyond the end' export "$model" -p first-fit --steps 99:end -o "$out/x.svg" because '--steps: the run ends at decision 32'
refuses 'too many steps' export "$tmp/many.csv" -p first-fit --steps 0:end -o "$out/x.svg" because '--steps: 20001 pictures, and at most 4000'
for steps in '' : 1: :2 2:1 1:2:0 1:2:3:4 3,2 1,1 1,,2 1,2, x 1:x endless 1:ended -1:2 1:99999999999999999999; do
    refuses "steps '$steps'" export "$model" "--steps=$steps" -o "$out/x.svg" because '--steps .*expected A:B'
done
check 'nothing was written' empty "$out"
finish
