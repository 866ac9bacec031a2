#!/usr/bin/env bash
# Pages for a browser, -o OUT.html: what stands in the file, and what it does in Chromium, where that is installed.
. "$(dirname "$0")/lib.bash"
model=$models/mobilenet_v1.lua
here=$(cd "$(dirname "$0")" && pwd)

# data FILE: the JSON in a page.
data() { sed -n '/<script type="application\/json"/,/<\/script>/p' "$1" | sed 's/<script [^>]*>//; s/<\/script>$//'; }
# hashes FILE: is each of the two texts that run what the policy says, and is there nothing else that could run?
hashes() {
    python3 - "$1" <<'P'
import base64, hashlib, re, sys
page = open(sys.argv[1], newline="").read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
want = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
style, script = re.findall(r"<style>(.*?)</style>", page, re.S), re.findall(r"<script>(.*?)</script>", page, re.S)
assert len(style) == len(script) == 1, (len(style), len(script))
assert policy == "default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'" % (want(script[0]), want(style[0])), policy
assert len(re.findall(r"<script", page)) == 2
rest = page.replace(script[0], "").replace(style[0], "")
assert not re.search(r"(?i)\s(on[a-z]+|src|href|style)\s*=\s*[\"'a-z]", re.sub(r">[^<]*<", "><", rest)), "an attribute that acts"
assert not re.search(r"(?i)<(iframe|object|embed|img|link|base|form|a)\b", rest)
assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", rest + style[0] + script[0])
P
}
# pages NAME ARGUMENT...: a page comes, twice with the same bytes, of texts that are allowed to run alone.
pages() {
    local name=$1
    shift
    rm -f "$tmp/page.html"
    run "$@" -o "$tmp/page.html"
    check "$name: exit 0" exits 0
    check "$name: silent" silent
    check "$name: only its own texts run" hashes "$tmp/page.html"
    check "$name: its data is JSON" jq -e '.runs and .panels' <(data "$tmp/page.html")
    mv "$tmp/page.html" "$tmp/first.html"
    run "$@" -o "$tmp/page.html" # the same name: a report tells its command
    check "$name: the same bytes again" cmp "$tmp/first.html" "$tmp/page.html"
}

# ---- what stands in it ----

pages 'a map' export "$model" -p best-fit
cp "$tmp/page.html" "$tmp/map.html"
data "$tmp/map.html" >"$tmp/map.json"
run plan "$model" -p best-fit --format json
cp "$tmp/out" "$tmp/plan.json"
run trace "$model" -p best-fit
jq -s . "$tmp/out" >"$tmp/trace.json"
check 'it knows every buffer where the plan has it' jq -ne --slurpfile p "$tmp/plan.json" --slurpfile d "$tmp/map.json" '
    ([$p[0].placements[] | [.buffer, .size, .first, .last, .offset]] | sort) ==
    ([$d[0].runs[0].b[] | [.[0], .[1], .[2], .[3], .[9][1]]] | sort)'
check 'it tells every decision as trace does' jq -ne --slurpfile t "$tmp/trace.json" --slurpfile d "$tmp/map.json" '
    [$t[0][] | [.step, .sentence, .peak]] == [$d[0].runs[0].d[] | [.[0], .[2], .[6]]]'
check 'at most five refused places, the others counted' jq -ne --slurpfile t "$tmp/trace.json" --slurpfile d "$tmp/map.json" '
    [$t[0][] | [.candidates[] | select(.verdict == "refused")] | [([length, 5] | min), length]] ==
    [$d[0].runs[0].d[] | [(.[4] | length), (.[4] | length) + .[5]]]'
check 'each decision says what it changed: together the plan' jq -ne --slurpfile d "$tmp/map.json" '
    $d[0].runs[0] as $r | (reduce ($r.d[][7] | select(. != 0) | _nwise(2)) as [$b, $p] ({}; .["\($b)"] = $p)) ==
    ([$r.ids, $r.b] | transpose | map({key: "\(.[0])", value: .[1][9]}) | from_entries)'
