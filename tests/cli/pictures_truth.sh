#!/usr/bin/env bash
# Pictures, summaries and gates say the same of a run, and say it when it came to nothing.
. "$(dirname "$0")/lib.bash"
net=$models/resnet50.lua
# text FILE: what is written on an SVG, a text a line.
text() { grep -oE '<text[^>]*>[^<]*' "$1" | sed 's/.*>//'; }
draw() { run export "$@" -o "$tmp/x.svg"; }

# One clock: a file with times of its own is told in them, everywhere.
cat >"$tmp/times.csv" <<'END_OF_TABLE'
id,lower,upper,size
a,0,1000,64
b,1000,7000,128
c,2000,9000,256
d,7000,9000,64
END_OF_TABLE
draw "$tmp/times.csv" -p first-fit
check 'the axis says what it counts' grep -qxF 'time, 0 to 8,999' <(text "$tmp/x.svg")
check 'ticks tell round times' same "$(text "$tmp/x.svg" | grep -xE '[1-9],000' | tr '\n' ' ')" '1,000 2,000 4,000 6,000 8,000 '
check 'so does the most' grep -qF 'at time 2000' <(text "$tmp/x.svg")
check 'no step is left' same "$(text "$tmp/x.svg" | grep -cE 'step [0-9]')" 0
run plan "$tmp/times.csv" -p first-fit
check 'the summary agrees' says 'live at time 2000'
draw "$tmp/times.csv" -p first-fit --time 1500:6999
check 'a part: the steps of these times' same "$(text "$tmp/x.svg" | grep -E '^time, ' | tr '\n' ' ')" 'time, 1,000 to 6,999 '
cat >"$tmp/notes.json" <<'END_OF_NOTES'
{"notes": [{"text": "seen", "time": 2500}, {"text": "not seen", "step": 1000}]}
END_OF_NOTES
draw "$tmp/times.csv" -p first-fit --time 2000:6999 --annotate "$tmp/notes.json"
check 'a note on a time' grep -qxF seen <(text "$tmp/x.svg")
check 'and on one that is not drawn' grep -qxF 'Note on time 1000, which is not in this picture: not seen' <(text "$tmp/x.svg")
echo '{"notes": [{"text": "t", "time": 9000}]}' >"$tmp/late.json"
refuses 'a time after the end' export "$tmp/times.csv" -o "$tmp/x.svg" --annotate "$tmp/late.json" because '.*late.json:1:34: time 9000 is out of range \(0 to 8999\)'
echo '{"notes": [{"text": "t", "time": 1, "step": 1}]}' >"$tmp/twice.json"
refuses 'one time, twice' export "$tmp/times.csv" -o "$tmp/x.svg" --annotate "$tmp/twice.json" because '.*twice.json:.*are the same'
draw "$net" -p first-fit
check 'steps stay steps' grep -qxF 'step, 0 to 72' <(text "$tmp/x.svg")

