#!/usr/bin/env bash
# stowage gate: a baseline written, read, merged and broken; what passes and what does not; JUnit's XML; the workflow and
# the hook that ship.
. "$(dirname "$0")/lib.bash"
peak() { "$STOWAGE" plan "$1" -p "${2:-greedy-by-size}" --format json | jq .peak; }
xml() { python3 -c 'import sys, xml.dom.minidom as x; d = x.parse(sys.argv[1]); print(eval(sys.argv[2]))' "$tmp/gate.xml" "$1"; }
mkdir -p "$tmp/w/nets/deep/.hidden" && cd "$tmp/w" || exit 1
cp "$models/mobilenet_v1_025_96.json" nets/mobile.json
cp "$models/two_tiers.json" nets/deep/tiers.json
cp "$models/example1.json" nets/deep/.hidden/no.json
echo 'notes of a person' >nets/notes.txt
more='(.buffers[] | select(.name == "pw_1_out")) |= (.size = 60000 | del(.shape))'

# ---- a baseline ----
refuses 'no baseline' gate base.json nets because 'base.json: there is no baseline; --update writes it'
run gate base.json nets --update -p greedy-by-size
check "it is written: exit 0" exits 0
check "it says so" says '^2 models, the baseline is written anew$'
check "it is JSON" jq -e '.format == "stowage-baseline"' base.json
check "models, sorted, by their path from it" same "$(jq -c '[.models[].model]' base.json)" '["nets/deep/tiers.json","nets/mobile.json",null]'
check "a line for each operator and buffer" same "$(grep -c '^  {"name":' base.json)" \
    $((3 + $(jq -s '[.[] | (.operators, .buffers) | length] | add' nets/mobile.json nets/deep/tiers.json)))
cp base.json first.json
run gate base.json nets --update
check "the same bytes again, with the options that it keeps" cmp base.json first.json
run gate base.json nets
check "all pass" exits 0
run gate base.json
check "without a model all of it" says '^2 models, all pass$'
(cd nets && run gate ../base.json . && check "from another folder" exits 0)
run gate base.json --format json
check "as JSON" json '.passed and ([.models[] | .status] == ["same", "same"]) and (.models[1] | .old == 64512 and .new == 64512)'