check 'without a script there is a table' grep -qE '<tr><td>conv2_pw<td class="n">3,211,264<td class="n">2<td class="n">3<td class="n">3,813,376<td>intermediate' "$tmp/map.html"
check 'every block has a title' grep -q '<title>conv2_pw: 3.06 MiB, steps 2..3, at 3,813,376</title>' "$tmp/map.html"
check 'colors of both themes' grep -qE '^@media screen\{html\[data-theme="dark"\]' "$tmp/map.html"
check 'neither theme is forced' grep -qx '<html lang="en">' "$tmp/map.html"
run export "$model" -p best-fit --theme dark -o "$tmp/dark.html"
check 'the theme that was asked for comes first' grep -qx '<html lang="en" data-theme="dark">' "$tmp/dark.html"
run export "$model" -p best-fit -o "$tmp/map.svg"
check 'titles in an SVG as well' grep -q '<title>conv2_pw: 3.06 MiB, steps 2..3, at 3,813,376</title>' "$tmp/map.svg"
run export "$model" -p best-fit --base 0x20000000 -o "$tmp/base.html"
check 'addresses count from the base' grep -q '<title>conv2_pw: 3.06 MiB, steps 2..3, at 540,684,288</title>' "$tmp/base.html"

pages 'a report' export "$model" -p best-fit --view report
check 'a picture for each of its pages' same "$(grep -c '^<figure>' "$tmp/page.html")" 6
cp "$tmp/page.html" "$tmp/report.html"
pages 'a comparison' compare "$model" -p first-fit,token-sharing,greedy-by-size
check 'three runs' jq -e '[.runs[].label] == ["greedy-by-size", "token-sharing", "first-fit"] and all(.runs[]; .d | length > 30)' <(data "$tmp/page.html")
cp "$tmp/page.html" "$tmp/compare.html"
pages 'a difference' diff "$model" "$models/mobilenet_v2.lua" -p first-fit
check 'two runs' jq -e '.runs | length == 2' <(data "$tmp/page.html")
check 'a difference: both sides have steps' jq -e '[.panels[] | select(.[3] >= 0) | .[13]] == ["old", "new"] and all(.runs[]; .d | length > 30)' <(data "$tmp/page.html")
cp "$tmp/page.html" "$tmp/diff.html"
pages 'a moment' export "$models/out_of_memory_moment.log"
cp "$tmp/page.html" "$tmp/moment.html"
check 'what giving back would free' jq -e '.moment and any(.runs[0].told[]; .[1] | contains("enough for the request that failed"))' <(data "$tmp/page.html")
pages 'a filmstrip' export "$model" -p best-fit --view filmstrip
check 'its frames are of one run' jq -e '(.runs | length) == 1 and ([.panels[][4]] | unique | length) > 3' <(data "$tmp/page.html")
pages 'several memories' export "$models/two_tiers.json" -p tier-search
cp "$tmp/page.html" "$tmp/tiers.html"
for by in identity kind operator size lifetime; do
    run export "$model" -p best-fit --color-by "$by" -o "$tmp/by-$by.html"
    check "colored by $by: the page knows" jq -e ".drawn == \"$by\" and ([.runs[0].colors[][0]] == [\"identity\", \"kind\", \"operator\", \"size\", \"lifetime\"])" <(data "$tmp/by-$by.html")
done
check 'with moves between them' jq -e '.runs[0].tiers == ["sram", "dram"]' <(data "$tmp/page.html")
for view in $("$STOWAGE" list views | awk '{ print $1 }'); do
    case $view in moment* | sizes | filmstrip | report) continue ;; esac
    run export "$models/branches.json" --view "$view" -o "$tmp/view.html"
    check "$view: a page" exits 0
    check "$view: only its own texts run" hashes "$tmp/view.html"
done