# A run that came to no plan says so, in the picture and beside it, and says one reason everywhere.
draw "$net" --capacity 6M -p greedy-by-size
check 'does not fit: exit 1' exits 1
check 'does not fit: one line' complains 'infeasible: layer1_0_down does not fit into memory: .* 131,072 B too many; 5 blocks end above that'
check 'does not fit: below the title' grep -q '^Does not fit: peak 15.31 MiB, capacity 6 MiB' <(text "$tmp/x.svg")
check 'does not fit: in the description' grep -q '<desc>Infeasible: layer1_0_down does not fit' "$tmp/x.svg"
run plan "$net" --capacity 6M -p greedy-by-size
check 'the summary: the same block and decision' says 'infeasible: layer1_0_down .* at time 5, decision 3$'
check 'the summary: how many' says 'for all of them +15.3 MiB .* 5 blocks'
run plan "$net" --capacity 6M -p greedy-by-size --format json
check 'as JSON' json '.details.does_not_fit | .buffer == "layer1_0_down" and .excess == 131072 and .blocks == 5'
run export "$net" --capacity 6M -p greedy-by-size --view report -o "$tmp/x.pdf"
check 'a report: one line' complains 'infeasible: layer1_0_down does not fit'
draw "$net" --capacity 6M -p segment-genetic
check 'nothing placed: exit 1' exits 1
check 'nothing placed: below the title' grep -q '^Infeasible: nothing is placed' <(text "$tmp/x.svg")
check 'nothing placed: no peak' same "$(text "$tmp/x.svg" | grep -c 'Peak 0')" 0
check 'nothing placed: not all is well' same "$(text "$tmp/x.svg" | grep -c 'decisions made')" 0
draw "$net" -p greedy-by-size --work 1
check 'unfinished: exit 1' exits 1
check 'unfinished: one line' complains 'undecided: stopped at decision '
check 'unfinished: below the title' grep -q '^Unfinished: peak ' <(text "$tmp/x.svg")
check 'unfinished: in the caption' grep -q '^Undecided: stopped at decision ' <(text "$tmp/x.svg")
draw "$net" --capacity 6M -p greedy-by-size --view filmstrip
check 'a filmstrip says it' grep -q '^Does not fit: ' <(text "$tmp/x.svg")
draw "$net" --capacity 6M -p greedy-by-size --step 2
check 'a step before the end is not the end' grep -q '^peak ' <(text "$tmp/x.svg")
run compare "$net" --capacity 6M -o "$tmp/x.svg"
check 'no plan fits: exit 1' exits 1
check 'no plan fits: one line' complains 'none of the planners found a plan that fits'
check 'no plan fits: below the title' grep -q '^No planner found a plan that fits' <(text "$tmp/x.svg")
check 'a reason stands there whole' grep -q ' segment-genetic infeasible: no segments can [^.:]*: they need .* and memory has 6,291,456 B ' <(text "$tmp/x.svg" | tr '\n' ' ')
run compare "$net" --capacity 6M --size 600x400 -o "$tmp/x.svg"
check 'what a small page has no room for is counted' grep -qx '[0-9]* more' <(text "$tmp/x.svg")
check 'and its file has the whole reason' grep -q ' segment-genetic: infeasible: no segments can .* and memory has 6,291,456 B\. ' <(grep -o '<desc>.*</desc>' "$tmp/x.svg")

# Bounds and peaks of several kinds.
run plan "$models/train_cnn.lua" --capacity 30M -p segment-genetic --set choices=plain
check 'a peak below the bound is explained' says 'lower bound .*less will do only with migration'
draw "$models/train_cnn.lua" --capacity 30M -p segment-genetic --set choices=plain
check 'in pictures, too' grep -q '^Peak 30 MiB, lower bound 34.72 MiB without migration' <(text "$tmp/x.svg")
# Where a block is written over another one is hatched, and the legend says so; where some are too small, that, too.
over='written over an earlier value (where there is room to hatch)'
hatched() { grep -oE 'stroke-width:0\.6;[^"]*stroke-opacity:0\.6;' "$tmp/x.svg" | wc -l; }
draw "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any
check 'overwritten: the legend says so' grep -qxF "$over" <(text "$tmp/x.svg")
check 'overwritten: three are hatched, and the sample' same "$(hatched)" 4
draw "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=off
check 'nothing is: nor does the legend' same "$(hatched) $(text "$tmp/x.svg" | grep -c "$over")" '0 0'
echo '{"tiers":[{"name":"sram","capacity":40000,"bandwidth":16},{"name":"dram","bandwidth":4}]}' >"$tmp/overs.json"
draw "$models/mobilenet_v1_025_96.json" --tiers "$tmp/overs.json" -p tier-search --set overwrite=any
check 'overwritten: some are too small' grep -qxF "$over" <(text "$tmp/x.svg")
printf 'last\n' >"$tmp/last.txt"

