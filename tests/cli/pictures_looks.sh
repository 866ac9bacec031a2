#!/usr/bin/env bash
# How pictures look and what they say about themselves: sizes, scale, density, units, notes, themes, and
# where the figures come from.
. "$(dirname "$0")/lib.bash"
net=$models/mobilenet_v1_025_96.json
draw() { run export "$net" -p best-fit "$@"; }
# bytes FILE FROM COUNT: in hexadecimal.
bytes() { od -An -tx1 -j "$2" -N "$3" "$1" | tr -d ' \n'; }
box() { sed -n 's/.*viewBox="\([^"]*\)".*/\1/p' "$1" | head -n 1; }

# Sizes by name, in points.
while read -r name width height; do
    draw --size "$name" -o "$tmp/size.svg"
    check "$name" same "$(box "$tmp/size.svg")" "0 0 $width $height"
done <<'END_OF_SIZES'
16:9 1120 630
4:3 840 630
a4 842 595
a4-portrait 595 842
a3 1191 842
a3-portrait 842 1191
letter 792 612
letter-portrait 612 792
500x400 500 400
END_OF_SIZES
draw -o "$tmp/usual.svg"
draw --size 16:9 -o "$tmp/named.svg"
check 'the usual size has a name' cmp "$tmp/usual.svg" "$tmp/named.svg"
refuses 'a size that is none' export "$net" -o "$tmp/x.png" --size a5 because '.*--size a5: expected WIDTHxHEIGHT in points.*16:9, 4:3, a4, a4-portrait'

# Density: pixels, and how many a metre has.
draw --size a4 -o "$tmp/a.png"
check 'two pixels a point' same "$(bytes "$tmp/a.png" 16 8)" "$(printf '%08x%08x' 1684 1190)"
check 'which it says: 144 an inch' same "$(bytes "$tmp/a.png" 37 13)" "70485973$(printf '%08x%08x01' 5669 5669)"
draw --size a4 --dpi 300 -o "$tmp/a.png"
check '300 an inch' same "$(bytes "$tmp/a.png" 16 8)" "$(printf '%08x%08x' 3509 2480)"
check 'which it says' same "$(bytes "$tmp/a.png" 37 13)" "70485973$(printf '%08x%08x01' 11811 11811)"
refuses 'no pixels in SVG' export "$net" -o "$tmp/x.svg" --dpi 300 because '.*x.svg: --dpi is for PNG'
refuses 'no pixels in PDF' export "$net" -o "$tmp/x.pdf" --dpi 300 because '.*x.pdf: --dpi is for PNG'
refuses 'a density that is none' export "$net" -o "$tmp/x.png" --dpi 0 because '.*pixels per inch, from 18 to 2400'
refuses 'too many pixels' export "$net" -o "$tmp/x.png" --size 2000x600 --dpi 2400 because '.*no side may have more than 32767: ask for a smaller size or a smaller --dpi'

# Scale: the same size, everything in it larger.
draw --scale 2 -o "$tmp/large.svg"
check 'the same size' same "$(box "$tmp/large.svg")" '0 0 1120 630'
check 'larger letters' grep -q 'transform="scale(2)"' "$tmp/large.svg"
draw --scale 2 --dpi 72 -o "$tmp/large.png"
check 'with a density: each does what it says' same "$(bytes "$tmp/large.png" 16 8)" "$(printf '%08x%08x' 1120 630)"
refuses 'a scale that is none' export "$net" -o "$tmp/x.svg" --scale 9 because '.*--scale 9: expected a number from 0.25 to 8'
refuses 'a scale without room' export "$net" -o "$tmp/x.svg" --scale 6 because '.*at a scale of 6 a picture has at least 1920x1200 points'

# All of a page is so many times as large: it is the picture of a smaller page, dot for dot, of every kind.
if command -v python3 >/dev/null; then
    printf '%s\n' 'import sys, struct' \
        'def dots(name):' \
        '    data, at, found = open(name, "rb").read(), 8, b""' \
        '    while at < len(data):' \
        '        length, kind = struct.unpack(">I4s", data[at:at + 8])' \
        '        found += data[at + 8:at + 8 + length] if kind in (b"IHDR", b"IDAT") else b""' \
        '        at += 12 + length' \
        '    return found' \
        'sys.exit(dots(sys.argv[1]) != dots(sys.argv[2]))' >"$tmp/dots.py"
    while read -r what; do
        run $what --size 1200x900 --scale 1.5 --dpi 48 -o "$tmp/scaled.png"
        check "drawn larger: ${what//"$models/"/}" exits 0
        run $what --size 800x600 --dpi 72 -o "$tmp/smaller.png"
        check "larger dot for dot: ${what//"$models/"/}" python3 "$tmp/dots.py" "$tmp/scaled.png" "$tmp/smaller.png"
    done <<END_OF_KINDS