# Names of strangers are text, wherever they stand.
jq -n '["</script><script>document.title=\"x\"</script>", "<img src=x onerror=alert(1)>", "\"'"'"'><b>&amp;", "a\u202eb\u200f", "]]>-->", "</title></svg>",
        "\u2028\u0000\u001b[31m", "<!--<script>"] as $n |
    {format: "stowage-graph", version: 1, operators: [range(8) | {name: $n[.], kind: $n[.], inputs: (if . > 0 then [$n[. - 1]] else [] end), outputs: [$n[.]]}],
     buffers: [range(8) | {name: $n[.], size: (100 + .), shape: null} | del(.shape)]}' | sed 's/\\u0000//' >"$tmp/<script>'&.json"
pages 'names of strangers' export "$tmp/<script>'&.json"
cp "$tmp/page.html" "$tmp/hostile.html"
check 'nothing of them is an element' same "$(grep -cE '<img|<b>|<!--' "$tmp/hostile.html")" 0
check 'no direction marks' same "$(grep -cP '[\x{202a}-\x{202e}\x{2066}-\x{2069}\x{1b}]' "$tmp/hostile.html")" 0

# Large ones stay small.
awk 'BEGIN { srand(3); print "id,lower,upper,size"
    for (i = 0; i < 10000; i++) { a = int(rand() * 5000)
        printf "encoder_layer_%d_attention_output_%d,%d,%d,%d\n", i % 48, i, a, a + 1 + int(rand() * 60), 64 + 64 * int(rand() * 10000) } }' >"$tmp/large.csv"
run export "$tmp/large.csv" -p best-fit -o "$tmp/large.html"
check '10,000 blocks: exit 0' exits 0
check '10,000 blocks: at most 6 MB' [ "$(stat -c %s "$tmp/large.html")" -le 6000000 ]
check '10,000 blocks: every one and every decision' jq -e '.runs[0] | (.b | length) == 10000 and (.d | length) == 10000' <(data "$tmp/large.html")
check '10,000 blocks: each is drawn' same "$(grep -c '^<g data-b=' "$tmp/large.html")" 10000
awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 60000; i++) printf "b%d,%d,%d,%d\n", i, i % 700, i % 700 + 3, 64 + i % 5000 }' >"$tmp/huge.csv"
run export "$tmp/huge.csv" -p first-fit -o "$tmp/huge.html"
check '60,000 blocks: exit 0' exits 0
check '60,000 blocks: at most 6 MB' [ "$(stat -c %s "$tmp/huge.html")" -le 6000000 ]
check '60,000 blocks: the largest are told' jq -e '.runs[0] | (.b | length) == 10000 and .all == 60000 and ([.b[][1]] | min) > 4000' <(data "$tmp/huge.html")
check '60,000 blocks: it is said' grep -q 'The 100 largest of 60,000' "$tmp/huge.html"

run compare "$tmp/large.csv" -p first-fit,best-fit,greedy-by-size,greedy-by-breadth,lifetime-best-fit -o "$tmp/five.html"
check 'five plans of 10,000 blocks: exit 0' exits 0
check 'five plans of 10,000 blocks: at most 6 MB' [ "$(stat -c %s "$tmp/five.html")" -le 6000000 ]
check 'five plans of 10,000 blocks: what is too small is counted and named' grep -qE '<title>[0-9,]+ blocks? too small to draw, .*; [0-9]+% full; largest encoder_layer_[0-9]+.*</title>' "$tmp/five.html"
awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 60000; i++) printf "b%d,%d,%d,%d\n", i, i * 3, i * 3 + 70, 64 + i % 5000 }' >"$tmp/steps.csv"
run export "$tmp/steps.csv" -p first-fit -o "$tmp/steps.html"
check 'very many steps: times of the file' jq -e '.runs[0] | .times == null and any(.b[]; .[0] == "b4999" and .[2] == 14997 and .[3] == 15066)' <(data "$tmp/steps.html")

