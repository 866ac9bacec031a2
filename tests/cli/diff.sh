#!/usr/bin/env bash
# stowage diff: what a change of the peak is due to, against models with one change made after the other; options of a
# side; new names.
. "$(dirname "$0")/lib.bash"
model=$models/mobilenet_v1_025_96.json
peak() { "$STOWAGE" plan "$1" -p "${2:-greedy-by-size}" --format json | jq .peak; }
# edit OUT IN FILTER
edit() { jq "$3" "$2" >"$1"; }

# ---- each kind alone, and all together ----
went='del(.buffers[] | select(.name == "extra")) | .operators |= map(if .scratch then .scratch -= ["extra"] else . end)'
grew='(.buffers[] | select(.name == "pw_1_out") | .size) = 50000 | del(.buffers[] | select(.name == "pw_1_out") | .shape)'
came='.buffers += [{"name": "fresh", "kind": "scratch", "size": 60000}] | (.operators[] | select(.name == "dw_1")) |= (.scratch += ["fresh"])'
lives='(.operators[] | select(.name == "pw_3")) |= (.inputs += ["conv_1_out"])'
order='.buffers |= [.[1], .[0]] + .[2:]'
rest='(.buffers[] | select(.name == "dw_2_out")) |= (.alignment = 65536)'
edit "$tmp/0.json" "$model" '.buffers += [{"name": "extra", "kind": "scratch", "size": 40000}] | (.operators[] | select(.name == "dw_1")) |= (.scratch += ["extra"])'
steps=("$went" "$grew" "$came" "$lives" "$order" "$rest")
kinds=(went size came lifetime order other)
expected= i=0
for step in "${steps[@]}"; do
    edit "$tmp/$((i + 1)).json" "$tmp/$i.json" "$step"
    expected+="${kinds[i]} $(($(peak "$tmp/$((i + 1)).json") - $(peak "$tmp/$i.json")))"$'\n'
    edit "$tmp/alone.json" "$tmp/0.json" "$step"
    run diff "$tmp/0.json" "$tmp/alone.json" -p greedy-by-size --format json
    check "${kinds[i]} alone is all" same "$(jq -c '[.due[].kinds]' "$tmp/out")" "[\"${kinds[i]}\"]"
    check "${kinds[i]} alone is the difference" json '(.due | map(.change) | add) == .new.peak - .old.peak'
    i=$((i + 1))
done
expected+="planner $(($(peak "$tmp/6.json" best-fit) - $(peak "$tmp/6.json")))"
run diff "$tmp/0.json" "$tmp/6.json" --old-planner greedy-by-size --new-planner best-fit --format json
check "the parts are those of one change after the other" same "$(jq -r '.due[] | "\(.kinds) \(.change)"' "$tmp/out")" "$expected"
check "they add up" json '(.due | map(.change) | add) == .new.peak - .old.peak'
check "so do those of the bound" json '(.due | map(.bound) | add) == .new.lower_bound - .old.lower_bound'
check "more than one is not zero" json '[.due[] | select(.change != 0)] | length > 2'
run diff "$tmp/0.json" "$tmp/6.json" -p greedy-by-size
check "as text" says '^  buffers that grew or shrank +[-+][0-9,]+ '
check "the same planner is not told" says "^$tmp/0.json -> $tmp/6.json\$"
check "figures have separators" same "$(sed '/:$/d; /^[^ ]/d' "$tmp/out" | grep -cE '[0-9]{4}')" 0
check "no row is too wide" [ "$(sed -n '/^what the change/,/^$/p' "$tmp/out" | wc -L)" -le 80 ]
run diff "$model" "$model" --old-planner greedy-by-size --new-planner best-fit
check "two planners of one model are told" says "^$model, greedy-by-size -> best-fit\$"
check "what only moved" says '^5 buffers moved; the new one needs 9,216 B less \(peak\)$'
check "no line is too wide" [ "$(sed 1d "$tmp/out" | wc -L)" -le 80 ]
run diff "$tmp/0.json" "$tmp/6.json" --old-planner greedy-by-size --new-planner best-fit
check "of two models, too" says "^$tmp/0.json, greedy-by-size -> $tmp/6.json, best-fit\$"
run diff "$tmp/0.json" "$tmp/6.json" -p greedy-by-size --format csv
check "as CSV" says '^due,lifetime,,[-+]?[0-9]+$'
run diff "$model" "$model" --format json
check "nothing changed, and there is no part" json '.due == []'