# Where segments begin is drawn, where that can be told apart, and the legend says what the lines are.
begins='a segment begins'
net_in_two=("$models/mobilenet_v1_025_96.json" --tiers "$tmp/overs.json" -p tier-search --set choices=plain)
lines() { grep -oE 'stroke-width:1\.1;[^"]*stroke-dasharray:5,3;' "$tmp/x.svg" | wc -l; }
draw "${net_in_two[@]}"
check 'segments of one step: no lines' same "$(text "$tmp/x.svg" | grep -c "$begins")" 0
plain=$(lines)
draw "${net_in_two[@]}" --set segments=at:3,9,20
check 'segments: the legend says so' grep -qxF "$begins" <(text "$tmp/x.svg")
check 'segments: three lines on both maps, and the sample' same "$(lines)" $((plain + 7))
segmented() { run "${net_in_two[@]}" --set segment=2 --script "$tmp/last.txt" --screen "$@"; }
segmented 80x24
check 'segments: lines in a terminal' same "$(grep -c '16 segments' "$tmp/out") $(grep -cE '(╎ +){12}' "$tmp/out")" '2 4'
segmented 40x12
check 'segments: too many for a narrow one' same "$(grep -cE '╎|segments' "$tmp/out")" 0

for set in unicode ascii; do
    run "$models/two_tiers.json" -p tier-search --set choices=plain --set overwrite=any --script "$tmp/last.txt" --screen 80x24 $([ $set = ascii ] && echo --ascii)
    check "overwritten: hatched in a terminal, $set" grep -qE 'h2 ?(╳ ){6}|h2 ?(x ){6}' "$tmp/out"
done

run plan "$models/two_tiers.json" -p tier-search
check 'both ends of a memory' says 'dram .*120 B .*11.7% of 1 KiB, filled from its far end'
draw "$models/two_tiers.json" -p tier-search
check 'its upper end is drawn as one' grep -q '^dram, the upper end: 1 block' <(text "$tmp/x.svg")
check 'and the caption has both' grep -qF 'dram 120 B' <(text "$tmp/x.svg")
run plan "$models/two_tiers.json" -p tier-search --max-peak 100 -o "$tmp/gate.csv"
check 'a gate names the memory' complains '.*the peak of 120 B in dram is above --max-peak 100 B'
check 'and writes nothing' test ! -e "$tmp/gate.csv"

# Which planner won, and which limits.
draw "$net" -p auto
check 'auto says which planner won' grep -q 'At the end: .* wins' <(text "$tmp/x.svg")
run compare "$net" -p branch-and-bound -o "$tmp/x.svg"
check "a comparison's own limit is one" grep -q 'work 200,000,000, the limit of a comparison' <(text "$tmp/x.svg")

# Options.
run export "$net" -p first-fit --steps 1,3,end --view filmstrip -o "$tmp/x.svg"
check 'a list to the end' grep -q '^74  place' <(text "$tmp/x.svg")
refuses 'only the end' export "$net" --steps end --view filmstrip -o "$tmp/x.svg" because '--steps end: expected'
run export "$net" -p first-fit --size A4 -o "$tmp/x.svg"
check 'sizes in capitals' exits 0
refuses 'too large' export "$net" --size 40000x400 -o "$tmp/x.svg" because '--size 40000x400: .*from 320x200 to 30000x30000'
run plan "$net" -p first-fit -o "$tmp/a.csv"
refuses 'a name that says nothing' diff "$tmp/a.csv" "$tmp/a.csv" -o "$tmp/foo.xyz" because '.*foo.xyz: .*--format'
check 'and no file' test ! -e "$tmp/foo.xyz"
run diff "$tmp/a.csv" "$tmp/a.csv" --format text -o "$tmp/foo.xyz"
check 'unless the format is given' test -s "$tmp/foo.xyz"

# Where the libraries of pictures are not installed all else works.
cat >"$tmp/none.c" <<'END'
void *dlopen(const char *name, int how) { (void)name, (void)how; return (void *)0; }
char *dlerror(void) { return "there is no such library"; }
END
$CC -shared -fPIC -w "$tmp/none.c" -o "$tmp/none.so"
export LD_PRELOAD=$tmp/none.so
refuses 'no library' export "$net" -o "$tmp/none.svg" because 'pictures are drawn with Cairo and Pango: there is no such library'
check 'and no picture' test ! -e "$tmp/none.svg"
run plan "$net" -p first-fit
check 'a plan needs none' exits 0
unset LD_PRELOAD
finish