refuses 'steps go by the slider' export "$model" --steps 0:end -o "$tmp/x.html" because '--steps makes an animation'
refuses 'pixels' export "$model" --dpi 100 -o "$tmp/x.html" because '.*--dpi is for PNG'
refuses 'a folder that is not there' export "$model" -o "$tmp/nowhere/x.html" because '.*nowhere'
if [ -c /dev/full ] && ln -s /dev/full "$tmp/full.html"; then
    refuses 'a full disk' export "$model" -p best-fit -o "$tmp/full.html" because '.*full'
fi

# ---- what it does ----

chromium=
for chromium in chromium-headless-shell chromium ''; do
    [ -n "$chromium" ] && command -v "$chromium" >/dev/null && break
done
if [ -z "$chromium" ]; then
    skip 'what a page does in a browser: neither chromium nor chromium-headless-shell is installed'
    finish
    exit
fi
export HOME=$home
coproc BROWSER { exec python3 "$here/web.py" "$chromium" 2>"$tmp/browser.err"; }
to=${BROWSER[1]} from=${BROWSER[0]} browser=$BROWSER_PID
# do_in ORDER: to the browser; sets answer.
do_in() {
    answer=
    printf '%s\n' "$1" >&"$to" && IFS= read -r -t 100 answer <&"$from"
}
# shows NAME WANTED EXPRESSION: what the page says.
shows() {
    do_in "$(jq -cn --arg e "$3" '{eval: $e}')"
    check "$1" same "$(jq -r . <<<"$answer")" "$2"
}
# ask_in EXPRESSION: the same, to hold it against another page's.
ask_in() {
    do_in "$(jq -cn --arg e "$1" '{eval: $e}')"
    jq -r . <<<"$answer"
}
# middle SELECTOR: of an element, as "X, Y".
middle() {
    do_in "$(jq -cn --arg s "$1" '{eval: "(() => { const b = document.querySelector(\($s | @json)).getBoundingClientRect(); return `${Math.round(b.left + b.width / 2)}, ${Math.round(b.top + b.height / 2)}` })()"}')"
    jq -r . <<<"$answer"
}
pick='(document.querySelector("#card.pinned h3") || {}).textContent || ""'
card='document.querySelector("#card").hidden ? "" : document.querySelector("#card h3").textContent'

id=$(jq '[.runs[0].ids, .runs[0].b] | transpose[] | select(.[1][0] == "conv2_pw")[0]' "$tmp/map.json")
do_in "{\"open\": \"$tmp/map.html\"}"
shows 'drawn: every block has a shape that is seen' 31 'document.querySelectorAll(".blocks[data-p=\"0\"] > g").length'
shows 'drawn: a block has its color' 'rgb(15, 157, 220)' "getComputedStyle(document.querySelector('g[data-b=\"$id\"] .f')).fill"
place=$(middle "g[data-b=\"$id\"]")
do_in "{\"move\": [$place]}"
shows 'hovered: the card' conv2_pw "$card"
shows 'hovered: what it says' 'intermediate, 3.06 MiB (3,211,264 bytes)|alive in steps 2..3|at 3,813,376|written by conv2_pw, read by conv3_dw|Decision 4 places conv2_pw (3,211,264 B) at memory+3813376: no free block fits, so the arena is extended at its end.' \
    '[...document.querySelectorAll("#card p")].map(p => p.textContent).join("|")'
shows 'hovered: chosen and refused' 'chosen 3,813,376|refused 0|refused 2,207,744' '[...document.querySelectorAll("#card li")].map(li => li.textContent.split(":")[0]).join("|")'
do_in '{"move": [5, 700]}'
shows 'elsewhere: no card' '' "$card"
do_in "{\"click\": [$place]}"
do_in '{"move": [5, 700]}'
shows 'clicked: it stays' conv2_pw "$pick"
shows 'clicked: the link' '#b=conv2_pw' 'location.hash'
do_in '{"keys": ["Escape"]}'
shows 'escaped: it goes' '' "$card"
shows 'escaped: so does the link' '' 'location.hash'