# ---- plans, of which no planner can be asked again ----
"$STOWAGE" plan "$tmp/0.json" -p greedy-by-size -o "$tmp/0.csv"
"$STOWAGE" plan "$tmp/4.json" -p best-fit -o "$tmp/4.csv"
run diff "$tmp/0.csv" "$tmp/4.csv" --format json
check "plans: by the bound" json '.due_by == "bound" and ([.due[] | select(.kinds != "planner") | .change] | add) == .new.lower_bound - .old.lower_bound'
check "plans: the parts add up" json '(.due | map(.change) | add) == .new.peak - .old.peak'
run diff "$tmp/0.csv" "$tmp/4.csv"
check "plans: it is said" says 'The parts of the model are those of its lower bound'

# ---- new names ----
renamed='walk(if type == "object" then with_entries(if (.key | IN("name", "inputs", "outputs", "scratch")) then .value |= (if type == "array" then map("n_" + .) else "n_" + . end) else . end) else . end)'
edit "$tmp/renamed.json" "$model" "$renamed"
run diff "$model" "$tmp/renamed.json" -p greedy-by-size --format json
check "other names are no change" json '.changes == [] and .due == [] and (.renamed | length) == .old.buffers'
check "and the runs do not part" json '.parting == null'
run diff "$model" "$tmp/renamed.json" -p greedy-by-size
check "they are counted" says '^32 buffers under another name, matched by place and size$'
edit "$tmp/renamed_grown.json" "$tmp/renamed.json" '.operators |= [.[0], {"name": "more", "kind": "relu", "inputs": ["n_conv_1_out"], "outputs": ["more_out"]}] + .[1:] | .buffers += [{"name": "more_out", "size": 77}]'
run diff "$model" "$tmp/renamed_grown.json" -p greedy-by-size --format json
check "one more among other names" json '[.changes[] | select(.change == "came") | .buffer] == ["more_out"] and ([.changes[] | select(.change == "went")] == []) and (.renamed | length) == 32'

# ---- options of a side ----
run diff "$models/gpt_decoder.lua" "$models/gpt_decoder.lua" -p greedy-by-size --old-arg layers=1 --new-arg layers=2 --format json
check "an argument of each side" json '.new.buffers > .old.buffers and ([.due[].kinds] | index("planner")) == null'
run diff "$model" "$model" -p first-fit --new-planner greedy-by-size --format json
check "the side's own is stronger" json "[.due[].kinds] == [\"planner\"] and .old.peak == $(peak "$model" first-fit) and .new.peak == $(peak "$model")"
run diff "$model" "$model" -p random-order --set evaluations=3 --new-set evaluations=4 --old-seed 2 --new-seed 2 --format json
check "one setting of a side" exits 0
run diff "$model" "$model" -p first-fit --new-inplace safe -o "$tmp/p.svg"
check "a picture says them" grep -q 'new-inplace safe' "$tmp/p.svg"
refuses 'a wrong value' diff "$model" "$model" --new-seed x because '--new-seed x: expected a number'
refuses 'an option twice' diff "$model" "$model" --new-seed 1 --new-seed 2 because 'option --new-seed is given twice'
refuses 'of no side' diff "$model" "$model" --new-format md because "unknown option --new-format"
refuses 'of another command' plan "$model" --new-planner first-fit because 'option --new-planner does not belong to plan'
refuses 'nearly one' diff "$model" "$model" --new-plannr first-fit because 'unknown option --new-plannr; did you mean --new-planner\?'
refuses 'a planner that is none' diff "$model" "$model" --old-planner nonsense because ".*nonsense"
refuses 'a setting of another planner' diff "$model" "$model" --new-planner first-fit --new-set evaluations=3 because ".*evaluations"

# ---- Markdown with a picture ----
mkdir "$tmp/md"
(cd "$tmp/md" && "$STOWAGE" diff ../0.json ../6.json -p greedy-by-size -o 'my change.md')
check "Markdown and a picture beside it" same "$(ls "$tmp/md")" $'my change.md\nmy change.svg'
check "the picture is shown" grep -qF '![the old and the new layout](my%20change.svg)' "$tmp/md/my change.md"
check "the parts are shown" grep -qE '^\| buffers that grew or shrank +\| +[-+0-9,]+ \| .*[■□]+ \|$' "$tmp/md/my change.md"
check "it is a picture" grep -q '^<svg' <(tail -n +1 "$tmp/md/my change.svg" | grep -o '<svg')
cp "$tmp/6.json" "$tmp/md/x.svg"
refuses 'the picture is not written over an input' diff "$tmp/0.json" "$tmp/md/x.svg" -o "$tmp/md/x.md" because '.*x.svg'
check "nothing was written" [ ! -e "$tmp/md/x.md" ]
run diff "$tmp/0.json" "$tmp/6.json" -o "$tmp/nowhere/x.md"
check "no such folder: exit 2" exits 2
"$STOWAGE" diff "$tmp/0.json" "$tmp/6.json" --format md >/dev/full 2>"$tmp/err"
check "a full disk" same $? 2

finish
