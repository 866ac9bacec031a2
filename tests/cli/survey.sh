#!/usr/bin/env bash
# survey: figures of many models; models that crash, hang, are huge or are none; stopped and gone on with; in parts; as pages.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1
json_of() { jq -e "$2" "$1"; }
mkdir -p fleet/deep/.hidden
cp "$models/mobilenet_v1_025_96.json" "$models/branches.json" "$models/example1.json" "$models/out_of_memory.csv" "$models/out_of_memory_moment.log" "$models/two_tiers.json" fleet
cp "$models/cpu_npu.lua" fleet/deep
cp "$models/example2.json" fleet/deep/.hidden
ln -s ../.. fleet/deep/back
ln -s ../branches.json fleet/deep/linked.json
echo 'no model' >fleet/README.md
echo '{"format":"stowage-graph","version":1,"operators":[{"name":"a","inputs":["nothing"]}],"buffers":[]}' >fleet/wrong.json

run survey fleet -o all.json
check "a survey with a model that is wrong: exit 1" exits 1
check "says nothing" calm
check "nothing is left beside it" [ ! -e all.json.part ]
cp all.json out
check "every model is there, by name, but what is hidden" json '[.models[].model] == ["fleet/branches.json","fleet/deep/cpu_npu.lua","fleet/deep/linked.json","fleet/example1.json","fleet/mobilenet_v1_025_96.json","fleet/out_of_memory.csv","fleet/out_of_memory_moment.log","fleet/two_tiers.json","fleet/wrong.json"]'
check "what is no model is counted" json '.unread == 1 and .done == 8 and .not_done == 1'
check "what is wrong is told" json '.models[8] | .state == "refused" and .figures == null and (.why | contains("nothing"))'
check "figures of a model" json '.models[4].figures | .operators == 31 and .buffers == 32 and .lower_bound == 55296 and .bound_at == "pw_1" and .best == 55296 and .over_bound == 0'
check "its largest buffers" json '.models[4].figures.largest == [{"name":"pw_1_out","size":36864},{"name":"image","size":27648},{"name":"conv_1_out","size":18432}]'
check "the planner that plans other sizes is not the best" json '.models[1].figures | .best == 552960 and (.planners[] | select(.name == "token-sharing") | .peak == 417024 and .lower_bound == 221184)'
check "of requests the online allocators are compared" json '.models[5].figures | [.planners[].name] | index("cuda-caching") != null and index("first-fit") == null'
check "a moment has its figures" json '.models[6].figures | .reserved == 1008730112 and .in_use == 515719936 and .lower_bound == null'
check "several memories have no single peak" json '.models[7].figures | .best == null and .lower_bound == 180'
for model in branches.json mobilenet_v1_025_96.json example1.json; do
    "$STOWAGE" compare "fleet/$model" --format json >compared
    check "$model: peaks are those of compare" same \
        "$(jq -c "[.models[] | select(.model == \"fleet/$model\") | .figures.planners[] | select(.stopped | not) | [.name, .peak]] | sort" all.json)" \
        "$(jq -c --argjson names "$(jq "[.models[] | select(.model == \"fleet/$model\") | .figures.planners[] | select(.stopped | not) | .name]" all.json)" \
            '[.planners[] | select(.planner as $p | $names | index($p)) | [.planner, .peak]] | sort' compared)"
done
# What would help does: the commands are made in the explorer.
run survey "$models/teaching.lua" --format json
check "what would help" json '.models[0].figures.helps == {"kind":"move","peak":4608,"saves":512,"planner":"greedy-by-size","commands":"reorder right pool1"}'
printf 'reorder right pool1\nlast\n' >script
run "$models/teaching.lua" -p greedy-by-size --script script --screen 120x30
check "it does" says 'peak 4.5K  bound 4.5K'

# The other forms.
run survey fleet
check "text: exit 1" exits 1
check "text: what there is" says '^9 models, 1 of them not looked at to the end; 1 file of no format that is read; '
check "text: the worst comes first" same fleet/out_of_memory.csv "$(awk 'NR == 4 {print $1}' out)"
check "text: why one has no figures" says '^  refused: '
run survey fleet --format csv
check "csv: a row each, and heads" same 10 "$(wc -l <out)"
check "csv: the heads" says '^model,state,operators,buffers,lower_bound,best,over_bound,best_planner,order_saves,help_saves,help,largest,planners,why$'
check "csv: all planners" says 'fleet/example1.json,done,.*lifetime-best-fit 5120; '
run survey fleet -o fleet.md
check "Markdown" grep -q '^| fleet/mobilenet\\_v1\\_025\\_96.json \|^| fleet/mobilenet_v1_025_96.json ' fleet.md
check "Markdown: what was not done" grep -q '^- fleet/wrong.json: refused: ' fleet.md
mkdir hostile
cp "$models/example1.json" "hostile/<script>alert(1)<.json"
sed 's/"b5"/"<img src=x onerror=\\"1\\">"/' "$models/example1.json" >"hostile/a&b\"'.json"
run survey hostile fleet -o fleet.html
check "a page: exit 1" exits 1
check "a page has one script, and lets no other run" python3 - fleet.html <<'P'
import base64, hashlib, re, sys
page = open(sys.argv[1], newline="").read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
want = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
style, script = re.findall(r"<style>(.*?)</style>", page, re.S), re.findall(r"<script>(.*?)</script>", page, re.S)
assert len(style) == len(script) == 1 and len(re.findall("<script", page)) == 1
assert policy == "default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'" % (want(script[0]), want(style[0])), policy
rest = page.replace(script[0], "").replace(style[0], "")
assert not re.search(r"(?i)\s(on[a-z]+|src|href|style)\s*=\s*[\"'a-z]", re.sub(r">[^<]*<", "><", rest)), "an attribute that acts"
assert not re.search(r"(?i)<(iframe|object|embed|img|link|base|form|a)\b", rest)
P
check "a page names strange files" grep -q 'hostile/&lt;script&gt;alert(1)&lt;.json' fleet.html
check "a page has a row for each" same 11 "$(grep -c '<td class="m">' fleet.html)"
check "a row opens its planners, its largest buffers and a command" grep -qE "^<div><h2>mobilenet_v1_025_96</h2><p>The bound is met at pw_1.<br>Open it: <code>stowage fleet/mobilenet_v1_025_96.json -p [a-z-]+</code></p></div>$" fleet.html
check "exact figures stand in it" grep -q '<td class="n" data-v="401604608">401,604,608</td>' fleet.html
if command -v python3 >/dev/null; then
    check "a page is closed where it is opened" python3 - fleet.html <<'P'
import html.parser, sys
class Page(html.parser.HTMLParser):
    stack = []
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br"):
            self.stack.append(tag)
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, (tag, self.getpos())
page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert not page.stack, page.stack
P
fi

# The page in a browser: sorted, searched, opened.
chromium=
for chromium in chromium-headless-shell chromium ''; do
    [ -n "$chromium" ] && command -v "$chromium" >/dev/null && break
done
rows() { echo "[...document.querySelectorAll('#models > tbody > tr')].filter(row => !row.hidden).map(row => row.querySelector('summary').firstChild.data.replace(/.*[/]/, '')).join(' ')"; }
press() { echo "[...document.querySelectorAll('th button')].find(b => b.textContent === '$1').click()"; }
look() { echo "document.getElementById('find').value = '$1'; document.getElementById('find').oninput()"; }
if [ -n "$chromium" ] && command -v python3 >/dev/null; then
    "$STOWAGE" survey fleet -o fleet.html
    check "the folder that all lie below is told once" grep -q "<p>Below <code>fleet/</code>: " fleet.html
    check "and no row repeats it" same 0 "$(grep -c "<summary>fleet/" fleet.html)"
    orders=("$(rows)" "$(press bound); $(rows)" "$(press bound); $(rows)" "$(press model); $(rows)" "document.querySelector('th[aria-sort=ascending]').textContent"
        "$(look 'REFUSED nothing'); $(rows)" "document.querySelector('output').textContent" "$(look ''); document.getElementById('failed').click(); $(rows)"
        "document.getElementById('failed').click(); $(press model); document.querySelectorAll('details[open]').length"
        "document.querySelector('#models > tbody > tr > td:nth-child(3)').click(); document.querySelector('#models > tbody > tr details').open"
        "document.querySelector('#models > tbody > tr .more').click(); document.querySelectorAll('details[open]').length"
        "document.getElementById('theme').click(); [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)'].join()")
    { echo '{"open": "'"$tmp"'/fleet.html"}'; for order in "${orders[@]}"; do jq -cn --arg e "$order" '{eval: $e}'; done; } |
        python3 "$SOURCE/tests/cli/web.py" "$chromium" >said 2>err
    says_in() { check "in a browser: $2" same "$(sed -n "$(($1 + 1))p" said)" "$3"; }
    says_in 1 "the worst first" '"out_of_memory.csv branches.json cpu_npu.lua linked.json example1.json mobilenet_v1_025_96.json out_of_memory_moment.log two_tiers.json wrong.json"'
    says_in 2 "by its bound, the largest first, and those without one last" '"out_of_memory.csv cpu_npu.lua mobilenet_v1_025_96.json branches.json linked.json example1.json two_tiers.json out_of_memory_moment.log wrong.json"'
    says_in 3 "the other way round, and those without one last" '"two_tiers.json example1.json branches.json linked.json mobilenet_v1_025_96.json cpu_npu.lua out_of_memory.csv out_of_memory_moment.log wrong.json"'
    says_in 4 "by name" '"branches.json cpu_npu.lua linked.json example1.json mobilenet_v1_025_96.json out_of_memory.csv out_of_memory_moment.log two_tiers.json wrong.json"'
    says_in 5 "it says which" '"model"'
    says_in 6 "searched" '"wrong.json"'
    says_in 7 "how many are seen" '"1 of 9"'
    says_in 8 "those that failed" '"wrong.json"'
    says_in 9 "closed at first" 0
    says_in 10 "a row opens" true
    says_in 11 "what is open stays so when it is clicked" 1
    says_in 12 "dark" '"dark,true"'
    check "in a browser: nothing is complained about" same "$(jq -s '.[-2].console' said)" '[]'
else
    skip "what the page does in a browser: no chromium is installed"
fi

# Jobs, parts, and those together again: the same bytes.
run survey fleet --jobs 3 -o jobs.json
check "three at a time" cmp jobs.json all.json
for part in 1 2 3; do run survey fleet --shard $part/3 -o "$part.jsonl"; done
run survey --merge 3.jsonl 1.jsonl 2.jsonl 1.jsonl -o merged.json
check "three parts" cmp merged.json all.json
SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=3 "$STOWAGE" survey fleet --shard auto -o auto.jsonl
check "the part that Slurm says" cmp auto.jsonl 2.jsonl
refuses "a part is missing" survey --merge 1.jsonl 3.jsonl because 'rows of 7 of 10 files are there: a part is missing'
run survey fleet --shard 2/3 --seed 7 -o other.jsonl
refuses "a part of another survey" survey --merge 1.jsonl other.jsonl 3.jsonl because 'other.jsonl:1: this row belongs to another survey than the first'
refuses "no row" survey --merge all.json because 'all.json:1: this is no row of a survey'
sed 's/"state":"done"/"state":"<script>"/' 1.jsonl >strange.jsonl
refuses "no state of a model" survey --merge strange.jsonl 2.jsonl 3.jsonl because 'strange.jsonl:[0-9]+: this is no row of a survey'

# What spoils nothing: a model that hangs, one that is huge, one that crashes.
mkdir bad
cp "$models/example1.json" bad
echo 'while true do end' >bad/hang.lua
echo 'local t = {} for i = 1, 1e9 do t[i] = string.rep(tostring(i), 1000) end' >bad/huge.lua
if [ "$SANITIZE" = none ]; then
    run survey bad/huge.lua bad/example1.json --trust --memory-limit 300M --time-limit 60 --format json
    check "too large: exit 1" exits 1
    check "too large: is told" json '.models[1] | .state == "memory" and .why == "it needs more than 300 MiB of memory"'
    check "too large: the other is there" json '.models[0].state == "done"'
fi
run survey bad/hang.lua bad/example1.json --trust --time-limit 1 --format json
check "a hang: is told" json '.models[1] | .state == "time" and .why == "it was not ready after 1 s"'
check "a hang: the other is there" json '.models[0].figures.best == 5120'
in_background() { # ARGUMENT...: until it looks at a model that hangs
    "$STOWAGE" "$@" >out 2>err </dev/null &
    survey=$!
    child=
    while [ -z "$child" ] && kill -0 $survey 2>/dev/null; do
        for process in /proc/[0-9]*/stat; do
            read -r number _ _ parent _ <"$process" && [ "$parent" = "$survey" ] && child=$number
        done 2>/dev/null
        [ -z "${kept:-}" ] || [ "$(cat "$kept" 2>/dev/null | wc -l)" = "${rows:-}" ] || child=
    done
}
in_background survey bad/hang.lua --trust --time-limit 100 --format json
kill -KILL "$child"
wait $survey
status=$?
check "a crash of the only one: exit 2" exits 2
check "a crash: is told" json '.models[0] | .state == "crashed" and .why == "its process died of signal 9"'

# Stopped, and gone on with.
cp -r fleet going
cp bad/hang.lua going/zhang.lua
kept=half.json.part rows=10
in_background survey going --trust -o half.json --time-limit 100
kill -INT $survey
wait $survey
status=$?
check "stopped: exit 2" exits 2
check "stopped: says how to go on" grep -qx 'stowage: interrupted after 10 of 11 models; the same with --resume goes on' err
check "stopped: no report" [ ! -e half.json ]
check "stopped: its rows are kept" same 10 "$(wc -l <half.json.part)"
check "stopped: no process is left" [ ! -e "/proc/$child" ]
refuses "begun anew by mistake" survey going --trust -o half.json --time-limit 100 because 'half.json.part: the rows of a survey that was stopped: --resume goes on with them'
sed -i 's/"state":"done","why":null,"figures":{"name":"example1"/"state":"done","why":null,"figures":{"name":"kept"/' half.json.part
printf '{"model":"going/out' >>half.json.part
echo 'return 1' >going/zhang.lua
cp fleet/branches.json going/mobilenet_v1_025_96.json
run survey going --trust -o half.json --time-limit 100 --resume
check "gone on: exit 1" exits 1
check "gone on: nothing is left beside it" [ ! -e half.json.part ]
cp half.json out
check "gone on: what was known is not looked at again" json '[.models[] | select(.model == "going/example1.json")][0].figures.name == "kept"'
check "gone on: what has changed is" json '[.models[] | select(.model == "going/mobilenet_v1_025_96.json")][0].figures.lower_bound == 40960'
check "gone on: what was missing is there" json '[.models[] | select(.model == "going/zhang.lua")][0].state == "refused"'
run survey going --trust -o half.json --time-limit 100 --resume
check "nothing to go on with: from the beginning" json_of half.json '[.models[] | select(.model == "going/example1.json")][0].figures.name == "example1"'

run survey fleet --progress always
check "progress" grep -qx '10 of 10 models' err

# What a script sees: 0, all are looked at; 1, some are not; 2, none is.
run survey fleet/example1.json fleet/branches.json
check "all done: exit 0" exits 0
run survey fleet/example1.json fleet/wrong.json -o some.csv
check "one is wrong: exit 1" exits 1
check "and the report is there, and no rows beside it" same "some.csv" "$(echo some.csv*)"
run survey fleet/wrong.json -o none.csv
check "the only one is wrong: exit 2" exits 2
check "and says why" complains 'fleet/wrong.json: .*nothing.*'
check "and the report is there, and no rows beside it" same "none.csv" "$(echo none.csv*)"
run survey fleet/wrong.json fleet/README.md
check "all are wrong: exit 2" exits 2
check "and says so" complains 'fleet/README.md: .*(none of 2 models was looked at to the end)'
run survey fleet/wrong.json fleet/example1.json --shard 1/1 -o wrong.jsonl
check "a part: exit 0" exits 0
run survey --merge wrong.jsonl
check "the parts together: exit 1" exits 1

# What is refused.
refuses "no such path" survey nowhere because 'nowhere: cannot open: No such file'
mkdir -p "abyss/$(printf 'd/%.0s' {1..70})"
refuses "folders that go too deep" survey abyss because 'abyss/(d/){64}d: this folder lies too deep'
mkdir empty
refuses "an empty folder" survey empty because 'empty: there is no file below this folder'
refuses "no path" survey because 'survey needs PATH...'
refuses "to go on without a file" survey fleet --resume because '--resume goes on with what -o began: name the file'
refuses "parts and jobs" survey --merge 1.jsonl --jobs 2 because '--merge looks at no model: it goes without --jobs'
refuses "no such planner" survey fleet -p nosuch because ".*nosuch.*"
refuses "a page and a format" survey fleet --format csv -o x.html because '--format contradicts the name x.html'
refuses "over what is read" survey fleet/example1.json -o fleet/example1.json because '.*'
refuses "a part that is no file" survey fleet -o "$tmp/empty/../x.json" --resume --jobs 0 because '--jobs 0: expected'
mkdir taken.json.part
refuses "rows that cannot be kept" survey fleet -o taken.json because 'taken.json.part: this is no file'
run survey fleet/README.md --format json
check "a file that is named itself and no model" json '.models[0].state == "refused"'
ln -s /dev/full full.json
refuses "a full disk" survey fleet/example1.json -o full.json because 'full.json: .*No space left on device'
finish