do_in '{"eval": "document.querySelector(\"svg\").focus()"}'
do_in '{"keys": ["ArrowRight"]}'
shows 'keyed: a block has the focus' data "$card"
do_in '{"keys": ["ArrowRight"]}'
shows 'keyed: the next one' true "($card) !== 'data' && ($card) !== ''"
do_in '{"keys": ["Enter"]}'
shows 'keyed: pinned' true "($pick) !== ''"
do_in '{"keys": ["Escape", "+", "+"]}'
shows 'keyed: nearer' true 'document.querySelector("svg").viewBox.baseVal.width < 600'
do_in '{"keys": ["0"]}'
shows 'keyed: whole again' 1120 'document.querySelector("svg").viewBox.baseVal.width'
do_in "{\"wheel\": [$place, -400]}"
shows 'zoomed with the wheel' true 'document.querySelector("svg").viewBox.baseVal.width < 1000'
shows 'zoomed: what one pointed at stays' "$id" "document.elementFromPoint($place).closest('g').dataset.b"
shows 'zoomed: names keep their size' true '(text => text.getBoundingClientRect().height < 20)([...document.querySelectorAll("text.near")].find(text => text.textContent === "conv2_pw"))'
do_in '{"eval": "void (window.before = document.querySelector(\"svg\").viewBox.baseVal.x)"}'
do_in '{"drag": [600, 300, 500, 300]}'
shows 'panned' true 'document.querySelector("svg").viewBox.baseVal.x > before'
do_in '{"keys": ["0"]}'

do_in '{"eval": "document.querySelector(\"[type=search]\").focus()"}'
do_in '{"keys": ["C", "o", "n", "v", "1", "0"]}'
shows 'searched: how many' '2 found' 'document.querySelector("nav label output").textContent'
shows 'searched: the others are faint' 'conv10_dw,conv10_pw' '[...document.querySelectorAll(".blocks > g")].filter(g => getComputedStyle(g).opacity === "1").map(g => g.getAttribute("aria-label").split(":")[0]).sort().join(",")'
shows 'searched: so is the table' 2 'document.querySelectorAll("tbody tr").length'
do_in '{"keys": ["Enter"]}'
shows 'searched: the first one' true "/^conv10_/.test($pick)"
do_in '{"keys": ["Escape"]}'
shows 'searched: all again' 31 'document.querySelectorAll("tbody tr").length'
do_in '{"eval": "document.querySelectorAll(\"th button\")[3].click()"}'
shows 'the table is sorted' true '(c => c.every((x, i) => i === 0 || c[i - 1] >= x))([...document.querySelectorAll("tbody tr")].map(r => Number(r.cells[3].textContent)))'