export $net -p greedy-by-size
export $net -p greedy-by-size --view live
export $net -p greedy-by-size --view filmstrip
export $net -p greedy-by-size --view blame
export $net -p order-genetic --work 400 --view convergence
export $models/two_tiers.json --view occupancy
compare $net -p first-fit,greedy-by-size
compare $net -p random-order,order-genetic --work 300 --view convergence
diff $models/example1.json $models/example2.json
END_OF_KINDS
else
    skip 'larger dot for dot: without python3'
fi

# The title.
sed '0,/"name":"[^"]*"/s//"name":"A net"/' "$net" >"$tmp/file_name.json"
for what in "export|$tmp/file_name.json -p best-fit|A net, planned by best-fit" \
    "compare|$tmp/file_name.json -p best-fit,first-fit|A net, planned by 2 planners" \
    "export|$data/minimalloc/K.1048576.csv -p best-fit|K.1048576, planned by best-fit"; do
    IFS='|' read -r command words title <<<"$what"
    [ -e "${words%% *}" ] || { skip "the title of ${words%% *}, which is not here"; continue; }
    run "$command" $words -o "$tmp/title.svg"
    check "$title" grep -qF "<title>$title</title>" "$tmp/title.svg"
done

run compare "$models/two_tiers.json" -p segment-genetic,first-fit -o "$tmp/title.svg"
check 'the title counts those that found a plan' grep -qF '<title>two_tiers, planned by 1 planner</title>' "$tmp/title.svg"

# Units.
text() { sed -n 's|^<text [^>]*>\(.*\)</text>$|\1|p' "$1"; }
# One unit in a picture, that of its largest figure; beside it sentences say in bytes what it is exactly.
printf 'id,lower,upper,size\na,0,2,1200\nb,1,3,900\n' >"$tmp/small.csv"
for one in "$net|KiB" "$models/densenet121.lua|MiB" "$tmp/small.csv|B"; do
    for view in layout live filmstrip blame; do
        run export "${one%|*}" -p greedy-by-size --view "$view" -o "$tmp/one.svg"
        units=$(text "$tmp/one.svg" | grep -v ' bytes' | sed -E 's/\([0-9,]+ B\)//g' | grep -oE '[0-9] ?(B|[KMGT]iB|[KMGT])\b' | grep -oE '[A-Z].*' | sort -u | tr '\n' ' ')
        check "${one##*/}, $view: one unit" same "$units" "${one#*|} "
    done
done
run compare "$models/densenet121.lua" -p first-fit,best-fit -o "$tmp/one.svg"
check 'runs side by side: one unit' same "$(text "$tmp/one.svg" | grep -oE '[0-9] ?(B|[KMGT]iB|[KMGT])\b' | grep -oE '[A-Z].*' | sort -u)" MiB

for view in layout live buffers; do
    draw --view "$view" --units bytes -o "$tmp/bytes.svg"
    check "$view in bytes" grep -qE '^(peak = bound |bound )?(36,864|55,296) B$' <(text "$tmp/bytes.svg")
    check "$view in bytes only" same "" "$(text "$tmp/bytes.svg" | grep -E '[0-9] ?([KM]iB|K\b)')"
    draw --view "$view" --units kib -o "$tmp/kib.svg"
    check "$view in KiB" grep -qE '^(peak = bound |bound )?(36|54) KiB$' <(text "$tmp/kib.svg")
    draw --view "$view" --units mib -o "$tmp/mib.svg"
    check "$view in MiB" grep -qE '^(peak = bound |bound )?0.0(35|36|53) MiB$' <(text "$tmp/mib.svg")
