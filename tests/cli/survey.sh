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
check "a survey: exit 0" exits 0
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
check "text: exit 0" exits 0
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
check "a page: exit 0" exits 0
check "a page has no script, and lets none run" same "0 1" "$(grep -c '<script\|<img\|onerror="' fleet.html) $(grep -c "default-src 'none'; style-src 'unsafe-inline'" fleet.html)"
check "a page names strange files" grep -q 'hostile/&lt;script&gt;alert(1)&lt;.json' fleet.html
check "a page has a row for each" same 11 "$(grep -c '<td class="model">' fleet.html)"
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

# What spoils nothing: a model that hangs, one that is huge, one that crashes.
mkdir bad
cp "$models/example1.json" bad
echo 'while true do end' >bad/hang.lua
echo 'local t = {} for i = 1, 1e9 do t[i] = string.rep(tostring(i), 1000) end' >bad/huge.lua
if [ "$SANITIZE" = none ]; then
    run survey bad/huge.lua bad/example1.json --trust --memory-limit 300M --time-limit 60 --format json
    check "too large: exit 0" exits 0
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
check "a crash: exit 0" exits 0
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
check "gone on: exit 0" exits 0
check "gone on: nothing is left beside it" [ ! -e half.json.part ]
cp half.json out
check "gone on: what was known is not looked at again" json '[.models[] | select(.model == "going/example1.json")][0].figures.name == "kept"'
check "gone on: what has changed is" json '[.models[] | select(.model == "going/mobilenet_v1_025_96.json")][0].figures.lower_bound == 40960'
check "gone on: what was missing is there" json '[.models[] | select(.model == "going/zhang.lua")][0].state == "refused"'
run survey going --trust -o half.json --time-limit 100 --resume
check "nothing to go on with: from the beginning" json_of half.json '[.models[] | select(.model == "going/example1.json")][0].figures.name == "example1"'

run survey fleet --progress always
check "progress" grep -qx '10 of 10 models' err

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