shows 'slid: the last' '31 of 31' 'document.querySelector("nav .slide output").textContent'
slide() { do_in "{\"eval\": \"(() => { const r = document.querySelector('[type=range]'); r.value = $1; r.dispatchEvent(new Event('input')) })()\"}"; }
seen='[...document.querySelectorAll("svg .blocks[data-p=\"0\"] > g, svg .blocks:not([data-p]) > g")].filter(g => g.getBoundingClientRect().width > 0 && g.dataset.b).map(g => g.dataset.b)'
slide 4
shows 'slid: what is placed by then' "$(jq -r '[.runs[0].d[:4][][1]] | sort | join(",")' "$tmp/map.json")" "$seen.map(Number).sort((a, b) => a - b).join(',')"
shows 'slid: what was decided' 'Decision 4 places conv2_pw (3,211,264 B) at memory+3813376: no free block fits, so the arena is extended at its end.' 'document.querySelector("#said").textContent'
shows 'slid: the link' '#d=4' 'location.hash'
slide 0
shows 'slid: nothing before the first' 0 "$seen.length"
slide 31
shows 'slid: all at the end' 31 "$seen.length"
shows 'colored: as it was drawn' 'operator ' 'document.querySelector("#color").value + " " + document.querySelector("#meaning").textContent'
shows 'colored: what there is' 'identity|kind|operator|size|lifetime' '[...document.querySelectorAll("#color option")].map(o => o.textContent).join("|")'
# Each coloring of the page is that of the picture which is asked for with it: colors, and what they mean.
recolor() { do_in "{\"eval\": \"(() => { const s = document.querySelector('#color'); s.value = '$1'; s.dispatchEvent(new Event('change')) })()\"}"; }
fills='[...document.querySelectorAll(".blocks[data-p=\"0\"] > g[data-b]")].filter(g => g.querySelector(".f")).map(g => g.dataset.b + getComputedStyle(g.querySelector(".f")).fill).sort().join("|")'
told='[...document.querySelectorAll("text.told")].map(t => t.textContent).sort().join("|")'
meant='[...document.querySelectorAll("#meaning > span")].map(s => s.textContent).sort().join("|")'
for by in identity kind operator size lifetime; do
    do_in "{\"open\": \"$tmp/by-$by.html\"}"
    wanted=$(ask_in "$fills") words=$(ask_in "$told")
    shows "colored by $by: it begins so" "$by" 'document.querySelector("#color").value'
    do_in "{\"open\": \"$tmp/map.html\"}"
    recolor "$by"
    shows "colored by $by: each block as in the picture" "$wanted" "$fills"
    [ "$by" = operator ] || shows "colored by $by: with its legend" "$words" "$meant"
done
shows 'colored: the legend of what was drawn is away' 0 '[...document.querySelectorAll(".told")].filter(t => t.getBoundingClientRect().width > 0).length'
slide 4
shows 'colored: before the end as well' lifetime/true "document.querySelector('#color').value + '/' + (c => c.length > 3 && c.every(s => s.startsWith('var(--h')))([...document.querySelectorAll('.blocks > g[data-b]:not(.gone) .f')].map(p => p.style.fill))"
recolor operator
slide 31
shows 'colored: back' "$(do_in "{\"open\": \"$tmp/by-operator.html\"}"; ask_in "$fills")" "$fills"
do_in "{\"open\": \"$tmp/tiers.html\"}"
shows 'colored: tiers, where there are several' true '[...document.querySelectorAll("#color option")].some(o => o.textContent === "tier")'
do_in "{\"open\": \"$tmp/map.html\"}"
do_in '{"eval": "document.querySelector(\"#theme\").click()"}'
shows 'the dark theme' 'rgb(18, 23, 29)' 'getComputedStyle(document.body).backgroundColor'
do_in '{"method": "Emulation.setEmulatedMedia", "params": {"media": "print"}}'
shows 'printed: in light colors, without tools' 'rgb(255, 255, 255) none' 'getComputedStyle(document.body).backgroundColor + " " + getComputedStyle(document.querySelector("nav")).display'
do_in '{"method": "Emulation.setEmulatedMedia", "params": {"media": ""}}'
do_in "{\"pdf\": \"$tmp/print.pdf\"}"
check 'printed: a document' [ "$(head -c 5 "$tmp/print.pdf")" = %PDF- ]

do_in "{\"open\": \"$tmp/map.html#b=conv2_pw&d=12\"}"
shows 'a link: the block' conv2_pw "$pick"
shows 'a link: the decision' '12 of 31' 'document.querySelector("nav .slide output").textContent'
shows 'a link: it stays' '#b=conv2_pw&d=12' 'location.hash'
do_in "{\"open\": \"$tmp/map.html#b=nothing&d=-7&x=<b>\"}"
shows 'a link to nothing: the page as it is' '' "$card"
# What is free at the bound is told of the end of the run: its size goes and comes with its hatching.
run export "$models/mobilenet_v1_025_96.json" -p greedy-by-size -o "$tmp/gap.html"
sizes='[...document.querySelectorAll("text.ap")].map(t => t.textContent + " " + getComputedStyle(t).display).join()'
do_in "{\"open\": \"$tmp/gap.html\"}"
shows 'what is free: its size' '9 KiB block' "$sizes"
do_in "{\"open\": \"$tmp/gap.html#b=pw_1_out&d=4\"}"
shows 'what is free: not before the end' '9 KiB none' "$sizes"
shows 'a link: what is in sight stays where it is' 0 scrollY