done
draw --units bytes -o "$tmp/bytes.svg"
check 'round in bytes' same "$(text "$tmp/bytes.svg" | grep -cE '^[1-5]0,000 B$')" 6
draw --units kib -o "$tmp/kib.svg"
check 'round in KiB' same "$(text "$tmp/kib.svg" | grep -E '^(8|16|24|32|40|48|56) KiB$' | sort -u | wc -l)" 7
draw --units auto -o "$tmp/auto.svg"
check 'auto is what is usual' cmp "$tmp/auto.svg" "$tmp/usual.svg"
refuses 'units that are none' export "$net" -o "$tmp/x.svg" --units gib because '.*expected auto, bytes, kib or mib'

# Parts: what they are is said, and what goes on outside is torn.
draw --time 5:15 --address 3K:8K -o "$tmp/part.svg"
check 'a part says so' grep -q '; here steps 5 to 15, 3 KiB to 8 KiB$' <(text "$tmp/part.svg")
check 'below, too' grep -q '^A part: steps 5 to 15, 3 KiB to 8 KiB; blocks with torn edges' <(text "$tmp/part.svg")
check 'a whole does not' same "" "$(text "$tmp/usual.svg" | grep -E '; here |A part')"
refuses 'nothing there' export "$net" -p best-fit -o "$tmp/x.svg" --address 1M:2M because '--address 1048576:2097152 meets nothing: memory is used from 0 to 55296'
refuses 'too small' export "$net" -o "$tmp/x.svg" --size 240x160 because '.*from 320x200 to'
refuses 'too large a scale' export "$net" -o "$tmp/x.svg" --size 16:9 --scale 4 because '.*at a scale of 4 a picture has at least 1280x800 points, not 1120x630'
draw --size 320x200 -o "$tmp/small.svg"
check 'a small picture' grep -qx '0' <(text "$tmp/small.svg")

# Notes.
cat >"$tmp/notes.json" <<'END_OF_NOTES'
{"notes": [
  {"text": "Most of the peak", "buffer": "pw_1_out"},
  {"text": "Nothing lives here", "step": 20, "address": "32K"},
  {"text": "The peak", "step": 2, "arrow": false},
  {"text": "Agreed <twice> & signed", "at": [0.9, 0.05]}]}
END_OF_NOTES
draw --annotate "$tmp/notes.json" -o "$tmp/notes.svg"
check 'notes are drawn' exits 0
for note in 'Most of the peak' 'Nothing lives here' 'The peak' 'Agreed &lt;twice&gt; &amp; signed'; do
    check "'$note' is there" grep -qxF "$note" <(text "$tmp/notes.svg")
done
draw --annotate "$tmp/notes.json" --step 2 --view buffers -o "$tmp/below.svg"
check 'what is not in the picture is listed below' grep -qxF \
    'Note on step 20 at an address, which is not in this picture: Nothing lives here' <(text "$tmp/below.svg")
draw --annotate "$tmp/notes.json" --step 2 -o "$tmp/below.svg"
check 'a buffer without a place is not in the picture' grep -qxF \
    'Note on pw_1_out, which is not in this picture: Most of the peak' <(text "$tmp/below.svg")
for kind in png pdf; do
    draw --annotate "$tmp/notes.json" -o "$tmp/notes.$kind"
    check "notes in $kind" exits 0
done
# wrong NAME LINE:COLUMN PATTERN, the notes on standard input.
wrong() {
    cat >"$tmp/wrong.json"
    refuses "$1" export "$net" -o "$tmp/x.svg" --annotate "$tmp/wrong.json" because ".*/wrong.json:$2: $3"
}
wrong 'an unknown buffer' 2:30 "there is no buffer 'nobody'" <<<'{"notes":[
{"text": "hello", "buffer":  "nobody"}]}'
wrong 'an unknown key' 1:25 'unknown key "bufer"' <<<'{"notes":[{"text": "t", "bufer": "x"}]}'
wrong 'a wrong type' 1:20 '"text" must be a string' <<<'{"notes":[{"text": 12}]}'
wrong 'a step beyond the end' 1:33 'step 31 is out of range \(0 to 30\)' <<<'{"notes":[{"text": "t", "step": 31}]}'
wrong 'no JSON' 1:1 'not valid JSON' <<<'notes'
wrong 'no UTF-8' 1:21 'byte 0xff is not valid UTF-8' <<<$'{"notes":[{"text": "\xff"}]}'
wrong 'a note that is too long' 1:20 'a note has at most 400 characters' <<<"{\"notes\":[{\"text\": \"$(printf '%0401d' 0)\", \"step\": 1}]}"
refuses 'no such file' export "$net" -o "$tmp/x.svg" --annotate "$tmp/none.json" because '.*none.json: '
refuses 'no room' export "$net" -p best-fit -o "$tmp/x.svg" --size 320x200 --annotate <(
    printf '{"notes":[{"text":"%s","step":1}' 'a note that has no room in a picture that is as small as this one, whatever one does'
    for i in $(seq 40); do printf ',{"text":"another one, number %s, of the same kind","step":%s}' "$i" "$((i % 30))"; done
    printf ']}') because '.*there is no room for the note'