# ---- more, less, within ----
cp nets/mobile.json kept.json
jq "$more" kept.json >nets/mobile.json
was=$(peak kept.json) is=$(peak nets/mobile.json)
run gate base.json nets --junit gate.xml --format json
cp "$tmp/out" gate.json
cp gate.xml "$tmp/gate.xml"
check "needs more: exit 1" exits 1
check "it says how much" json ".models[1] | .status == \"more\" and .fails and .old == $was and .new == $is and .change == $((is - was))"
check "its parts add up" json "[.diffs[0].due[].change] | add == $((is - was))"
check "and the first is the growth" json '.diffs[0].due[0].kinds == "size"'
check "JUnit: counts" same "$(xml '[d.getElementsByTagName("testsuite")[0].getAttribute(a) for a in ("tests", "failures", "errors")]')" "['2', '1', '0']"
check "JUnit: which" same "$(xml '[c.getAttribute("name") for c in d.getElementsByTagName("testcase") if c.getElementsByTagName("failure")]')" "['nets/mobile.json']"
check "JUnit: why" same "$(xml '"grew or shrank" in d.getElementsByTagName("failure")[0].firstChild.data')" True
run gate base.json nets -o gate.md
check "Markdown: exit 1" exits 1
check "Markdown: rows" grep -qE '^\| nets/mobile.json +\| +64,512 \| +[0-9,]+ \| +\+[0-9,]+ \| more +\|$' gate.md
check "Markdown: parts" grep -qE '^\| buffers that grew or shrank +\| +\+' gate.md
check "Markdown: a picture of the model that fails" grep -qF '](gate-1.svg)' gate.md
check "which is there, and alone" same "$(echo gate-*)" gate-1.svg
check "it is whole, and shows both sides" grep -q 'pw_1_out' gate-1.svg
check "it is XML" python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' gate-1.svg
rm gate.md gate-1.svg
run gate base.json nets --tolerance $((is - was)) -o gate.md
check "none of a model that passes" same "$(echo gate-*)" 'gate-*'
run gate base.json nets -o /dev/full --format md
check "none beside what is no .md" same "$(echo gate-*)" 'gate-*'
ln -s /dev/full full.md
run gate base.json nets -o full.md
check "a full disk leaves no picture" same "$(echo full-*)" 'full-*'
jq "$more" kept.json >gate-1.svg
refuses 'a picture over a model' gate base.json nets gate-1.svg -o gate.md because '.*gate-1.svg'
rm gate-1.svg gate.md full.md
cp nets/mobile.json nets/again.json
run gate base.json nets/again.json --update -p greedy-by-size
jq '(.buffers[] | .size) = 200000' kept.json >nets/again.json
run gate base.json nets -o gate.md
check "two that fail have two" same "$(echo gate-*)" 'gate-1.svg gate-2.svg'
check "in the order of the report" same "$(grep -oE '^### .*|gate-[0-9]' gate.md | tr '\n' ' ')" '### nets/again.json gate-1 ### nets/mobile.json gate-2 '
rm gate* nets/again.json
cp first.json base.json
run gate base.json nets --tolerance $((is - was))
check "just allowed" exits 0
run gate base.json nets --tolerance $((is - was - 1))
check "a byte less" exits 1
run gate base.json nets --tolerance 50%
check "a percentage" exits 0
check "it is told all the same" says 'within the tolerance$'
run gate base.json nets --tolerance 1%
check "too small a one" exits 1
run gate base.json nets/deep
check "the other model alone" exits 0
run gate base.json nets -p best-fit --format json
check "another planner is a part" json '[.diffs[0].due[].kinds] | index("planner") != null'
cp kept.json nets/mobile.json
run gate base.json nets -p best-fit
check "less passes" exits 0
check "and is told" says 'mobile.json +64,512 +55,296 +-9,216  less$'
# A planner that has changed since: the model is the same, and the peak was another.
sed 's/"peak":64512/"peak":60000/' first.json >drift.json
run gate drift.json nets --format json
check "the planner alone" json '.diffs[0].due == [{"kinds": "planner", "change": 4512, "bound": 0}]'

# ---- several memories ----
jq '(.buffers[] | select(.name == "y") | .size) = 30' nets/deep/tiers.json >x && mv x nets/deep/tiers.json
is=$("$STOWAGE" plan nets/deep/tiers.json -p greedy-by-size --format json | jq '.tiers[0].peak')
run gate base.json nets --format json
check "of several memories the one that needs more" json ".models[0] | .measure == \"peak of sram\" and .old == 70 and .new == $is and .new > 70 and .fails"
check "and its parts" json "[.diffs[0].due[].change] | add == $is - 70"
cp "$models/two_tiers.json" nets/deep/tiers.json

# ---- new, gone, broken ----
cp "$models/example1.json" nets/one.json
run gate base.json nets
check "new: exit 1" exits 1
check "new: what to do" says '^nets/one.json: it is not in the baseline; --update puts it there$'
run gate base.json nets/one.json --update
check "one model more" same "$(jq -c '[.models[].model]' base.json)" '["nets/deep/tiers.json","nets/mobile.json","nets/one.json",null]'
check "and no other line is another" same "$(diff first.json base.json | grep -c '^<')" 0
rm nets/one.json
run gate base.json nets
check "gone: exit 1" exits 1
check "gone: what to do" says 'nets/one.json: it is in the baseline, and there is no such file; --update takes it out$'
run gate base.json nets --update
check "taken out" cmp base.json first.json
echo '{"operators":[' >nets/mobile.json
run gate base.json nets --junit gate.xml
cp gate.xml "$tmp/gate.xml"
check "broken: exit 2" exits 2
check "broken: one line" complains 'nets/mobile.json:.*'
check "broken: the report is there" says 'nets/mobile.json .*error$'
check "JUnit: an error" same "$(xml 'd.getElementsByTagName("testsuite")[0].getAttribute("errors")')" 1
run gate base.json nets --update
check "nothing is written then" cmp base.json first.json
cp kept.json nets/mobile.json
run gate base.json nets --update --capacity 1K
check "no plan: exit 1" exits 1
check "no plan: nothing is written" cmp base.json first.json