do_in '{"method": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}}'
do_in "{\"open\": \"$tmp/compare.html\"}"
shows "the reader's own theme" 'rgb(18, 23, 29)' 'getComputedStyle(document.body).backgroundColor'
shows 'a comparison: a slider for each run' 'greedy-by-size|token-sharing|first-fit' '[...document.querySelector("nav select").options].map(o => o.text).join("|")'
do_in "{\"open\": \"$tmp/diff.html\"}"
sides='[...document.querySelectorAll("svg .blocks[data-p]")].map(layer => [...layer.querySelectorAll(":scope > g[data-b]")].filter(g => g.getBoundingClientRect().width > 0).length).join(" ")'
shows 'a difference: a slider for each side' 'old: first-fit|new: first-fit' '[...document.querySelector("nav select").options].map(o => o.text).join("|")'
whole=$(ask_in "$sides")
slide 0
shows 'a difference: one side is before its first decision' "0 ${whole##* }" "$sides"
do_in '{"eval": "(() => { const s = document.querySelector(\"nav select\"); s.value = 1; s.dispatchEvent(new Event(\"change\")) })()"}'
slide 0
shows 'a difference: and then both' '0 0' "$sides"
do_in "{\"open\": \"$tmp/report.html#b=conv2_pw\"}"
shows 'a report: a link leads to the map' true 'scrollY > 300 && document.querySelectorAll("tr.on").length === 1'
do_in "{\"open\": \"$tmp/moment.html\"}"
do_in "{\"move\": [$(middle 'g[data-b]')]}"
shows 'a moment: the card' true "/^0x[0-9a-f]+: .*, in segment/.test($card)"

run compare "$models/mobilenet_v1_025_96.json" --seeds 3 -o "$tmp/seeds.html"
do_in "{\"open\": \"$tmp/seeds.html\"}"
do_in "{\"move\": [$(middle '.blocks > g:nth-child(3)')]}"
shows 'a plot: the point that is pointed at' 'random-order, seed 3: 54 KiB' 'document.querySelector("#card").textContent'
do_in '{"eval": "document.querySelector(\"svg\").focus()"}'
do_in '{"keys": ["ArrowLeft"]}'
shows 'a plot: keys go from point to point' 'random-order, seed 2: 54 KiB' 'document.querySelector("#card").textContent'

do_in "{\"open\": \"$tmp/hostile.html\"}"
shows 'names of strangers: every block is there' 8 'document.querySelectorAll(".blocks[data-p=\"0\"] > g[data-b]").length'
do_in '{"eval": "document.querySelector(\"svg\").focus()"}'
for _ in 1 2 3 4 5 6 7 8; do do_in '{"keys": ["ArrowRight"]}'; done
shows 'names of strangers: text' 0 'document.querySelectorAll("#card b, #card img, #card script, img, b").length'
shows 'names of strangers: the title' true 'document.title.includes("<script>")'
do_in "{\"open\": \"$tmp/large.html#d=5000\"}"
shows '10,000 blocks: slid' 5000 "$seen.length"

exec {to}>&-
read -r -t 100 complaints <&"$from"
read -r -t 100 requests <&"$from"
wait "$browser"
check 'the page complains of nothing' same "$complaints" '{"console": []}'
check 'it asks for nothing but itself' jq -e '.network | length > 0 and all(startswith("file://") or . == "about:blank")' <(printf '%s' "$requests")
finish