# Themes: one that is printed in black and white, and one's own.
draw --theme grey -o "$tmp/grey.svg"
check 'grey has no colors' same "" "$(grep -oE 'rgb\([^)]*\)' "$tmp/grey.svg" | sort -u | tr -d 'rgb()' | awk -F, '$1 != $2 || $2 != $3')"
sed 's/name = "light"/name = "mine"/; s/#10abef/#123456/' "$SOURCE/themes/light.lua" >"$tmp/mine.lua"
draw --theme "$tmp/mine.lua" -o "$tmp/mine.svg"
check 'a theme of one'\''s own' exits 0
check 'its color is there' grep -q 'rgb(7.0[0-9]*%,20.3[0-9]*%,33.7[0-9]*%)' "$tmp/mine.svg"
sed 's/#10abef/blue/' "$SOURCE/themes/light.lua" >"$tmp/broken.lua"
refuses 'a broken theme' export "$net" -o "$tmp/x.svg" --theme "$tmp/broken.lua" because '.*broken.lua:[0-9]+'
for theme in $("$STOWAGE" list themes | awk '{ print $1 }'); do
    check "$theme is shown in themes/README.md" grep -q "($theme.png)" "$SOURCE/themes/README.md"
    check "and its picture is small" test "$(wc -c <"$SOURCE/themes/$theme.png")" -lt 60000
    run export "$net" -p best-fit --theme "$theme" -o "$tmp/theme.png"
    check "$theme draws" exits 0
done
check 'nothing was written' test -z "$(ls "$tmp"/x.* 2>/dev/null)"

# Names in any script.
cat >"$tmp/names.json" <<'END_OF_NAMES'
{"format": "stowage-graph", "version": 1, "name": "names", "operators": [], "buffers": [
  {"name": "畳み込み層の出力テンソル", "size": 4096, "first": 0, "last": 3},
  {"name": "שכבת הפלט", "size": 4096, "first": 1, "last": 4},
  {"name": "مخرجات", "size": 2048, "first": 2, "last": 5},
  {"name": "परत_आउटपुट", "size": 2048, "first": 3, "last": 6},
  {"name": "👩‍🔬", "size": 2048, "first": 0, "last": 2},
  {"name": "z̷̡ó", "size": 2048, "first": 5, "last": 7}]}
END_OF_NAMES
run export "$tmp/names.json" -p first-fit -o "$tmp/names.svg"
check 'names in any script' exits 0
for name in 畳み込み層の出力テンソル 'שכבת הפלט' مخرجات परत_आउटपुट 👩‍🔬 z̷̡ó; do
    check "$name is whole" grep -qxF "$name" <(text "$tmp/names.svg")
done
run export "$tmp/names.json" -p first-fit -o "$tmp/again.svg"
check 'and the same again' cmp "$tmp/names.svg" "$tmp/again.svg"