# ---- merges line by line ----
git init -q merge && cd merge || exit 1
git config user.name t && git config user.email t@t && git config commit.gpgsign false
cp -r ../nets ../base.json . && git add . && git commit -qm base
git checkout -qb left
cp "$models/example1.json" nets/aaa.json && "$STOWAGE" gate base.json nets --update >/dev/null && git add . && git commit -qm left
git checkout -q - && git checkout -qb right
jq "$more" ../kept.json >nets/mobile.json && "$STOWAGE" gate base.json nets --update >/dev/null && git add . && git commit -qm right
check "two branches merge" git merge -q left -m merged
run gate base.json nets
check "and the merged baseline holds" exits 0

# ---- the hook ----
PATH=$(dirname "$STOWAGE"):$PATH
mkdir -p .git/hooks && cp "$SOURCE/scripts/ci/pre-commit" .git/hooks/
git config stowage.baseline base.json
jq '(.buffers[] | select(.name == "pw_1_out") | .size) = 90000' nets/mobile.json >x && mv x nets/mobile.json
git commit -qm unstaged --allow-empty >"$tmp/out" 2>"$tmp/err"
check "the hook looks at what is staged" same $? 0
git add nets
git commit -qm staged >"$tmp/out" 2>"$tmp/err"
check "a commit that needs more is refused" [ $? -ne 0 ]
check "with the parts" grep -q 'buffers that grew or shrank' "$tmp/err"
git config stowage.tolerance 200%
git commit -qm tolerated >"$tmp/out" 2>"$tmp/err"
check "unless that is tolerated" same $? 0
git config --unset stowage.tolerance
git config stowage.models nets
"$STOWAGE" gate base.json nets --update >/dev/null && git add base.json && git commit -qm meant >"$tmp/out" 2>"$tmp/err"
check "or meant" same $? 0
cp "$models/example2.json" nets/new.json && git add nets && git commit -qm new >"$tmp/out" 2>"$tmp/err"
check "a new model in the folder is not in the baseline" [ $? -ne 0 ]
git config stowage.baseline none.json
git commit -qm none >"$tmp/out" 2>"$tmp/err"
check "no baseline" grep -q 'no baseline none.json' "$tmp/err"
cd .. || exit 1

# ---- the workflow: its step as a server runs it ----
step() { sed -n '/- name: '"$1"'$/,/^      - uses/ { /^          /p }' "$SOURCE/scripts/ci/memory.yml" | sed 's/^          //'; }
check "there is a step" [ "$(step gate | wc -l)" -ge 4 ]
gate_step() {
    BASELINE=base.json MODELS=nets TOLERANCE=0 GITHUB_STEP_SUMMARY=summary bash --noprofile --norc -eo pipefail <(step gate) >"$tmp/out" 2>"$tmp/err"
}
gate_step
check "the step passes" same $? 0
check "with a summary" grep -q '^## Memory: 2 models, all pass' summary
jq "$more" kept.json >nets/mobile.json
gate_step
check "the step fails" same $? 1
check "with the parts in the summary" grep -q 'buffers that grew or shrank' summary
check "and what is kept of it" [ -s memory.md -a -s memory.xml ]
python3 -c 'import yaml' 2>/dev/null && check "it is YAML" python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$SOURCE/scripts/ci/memory.yml"
cp kept.json nets/mobile.json

# ---- options that name files ----
mkdir -p place/conf elsewhere && cp nets/deep/tiers.json place/net.json
jq '{tiers: .tiers}' place/net.json >place/conf/t.json
run gate place/base.json place/net.json --update --tiers place/conf/t.json --actions swap -p tier-search
check "a file is kept by its path from the baseline" same "$(jq -r '.models[0].options | join(" ")' place/base.json)" 'tiers=conf/t.json actions=swap planner=tier-search'
cp place/base.json place/first.json
(cd elsewhere && run gate ../place/base.json --update && check "it is found from another folder" exits 0)
check "and kept by the same path" cmp place/base.json place/first.json
mv place moved
run gate moved/base.json
check "and where all has moved to" exits 0
rm moved/conf/t.json
run gate moved/base.json
check "a file that is not there: exit 2" exits 2
check "it is named" complains '.*conf/t.json.*'

# ---- wrong input, hostile names, full disks ----
refuses 'a tolerance' gate base.json nets --tolerance -1 because '--tolerance -1: expected a number of bytes, or a percentage'
refuses 'a tolerance of nonsense' gate base.json nets --tolerance 5x% because '--tolerance'
run gate base.json nets/none.json --format csv
check "no such model: exit 2" exits 2
check "no such model: one line" complains 'nets/none.json: cannot open'
check "no such model: a row" says '^nets/none.json,,,,error$'
refuses 'standard input' gate base.json - because 'a gate is for files'
refuses 'a baseline that is none' gate nets/mobile.json nets because 'nets/mobile.json:.*'
refuses 'a baseline from standard input' gate - nets because 'a baseline is a file'
echo '{"format":"stowage-baseline","version":1,"models":[{"model":"x","options":["planner"],"tiers":[],"graph":{}}]}' >bad.json
refuses 'an option of a baseline' gate bad.json because 'bad.json:1:.*expected an option of a run'
echo '{"format":"stowage-baseline","version":1,"models":[{"model":"nets/mobile.json","options":["output=/etc/passwd"],"tiers":[],"graph":{}}]}' >bad.json
refuses 'no option that writes' gate bad.json because '.*expected an option of a run'
echo '{"format":"stowage-baseline","version":2,"models":[]}' >bad.json
refuses 'another version' gate bad.json because 'bad.json:.*no baseline of stowage'
head -c 700 base.json >bad.json
refuses 'a baseline cut short' gate bad.json because 'bad.json:.*'
mkdir -p "abyss/$(printf 'd/%.0s' {1..70})"
refuses 'folders that go too deep' gate base.json abyss because 'abyss/(d/){64}d: this folder lies too deep'
mkdir empty && echo x >empty/notes.txt
refuses 'a folder without models' gate base.json empty because 'no model is there'
refuses 'a report over a model' gate base.json nets -o nets/mobile.json because '.*nets/mobile.json'
refuses 'JUnit over the baseline' gate base.json nets --junit base.json because '.*base.json'
check "all is as it was" cmp base.json first.json
run gate base.json nets --junit /dev/full
check "a full disk" exits 2
"$STOWAGE" gate base.json nets >/dev/full 2>"$tmp/err"
check "a full disk for the report" same $? 2
name=$'nets/<b>"&\e[31m.json'
jq "$more" kept.json >"$name"
cp kept.json nets/x.json
worse=$'nets/]]>\x01\uffff\ufffe\u202e\'\n--><![CDATA[.json'
cp kept.json "$worse"
run gate names.json nets --update
check "a hostile name is kept" jq -e '[.models[].model] | any(. != null and test("<b>"))' names.json
jq '(.buffers[] | .size) = 200000' kept.json >"$name"
cp "$name" "$worse"
run gate names.json nets --junit gate.xml
cp gate.xml "$tmp/gate.xml"
check "every model has its case" same "$(xml 'd.getElementsByTagName("testcase").length')" 5
check "and its XML is whole" same "$(xml 'd.getElementsByTagName("failure").length')" 2
rm "$worse"
cp kept.json $'nets/\xff.json'
run gate names.json nets --junit gate.xml
cp gate.xml "$tmp/gate.xml"
check "a name that is not UTF-8: exit 2" exits 2
check "it says so" complains '.*its name is not UTF-8, and a baseline is'
check "and JUnit's XML is whole" same "$(xml 'd.getElementsByTagName("error").length')" 1
check "nothing acts on a terminal" [ "$(grep -c $'\e' "$tmp/out")" -eq 0 ]

cd / && finish