# Where the figures come from: under the picture, and in each kind of file the same as `plan` says.
count() { printf '%s' "$1" | sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta'; }
# in_pdf TEXT FILE: as it is, or in UTF-16.
in_pdf() {
    grep -aqF "$1" "$2" ||
        tr -d '\n' <"$2" | grep -aqiF "$(printf %s "$1" | iconv -f UTF-8 -t UTF-16BE | od -An -v -tx1 | tr -d ' \n')"
}
# provenance NAME FILE ARGUMENT...
provenance() {
    local name=$1 file=$2 said plain decisions line names
    shift 2
    "$STOWAGE" plan "$file" "$@" --format json >"$tmp/plan.json"
    for kind in svg png pdf; do
        run export "$file" "$@" -o "$tmp/said.$kind"
        check "$name: $kind" exits 0
    done
    decisions=$(count "$(jq -r .decisions "$tmp/plan.json")")
    said=$(sed -n 's:.*<desc>\(.*\)</desc>.*:\1:p' "$tmp/said.svg")
    check "$name: the input" grep -q "Input $(basename "$file"), digest [0-9a-f]\{16\}: " <<<"$said"
    check "$name: the planner and its seed" grep -qF "Planner $(jq -r .planner "$tmp/plan.json"), seed $(jq -r .seed "$tmp/plan.json")" <<<"$said"
    check "$name: the bound" grep -qF "lower bound $(count "$(jq -r .lower_bound "$tmp/plan.json")") bytes" <<<"$said"
    check "$name: the decisions" grep -qE "(All $decisions decisions made|After decision $decisions)\." <<<"$said"
    check "$name: the version" grep -qF "$("$STOWAGE" --version)." <<<"$said"
    if [ "$(jq '.tiers | length' "$tmp/plan.json")" -eq 1 ]; then
        check "$name: the peak" grep -qF "Peak $(count "$(jq -r .peak "$tmp/plan.json")") bytes" <<<"$said"
    else
        jq -r '.tiers[] | "\(.name) \(.peak)"' "$tmp/plan.json" >"$tmp/peaks"
        while read -r tier peak; do
            check "$name: the peak of $tier" grep -qF "$tier $(count "$peak") bytes" <<<"$said"
        done <"$tmp/peaks"
    fi
    check "$name: for programs" grep -qF "<dc:description>$said</dc:description>" "$tmp/said.svg"
    plain=$(sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' <<<"$said")
    check "$name: in the PNG" grep -aqF "$plain" "$tmp/said.png"
    check "$name: in the PDF" in_pdf "$plain" "$tmp/said.pdf"
    said=$(sed -E 's/ Peaks?:? [^.]* bytes\.$//' <<<"$said") # what the file alone tells, exactly
    for line in "$(sed 's/ Planner .*//' <<<"$said")" "$(grep -oE 'Planner .*(made|After decision [0-9,]+)\.( At the end: [^.]*\.)?' <<<"$said")" "$(grep -oE 'Input .* stowage [0-9.]+\.' <<<"$said")"; do
        check "$name: under the picture" grep -qxF "$line" <(text "$tmp/said.svg" | sed 's/ Names of blocks .*//')
    done
    names=$(grep -o 'Names of blocks .*' <<<"$said")
    [ -z "$names" ] || check "$name: what names are shown without" grep -qF "$names" <(text "$tmp/said.svg")
}
provenance 'best-fit' "$net" -p best-fit
provenance 'greedy-by-size' "$net" -p greedy-by-size
provenance 'a seed' "$net" -p order-genetic --seed 7 --work 500
check 'a seed: and how much work' grep -qF 'seed 7, work 500' "$tmp/said.svg"
provenance 'a parameter' "$net" -p random-order --set evaluations=20
check 'a parameter: which' grep -qF ', evaluations=20.' "$tmp/said.svg"
provenance 'a program' "$models/densenet121.lua" -p first-fit
provenance 'two tiers' "$models/two_tiers.json" -p first-fit
draw --step 3 -o "$tmp/step.svg"
check 'the step' grep -qF 'After decision 3 of 32.' "$tmp/step.svg"
"$STOWAGE" trace "$net" -p best-fit --level decision --to 3 >"$tmp/trace"
check 'and the peak there' grep -qF "Peak $(count "$(jq -r 'select(.step == 3) | .peak' "$tmp/trace")") bytes" "$tmp/step.svg"
sed 's/"name":/"name" :/' "$net" >"$tmp/other.json"
run export "$tmp/other.json" -p best-fit -o "$tmp/other.svg"
digest() { grep -o 'digest [0-9a-f]*' "$1" | head -n 1; }
check 'other bytes, another digest' bash -c '[ "$1" != "$2" ]' - "$(digest "$tmp/other.svg")" "$(digest "$tmp/usual.svg")"
run export "$net" -p best-fit --capacity 64K --inplace safe --base 0x20000000 -o "$tmp/options.svg"
check 'options that change the plan' grep -qE 'Options --capacity 65536 --inplace safe --base 0x20000000; problem [0-9a-f]{16}\.' "$tmp/options.svg"
check 'none are told where none were given' bash -c '! grep -q "Options " "$1"' - "$tmp/usual.svg"

# Noncharacters, which neither XML nor PDF has.
printf 'id,lower,upper,size\nan\xef\xbf\xbe odd\xf0\x9f\xbf\xbf one,0,5,600\n\xef\xb7\x90,1,4,99\n' >"$tmp/non.csv"
printf '{"notes": [{"at": [0.5, 0.5], "text": "so \xef\xbf\xbe it is"}]}' >"$tmp/non.json"
for view in layout buffers conflicts blame; do
    run export "$tmp/non.csv" -p first-fit --view $view -o "$tmp/non.svg"
    check "noncharacters in $view" exits 0
    check "noncharacters in $view: none is left" bash -c '! LC_ALL=C grep -qP "\xef\xbf\xbe|\xf0\x9f\xbf\xbf|\xef\xb7\x90" "$1"' - "$tmp/non.svg"
    run export "$tmp/non.csv" -p first-fit --view $view -o "$tmp/non.pdf"
    check "noncharacters in $view: a PDF" exits 0
done
run export "$tmp/non.csv" -p first-fit --annotate "$tmp/non.json" -o "$tmp/non.svg"
check 'noncharacters in a note' exits 0
check 'noncharacters in a note: none is left' bash -c '! LC_ALL=C grep -qP "\xef\xbf\xbe" "$1"' - "$tmp/non.svg"
run export "$tmp/non.csv" -p first-fit --view report -o "$tmp/non.pdf"
check 'noncharacters in a report' exits 0

# Long names are cut; the figures beside them are not.
{
    echo id,lower,upper,size
    for i in 1 2 3 4; do
        printf '%0160d_%s,%s,%s,%s\n' 7 "$i" "$i" $((i + 2)) $((1000 + i))
    done
} >"$tmp/long.csv"
for view in blame bounds buffers; do
    run export "$tmp/long.csv" -p first-fit --view $view --units bytes -o "$tmp/long.svg"
    check "$view: long names leave their sizes" grep -qE '^1,00[234] B' <(text "$tmp/long.svg")
    check "$view: and their lives" grep -qE '[0-9]\.\.[0-9]' <(text "$tmp/long.svg")
done
refuses 'a PNG of a thousand million pixels' export "$net" --size 16383x16383 -o "$tmp/none.png" because 'a PNG of 16383x16383 points would have 32766x32766 pixels and none may have more than 268435456'

# The same command gives the same bytes, of a PDF too: it bears no date, unless the environment names one.
run export "$models/example1.json" -p greedy-by-size -o "$tmp/one.pdf"
sleep 1.1
run export "$models/example1.json" -p greedy-by-size -o "$tmp/two.pdf"
check 'a PDF: the same bytes a second later' cmp "$tmp/one.pdf" "$tmp/two.pdf"
check 'a PDF: no date' same "$(grep -ac CreationDate "$tmp/one.pdf")" 0
for epoch in -1 x 12x 99999999999999999999; do
    SOURCE_DATE_EPOCH=$epoch run export "$models/example1.json" -p greedy-by-size -o "$tmp/two.pdf"
    check "a PDF: $epoch is no date" cmp "$tmp/one.pdf" "$tmp/two.pdf"
done
SOURCE_DATE_EPOCH=86400 run export "$models/example1.json" -p greedy-by-size -o "$tmp/two.pdf"
check 'a PDF: the date that was named' grep -aq 'CreationDate (19700102000000Z' "$tmp/two.pdf"

# A page of tables is as high as they are: none is cut above white space. The highest page is 2,400 points.
for one in "branch-and-bound|$models/densenet121.lua|3" "token-sharing|$net|30" "tflm-greedy|$net|3" "order-genetic|$net|2" "best-fit|$net|9" "lifetime|$net|20"; do
    IFS='|' read -r planner file step <<<"$one"
    run export "$file" -p "$planner" --view state --step "$step" -o "$tmp/state.svg"
    check "the state of $planner: drawn" exits 0
    check "the state of $planner: no row is cut" bash -c "! grep -qE '>[0-9,]+ more<' '$tmp/state.svg'"
done
finish
