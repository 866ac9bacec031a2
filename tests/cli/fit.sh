#!/usr/bin/env bash
# stowage fit: which moves make a model need less, and the changed model.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# ---- a model as JSON: two convolutions with windows, the middle tensor is large ----
cat >two.json <<'EOF'
{"format":"stowage-graph","version":1,"name":"two",
 "operators":[
  {"name":"a","kind":"conv_2d","inputs":["x"],"outputs":["m"],"window":{"kernel":[1,1]},"macs":65536},
  {"name":"b","kind":"conv_2d","inputs":["m"],"outputs":["y"],"window":{"kernel":[3,3],"pad":[1,1,1,1]},"macs":589824},
  {"name":"c","kind":"reshape","inputs":["y"],"outputs":["z"]}],
 "buffers":[
  {"name":"x","kind":"input","dtype":"int8","shape":[1,16,16,4]},
  {"name":"m","dtype":"int8","shape":[1,16,16,64]},
  {"name":"y","dtype":"int8","shape":[1,16,16,4]},
  {"name":"z","kind":"output","dtype":"int8","shape":[1,1024]}]}
EOF
run fit two.json --format json
check "exit 0" exits 0
check "as it is: x and m" json '.as_is.head == 17408 and .as_is.regions == []'
check "the chosen one needs less" json '.chosen.head < 8000 and .chosen.arena == .chosen.head and .fits'
check "a is cut with b" json '.chosen.regions | length == 1 and .[0].first == "a" and .[0].last == "b" and .[0].strips > 2'
check "no plan is below its bound" json 'all(.front[]; .head >= .bound)'
check "the least is a bound of all" json '.least as $least | all(.front[]; .bound >= $least)'
check "less memory costs more work" json '[.front[] | [.arena, .multiply_adds]] as $f | all(range(1; $f | length); $f[.][0] > $f[. - 1][0] and $f[.][1] < $f[. - 1][1])'
check "what cannot be cut" json '.not_cut | length == 1 and .[0].operator == "c" and .[0].reason == "it has no window"'
cp out first.json
run fit two.json --format json
check "the same bytes twice" cmp out first.json
run fit two.json
check "text" says '^as it is: arena 17,408 B, head 17,408 B$'
check "text: the cut" says 'a to b in [0-9]+ strips'
check "text: what cannot be cut" says '^Not cut: c \(it has no window\)\.$'
run fit two.json --format csv
check "csv: the heads" says '^arena,head,tail,multiply-adds,operators,moves$'

run fit two.json --capacity 10000 --format json
check "a capacity: it fits" json '.fits and .chosen.arena <= 10000'
check "a capacity: the cheapest" json ".chosen.multiply_adds <= $(jq '[.front[] | select(.arena <= 10000) | .multiply_adds] | min' first.json)"
run fit two.json --capacity 20000
check "a capacity: as it is" says '^It fits as it is\.$'
run fit two.json --capacity 1000
check "too small: exit 1" exits 1
check "too small: how much at least, where and why" says \
    '^It cannot be done with these moves: the arena is at least [0-9,]+ B, at [ab]( to b)?, because [0-9,]+ B are alive there whichever of the [0-9]+ cuts that were looked at are taken together\.$'
sed 's/"name":"two",/"name":"two","tiers":[{"name":"sram","capacity":10000}],/' two.json >bounded.json
run fit bounded.json --format json
check "a capacity in the file: it fits" json '.fits and .capacity == 10000 and .chosen.head <= 10000'
run fit bounded.json --capacity 1000
check "the option comes before the file" exits 1
run fit two.json --max-macs 1 --format json
check "no more work" json '.as_is.multiply_adds as $own | all(.front[]; .multiply_adds <= $own)'
run fit two.json --max-operators 9 --format json
check "few operators" json 'all(.front[]; .operators <= 9)'
# A table has no operators: nothing can be changed, and no operator is named as the obstacle.
printf 'id,lower,upper,size\na,1,4,500\nb,2,6,600\n' >table.csv
run fit table.csv --capacity 1000
check "no operators: exit 1" exits 1
check "no operators: said" says '^It does not fit into 1,000 B, and without operators there is nothing to change\.$'
run fit table.csv --capacity 1000 --format json
check "no operators: no least" json '.least == null and (has("least_at") | not) and (.fits | not)'

# Lifetimes of a table are those that it gives: buffers one after the other share their bytes.
printf 'id,lower,upper,size\na,0,2,1024\nb,2,4,1024\nc,4,6,1024\n' >table.csv
run plan table.csv --format json
peak=$(jq .peak "$tmp/out")
run fit table.csv --capacity 1500 --format json
check "no operators: the plan's own peak" json ".as_is.head == $peak and .fits"
run fit table.csv
check "no operators: as text" says "head 1,024 B"

# ---- what is small is what is asked for: a capacity of the head, and of the arena ----
for of in head arena; do
    last=false
    for capacity in 4000 6000 8000 10000 14000 17000 18000; do
        run fit two.json --capacity $capacity $([ $of = arena ] || echo --capacity-of head) --format json
        check "$capacity of the $of: what fits lies within" json "(.fits | not) or .chosen.head <= $capacity"
        check "$capacity of the $of: what fitted before fits with more" json ".fits or ($last | not)"
        check "$capacity of the $of: nothing below the least" json "(.fits | not) or .least <= $capacity"
        last=$(jq .fits out)
    done
done

# ---- graphs that are not what they say, or say more ----
changed() { # NAME FILTER REASON: none of the model's regions is cut, and this is why
    jq "$2" two.json >changed.json
    run fit changed.json --format json
    check "$1: exit 0" exits 0
    check "$1: nothing is cut" json '.front == [] and .chosen.regions == []'
    check "$1: why" json ".not_cut | map(.reason) | any(. == \"$3\")"
}
changed "a window of another result" '.operators[0].window.stride = [2, 2]' "its window does not make its result of its arguments"
changed "padding that is not there" '.operators[1].window.pad = [1, 1, 1, 0]' "its window does not make its result of its arguments"
changed "a window beyond all rows" '.operators[1].window.kernel = [1048576, 1]' "its window does not make its result of its arguments"
changed "an argument of one row" '.operators[0].inputs = ["x", "w"] | .buffers += [{"name": "w", "kind": "input", "dtype": "int8", "shape": [1, 1, 1, 4]}]' \
    "its window does not make its result of its arguments"
changed "a workspace" '.operators[0].scratch = ["s"] | .operators[1].scratch = ["s"] | .buffers += [{"name": "s", "size": 16}]' \
    "it has a workspace, which may be another one for a strip"
jq '.overlays = [{"of": "m", "name": "part", "lo": 0, "hi": 64}]' two.json >changed.json
run fit changed.json --format json
check "a part of what would be gone: no region over it" json 'all(.front[].regions[]; .first == .last)'
jq '.operators[1].name = ("b" * 3000) | .buffers[1].name = ("m" * 3000) | .operators[0].outputs = ["m" * 3000] | .operators[1].inputs = ["m" * 3000]' two.json >changed.json
run fit changed.json --format json
check "names of 3,000 bytes: as small as with short ones" json ".chosen.head == $(jq .chosen.head first.json)"
run fit two.json --work 1
check "no work: that it was stopped is said" says '^stopped: models that were not looked at may need less$'
refuses "what is no model and no table" fit two.json -o two.h because '-o two.h: fit writes models as .tflite, .cc, .hpp or .onnx, pictures as .svg, .png, .pdf or .html, and what it prints as .txt, .csv, .json or .md'
check "nothing is written there" test ! -e two.h
for kind in tflite:TensorFlow cc:TensorFlow cpp:TensorFlow hpp:TensorFlow onnx:ONNX; do
    refuses "a graph is no model: .${kind%:*}" fit two.json -o "two.${kind%:*}" because "two.${kind%:*} is written from an* ${kind#*:}.* model, and two.json is none"
    check "nothing is written: .${kind%:*}" test ! -e "two.${kind%:*}"
    refuses "--format is not of a model: .${kind%:*}" fit two.json -o "two.${kind%:*}" --format json because "--format is of what is printed; -o two.${kind%:*} is the model"
done

# ---- pictures ----
for view in front strips before-after; do
    run fit two.json --view $view -o $view.svg
    check "--view $view: the table is printed beside it" says '^The least arena:$'
    check "--view $view: a picture" grep -q '</svg>' $view.svg
    check "--view $view: what it is of" grep -q 'made to fit' $view.svg
    cp $view.svg once.svg
    "$STOWAGE" fit two.json --view $view -o $view.svg >/dev/null
    check "--view $view: the same bytes twice" cmp $view.svg once.svg
done
run fit two.json --capacity 1 -o misfit.png
check "a picture of what does not fit: exit status 1" test "$status" = 1
check "it is drawn nevertheless" test -s misfit.png
run fit two.json --capacity 1M -o whole.svg
check "what fits as it is: a picture of that" test -s whole.svg
refuses "a view of one run" fit two.json --view layout -o map.svg because '--view layout is of one run of a planner: fit draws front, strips and before-after, export the others'
refuses "a view that there is not" fit two.json --view fronts -o map.svg because "there is no view 'fronts'; did you mean front\?"
refuses "a view without a picture" fit two.json --view front because '--view is about a picture: name one with -o, OUT.svg, .png, .pdf or .html'
refuses "a view of a model" fit two.json --view front -o two.tflite because '--view is about a picture: name one with -o, OUT.svg, .png, .pdf or .html'
refuses "--dpi of a drawing" fit two.json --dpi 100 -o map.svg because '.*--dpi is for PNG: this picture has no pixels'
check "nothing is drawn" test ! -e map.svg

refuses "--max-macs 0.5" fit two.json --max-macs 0.5 because '--max-macs 0.5: expected a number from 1'
refuses "--max-operators 0" fit two.json --max-operators 0 because '--max-operators 0: expected a number from 1'
refuses "a graph is no model to write" fit two.json -o two.tflite because '.*'
check "nothing is written" test ! -e two.tflite
run fit "$models/example1.json"
check "nothing to cut" says '^Nothing that was looked at needs less\.$'

# ---- limits are named where they are why nothing fits ----
run fit two.json --capacity 6000 --max-macs 1.0001 --format json
check "--max-macs is why" json '(.fits | not) and .without.max_macs <= 6000 and (.without | has("max_operators") | not)'
run fit two.json --capacity 6000 --max-macs 1.0001
check "--max-macs is why: text" says '^Without --max-macs 1.0001 the bytes that are alive would allow an arena of [0-9,]+ B\.$'
run fit two.json --capacity 8000 --max-operators 5
check "--max-operators is why" says '^Without --max-operators 5 the bytes that are alive would allow an arena of '
run fit two.json --capacity 8000 --resolver CONV_2D,slice
check "an operator is missing" says '^Missing in --resolver: CONCATENATION(, [A-Z0-9_]+)*; with (it|them) the bytes that are alive would allow an arena of [0-9,]+ B\.$'
run fit two.json --capacity 6000 --max-macs 1.0001 --max-operators 5
check "two limits are why together" says '^Without all of the limits the bytes that are alive would allow an arena of [0-9,]+ B\.$'
run fit two.json --resolver CONV_2D,SLICE,CONCATENATION --format json
check "no padding without PAD" json 'all(.front[].moves[]; .kind != "strips" or .way != "pad") and (.front | length) > 0'
run fit two.json
check "what to add to the resolver" says '^  resolver        SLICE, CONCATENATION'
refuses "--resolver with no operator" fit two.json --resolver SLICE,NOTHING because '--resolver: NOTHING is no operator of TensorFlow Lite: CONV_2D, SLICE, CONCATENATION, ...'
refuses "--resolver with none" fit two.json --resolver SLICE,,PAD because "--resolver: '' is no operator of TensorFlow Lite: .*"
refuses "--moves jumps" fit two.json --moves strips,jumps because '--moves strips,jumps: expected some of strips, order, inplace, recompute and spill, with commas between'
refuses "--max-flash 0" fit two.json --max-flash 0 because '--max-flash 0: expected a number of bytes, from 1'
run fit two.json --moves order --format json
check "no strips unless they may be" json '.front == []'

# ---- order, results over arguments, operators that run again ----
cat >three.json <<'EOF'
{"format":"stowage-graph","version":1,"name":"three",
 "operators":[
  {"name":"w1","kind":"exp","inputs":["x"],"outputs":["p"],"macs":10},
  {"name":"w2","kind":"exp","inputs":["x"],"outputs":["q"],"macs":10},
  {"name":"n1","kind":"sum","inputs":["p"],"outputs":["a"],"macs":10},
  {"name":"n2","kind":"sum","inputs":["q"],"outputs":["b"],"macs":10},
  {"name":"add","kind":"add","inputs":["a","b"],"outputs":["y"],"inplace":[["a","y"],["b","y"]],"macs":10}],
 "buffers":[
  {"name":"x","kind":"input","size":64},{"name":"p","size":4000},{"name":"q","size":4000},
  {"name":"a","size":16},{"name":"b","size":16},{"name":"y","kind":"output","size":16}]}
EOF
run fit three.json --format json
check "another order" json '.chosen.moves | map(.kind) == ["order"] and .[0].effect.head < -3900 and .[0].operators_moved == 1'
check "another order: nothing else changes" json '.chosen.multiply_adds == .as_is.multiply_adds and .chosen.operators == .as_is.operators'
run fit three.json --moves strips,inplace,recompute --format json
check "not unless it may" json '.front == []'
cat >four.json <<'EOF'
{"format":"stowage-graph","version":1,"name":"four",
 "operators":[
  {"name":"wide","kind":"conv","inputs":["x"],"outputs":["w"],"macs":100},
  {"name":"use","kind":"sum","inputs":["w"],"outputs":["s"],"macs":10},
  {"name":"big","kind":"conv","inputs":["s"],"outputs":["m"],"macs":1000},
  {"name":"small","kind":"conv","inputs":["m"],"outputs":["t"],"macs":1000},
  {"name":"relu","kind":"relu","inputs":["w"],"outputs":["r"],"inplace":[["w","r"]],"macs":10},
  {"name":"end","kind":"add","inputs":["r","t"],"outputs":["y"],"macs":10}],
 "buffers":[
  {"name":"x","kind":"input","size":64},{"name":"w","size":4000},{"name":"s","size":16},{"name":"m","size":5000},
  {"name":"t","size":16},{"name":"r","size":4000},{"name":"y","kind":"output","size":16}]}
EOF
run fit four.json --moves inplace,recompute,strips --format json
check "an operator runs again" json '.chosen.moves | any(.kind == "recompute" and .again == "w" and .effect.operators == 1 and .effect.multiply_adds == 100)'
check "a result lies over its argument" json '.chosen.moves | any(.kind == "inplace" and .operator == "relu" and .buffer == "r")'
check "effects come to the difference" json '.as_is as $a | .chosen | ([.moves[].effect.head] | add) == .head - $a.head and ([.moves[].effect.multiply_adds] | add) == .multiply_adds - $a.multiply_adds'
run fit four.json --moves inplace,recompute
check "text: in place" says '^  in place        relu in place: r over w(_again)?$'
check "text: again" says '^  recomputed      wide runs again, for relu$'
run fit four.json --moves inplace --format json
check "in place alone does not help: it is not done" json '.front == []'
run fit four.json --max-macs 1.01 --moves recompute,inplace --format json
check "run again within --max-macs" json '.front == []'

# ---- tensors that wait in another memory ----
cat >tiers.json <<'EOF'
{"tiers":[{"name":"sram","capacity":4000,"bandwidth":1000,"latency":1},{"name":"dram","bandwidth":100,"latency":10}]}
EOF
jq '.operators |= map(select(.name != "relu") | if .name == "end" then .inputs = ["w", "t"] else . end) | .buffers |= map(select(.name != "r"))' four.json >five.json
run fit five.json --tiers tiers.json --capacity 5100 --moves spill --format json
check "spill: it fits" json '.fits and (.chosen.moves | length == 1 and .[0].kind == "spill" and .[0].buffer == "w" and .[0].effect.head < -3900)'
check "spill: bytes out and back, and what that costs" json '.chosen.moved == 8000 and .chosen.cost == 2 * (1 + 4 + 10 + 40)'
run fit five.json --tiers tiers.json --capacity 5100 --moves spill
check "spill: text" says '^  spilled         w waits in another memory after use$'
run fit five.json --tiers tiers.json --capacity 5100 --moves recompute,spill --format json
check "spill: not where another move does it" json '.fits and (.chosen.moves | map(.kind) == ["recompute"])'
run fit five.json --tiers tiers.json --capacity 5000 --moves spill
check "spill: nothing fits" says '^Nothing that was planned fits\. Without tensors in another memory the arena is at least 9,016 B, at big, because 9,016 B are alive there as it is\.$'
refuses "spill: no other memory" fit five.json --moves spill --capacity 5100 because '--moves spill: there is no other memory to move to: name one with --tiers'
jq 'del(.tiers[0].capacity)' tiers.json >unbounded.json
refuses "spill: into what" fit five.json --tiers unbounded.json --moves spill because '--moves spill: tell with --capacity what it has to fit into'

# ---- TensorFlow Lite: the changed model reads back with the plan that was promised ----
"$BUILD/tests/fit/fit_networks" . 1 12 >digests 2>err
check "networks" test -s 12.tflite
fitted=0
for number in $(seq 12); do
    "$STOWAGE" fit $number.tflite --format json >$number.json 2>/dev/null
    if "$STOWAGE" fit $number.tflite -o fitted.tflite >out 2>err; then
        fitted=$((fitted + 1))
        check "network $number: the head that was promised" same "$("$STOWAGE" plan fitted.tflite -p as-built --format json | jq .peak)" "$(jq .chosen.head $number.json)"
        cp out promised
        check "network $number: the arena that is printed" same "$("$STOWAGE" plan fitted.tflite -p as-built | sed -n 's/.*whole arena.* \([0-9,]* B\) .*/\1/p')" \
            "$(sed -n '/least arena/,$s/^ *arena *\([^;]*B\)$/\1/p' out)"
        run check fitted.tflite fitted.tflite
        check "network $number: valid" says ': valid, '
        cp fitted.tflite once.tflite
        "$STOWAGE" fit $number.tflite -o fitted.tflite >/dev/null 2>&1
        check "network $number: the same bytes twice" cmp fitted.tflite once.tflite
        check "network $number: of that no fewer bytes are alive than the plan says" same "$("$STOWAGE" fit fitted.tflite --format json | jq .as_is.bound)" \
            "$("$STOWAGE" plan fitted.tflite -p as-built --format json | jq .lower_bound)"
        run fit fitted.tflite
        check "network $number: a plan is in it already, and what that needs" says "^the plan in the file has a head of $(sed -n '/least arena/,$s/^ *head *\([0-9,]* B\).*/\1/p' promised); the figures here are of plans by fit$"
        refuses "network $number: a plan is in it already" fit fitted.tflite -o again.tflite because 'fitted.tflite: the model holds a plan for the operators that it has: fit the model without one'
        cp $number.tflite copy.tflite
        refuses "network $number: the model itself stays" fit copy.tflite -o copy.tflite because 'copy.tflite is what is open here; it is not written over'
        rm -f fitted.tflite
    else
        check "network $number: nothing to gain, and why" complains 'fitted.tflite: nothing is written: no change makes it need less'
        check "network $number: nothing is written" test ! -e fitted.tflite
    fi
done
# ---- a run of the planner is written like what the command finds ----
for number in $(seq 12); do
    run plan $number.tflite -p fit -o run.tflite
    test "$status" = 0 && "$STOWAGE" plan run.tflite -p as-built >/dev/null 2>&1 && break
done
arena() { sed -n 's/.*whole arena.* \([0-9,]* B\) .*/\1/p'; }
check "planner: the arena that it shows is the file's" same "$("$STOWAGE" plan $number.tflite -p fit | arena)" "$("$STOWAGE" plan run.tflite -p as-built | arena)"
run check run.tflite run.tflite
check "planner: valid" says ': valid, '
printf 'write typed.tflite\n' >keys
run $number.tflite -p fit --script keys --screen 80x24
check "planner: nothing is chosen at the beginning" complains 'keys:1:1: this is no plan: not every block has its place'
check "planner: nothing is written" test ! -e typed.tflite
printf 'key G\nwrite typed.tflite\n' >keys
run $number.tflite -p fit --script keys --screen 80x24
check "planner: what :write writes is the same" cmp typed.tflite run.tflite
run plan $number.tflite -p fit -o run.cc
check "planner: as source" grep -q '^ \* model ' run.cc
refuses "planner: no table has the model" plan $number.tflite -p fit -o run.csv because 'the plan is of a model that fit has changed: it is written with that model, as .tflite or .cc'
refuses "planner: no base" plan $number.tflite -p fit --base 4096 -o run.tflite because 'offsets in a model count from the start of the arena: leave out --base'
# ---- moves that were chosen elsewhere ----
for number in $(seq 12); do
    "$STOWAGE" fit $number.tflite --moves strips --format json 2>/dev/null | jq -e '.chosen.moves | select(length > 0)' >moves.json && break
done
"$STOWAGE" fit $number.tflite --moves strips -o found.tflite >out 2>/dev/null
run fit $number.tflite --take moves.json -o taken.tflite
check "--take: exit 0" exits 0
check "--take: what was found, taken, is the same file" cmp taken.tflite found.tflite
run fit $number.tflite --take moves.json --format json
check "--take: the same figures" json ".chosen.arena == $("$STOWAGE" plan taken.tflite -p as-built | sed -n 's/.*whole arena.* \([0-9,]*\) B .*/\1/p' | tr -d ,)"
jq '.[0].strips = 2 | .[0].kept = [] | .[0].ends = [] | .[0].mode = "halo" | .[0].backwards = false | .[:1]' moves.json >fewer.json
run fit $number.tflite --take fewer.json --capacity-of head --format json
check "--take: another number of strips" json '.chosen.moves[0].strips == 2 and .chosen.moves[0].mode == "halo"'
jq '.[:1] | .[0].padded = [.[0].last] | .[0].mode = "halo" | .[0].kept = []' moves.json >some.json
run fit $number.tflite --take some.json --capacity-of head --format json
check "--take: one operator padded" json '.chosen.moves[0] | .way == "pad" and .padded == [.last]'
jq '.[0].padded = ["nowhere"]' moves.json >wrong.json
refuses "--take: no operator to pad" fit $number.tflite --take wrong.json because 'wrong.json:[0-9]+:[0-9]+: "padded" names operators of the region: number 1 is none'
refuses "--take and --moves" fit $number.tflite --take moves.json --moves strips because '--moves says what to look for, and with --take nothing is looked for'
printf '[{"kind":"strips",\n "first":"nowhere","strips":2}]' >wrong.json
refuses "--take: no such operator" fit $number.tflite --take wrong.json because 'wrong.json:2:10: the model has no operator "nowhere"'
printf '{"kind":"strips"}' >wrong.json
refuses "--take: no list" fit $number.tflite --take wrong.json because 'wrong.json:1:1: moves are a list'
jq '.[0].strips = 1' moves.json >wrong.json
refuses "--take: one strip" fit $number.tflite --take wrong.json because 'wrong.json:[0-9]+:[0-9]+: strips 1 is out of range'
jq '.[0].strips = 100000 | .[0].ends = []' moves.json >wrong.json
refuses "--take: more strips than rows" fit $number.tflite --take wrong.json because '[a-z_0-9]+ cannot be cut so: its [0-9]+ rows are not cut into 100000 strips'
jq '.[0].way = "best"' moves.json >wrong.json
refuses "--take: no such way" fit $number.tflite --take wrong.json because 'wrong.json:[0-9]+:[0-9]+: "way" is one of discard, pad, not "best"'
jq '.[0].kind = "order"' moves.json >wrong.json
refuses "--take: another kind" fit $number.tflite --take wrong.json because 'wrong.json:[0-9]+:[0-9]+: moves that can be given are those of kind "strips": fit looks for the others'
jq '.[0] as $m | [$m, $m]' moves.json >wrong.json
refuses "--take: twice the same" fit $number.tflite --take wrong.json because 'wrong.json:[0-9]+:[0-9]+: two regions have the operator'
# ---- the same as C++ source ----
for number in $(seq 12); do
    "$STOWAGE" fit $number.tflite -o fitted.tflite >out 2>/dev/null && break
done
sed -n '/least arena/,$p' out >printed
for kind in cc cpp hpp; do
    run fit $number.tflite -o fitted.$kind
    check "source, .$kind" exits 0
    check "source, .$kind: the same is printed" same "$(cat printed)" "$(sed -n '/least arena/,$p' out)"
done
check "source: .cpp is .cc" cmp fitted.cpp fitted.cc
check "source: what it needs" grep -q "^ \* head       $("$STOWAGE" plan fitted.tflite -p as-built --format json | jq .peak) bytes$" fitted.hpp
check "source: SLICE and CONCATENATION are for the resolver" grep -q 'resolver.*AddConcatenation.*AddSlice' fitted.cc
if command -v g++ >/dev/null; then
    {
        printf '#include <cstdint>\n#include <cstdio>\n#ifdef HEADER\n#include "fitted.hpp"\n'
        printf 'struct Resolver { /* as MicroMutableOpResolver: 0 when the operator was added */\n    unsigned count = 0;\n'
        grep '^ \* resolver' fitted.hpp | grep -o 'Add[A-Za-z0-9]*' | sed 's/.*/    int &() { count++; return 0; }/'
        printf '};\n#else\nextern const unsigned char g_%s[];\nextern const unsigned int g_%s_len;\n#endif\n' $number $number
        sed "s/NAME/$number/g" <<'EOF'
int main() {
    if (reinterpret_cast<std::uintptr_t>(g_NAME) % 16 != 0) return 1;
#ifdef HEADER
    Resolver resolver;
    if (!add_operators_of_NAME(resolver) || resolver.count != g_NAME_operators || g_NAME_arena < g_NAME_head) return 2;
#endif
    return std::fwrite(g_NAME, 1, g_NAME_len, stdout) == g_NAME_len ? 0 : 3;
}
EOF
    } >main.cc
    for way in "-DHEADER main.cc" "main.cc fitted.cc"; do
        g++ -std=c++17 -Wall -Wextra -Werror $way -o bytes >gcc 2>&1
        check "source: compiles as C++ ($way)" test ! -s gcc
        check "source: an aligned array, and what adds the operators ($way)" sh -c './bytes >bytes.tflite'
        check "source: the bytes of the model ($way)" cmp bytes.tflite fitted.tflite
    done
    # names that no compiler takes as they are: of files, and of tensors
    sed 's,t3,*/,; s,t4,"\\,; s,t5,?/,; s,t6,\xc3\xa9,' $number.tflite >hostile.tflite
    mkdir -p tensorflow/lite/micro/memory_planner
    printf '%s\n' '#include <cstddef>' '#include <cstdint>' 'namespace tflite { struct BufferDescriptor { std::int32_t offset; };' \
        'struct BufferPlan { std::int32_t buffer_count; BufferDescriptor entries[1]; };' \
        'constexpr std::size_t SizeOfBufferPlan(std::int32_t n) { return sizeof(BufferPlan) + sizeof(BufferDescriptor) * (n - 1); } }' \
        >tensorflow/lite/micro/memory_planner/memory_plan_struct.h
    for name in 9a class $'a"b\\*??\n#error' 'über' ''; do
        cp hostile.tflite "$name.tflite"
        for kind in cc hpp; do
            run fit "$name.tflite" -o hostile.$kind
            check "names: fit -o .$kind of $name.tflite" exits 0
        done
        run plan "$name.tflite" -o plan.hpp --even-if-larger
        check "names: a BufferPlan of $name.tflite" exits 0
        printf '#include "hostile.hpp"\n#include "plan.hpp"\n' >names.cc
        g++ -std=c++17 -Wall -Wextra -Werror -I. -fsyntax-only hostile.cc names.cc >gcc 2>&1
        check "names: all of $name.tflite compiles" test ! -s gcc
        rm -f hostile.cc hostile.hpp plan.hpp "$name.tflite"
    done
else
    skip "C++: there is no g++"
fi
run check fitted.cc fitted.cc
check "source: it is the model that it has" says ': valid, '
rm -f fitted.*

# ---- ONNX: the changed model reads back with as many bytes alive ----
"$BUILD/tests/fit/fit_onnx_networks" . 1 40
fitted=0
for number in $(seq 40); do
    "$STOWAGE" fit $number.onnx --format json >$number.json 2>/dev/null
    if "$STOWAGE" fit $number.onnx -o fitted.onnx >out 2>err; then
        fitted=$((fitted + 1))
        bound=$("$STOWAGE" plan fitted.onnx -p first-fit --format json | jq .lower_bound)
        check "ONNX $number: what is promised is alive" test "$bound" -ge "$(jq .chosen.bound $number.json)"
        check "ONNX $number: and it is less than before" test "$bound" -lt "$(jq .as_is.bound $number.json)"
        check "ONNX $number: what a runtime does is said" complains 'fitted.onnx: note: the file has no plan, .* ONNX Runtime copies in Slice and Concat.* [0-9,]+ B are alive at most in the file'
        cp fitted.onnx once.onnx
        "$STOWAGE" fit $number.onnx -o fitted.onnx >/dev/null 2>&1
        check "ONNX $number: the same bytes twice" cmp fitted.onnx once.onnx
        rm -f fitted.onnx
    else
        check "ONNX $number: why not" complains 'fitted.onnx: nothing is written: no change makes it need less'
        check "ONNX $number: nothing is written" test ! -e fitted.onnx
    fi
done
check "some ONNX networks need less" test "$fitted" -ge 2
mkdir -p a/weights b
cp "$SOURCE/tests/fuzz/corpus/onnx/strips_external" a/m.onnx
head -c 164 /dev/zero >a/weights/strips.bin
"$STOWAGE" fit a/m.onnx -o b/fitted.onnx >out 2>err
check "weights beside a model: exit 0" test $? = 0
check "weights beside a model: said" grep -q "fitted.onnx: note: the model's data lie beside it, weights/strips.bin: copied, 164 B" err
check "weights beside a model: brought along" cmp a/weights/strips.bin b/weights/strips.bin
rm a/weights/strips.bin
rm -r b/weights b/fitted.onnx
refuses "weights that are not there" fit a/m.onnx -o b/fitted.onnx because '.*the model has data in a/weights/strips.bin, which cannot go with it: No such file or directory'
check "weights that are not there: nothing is written" test -z "$(ls b)"
cp a/m.onnx copy.onnx
refuses "ONNX: the model itself stays" fit copy.onnx -o copy.onnx because 'copy.onnx is what is open here; it is not written over'
if [ -f "$data/onnx/light_squeezenet.onnx" ]; then
    run fit "$data/onnx/light_squeezenet.onnx" --work 1000 -o squeezenet.onnx
    check "a published model in strips" exits 0
    run plan squeezenet.onnx -p first-fit --format json
    check "needs less than a third" json '.lower_bound < 2000000'
else
    skip "there is no $data/onnx/light_squeezenet.onnx: it is not cut"
fi

# ---- what was found without a capacity is found with one, though it costs more of the tail ----
heads=0
for number in $(seq 12); do
    for head in $("$STOWAGE" fit $number.tflite --capacity-of head --format json | jq '.front[].head' | head -4); do
        heads=$((heads + 1))
        run fit $number.tflite --capacity $head --capacity-of head --format json
        check "network $number, a head of $head" json ".fits and .chosen.head <= $head"
    done
done
# ---- other moves, written ----
"$BUILD/tests/fit/fit_networks" . 1 8 skipping >digests 2>err
again=0
for number in 1 3 6 8; do
    run fit $number.tflite -o moved.tflite
    check "network $number: moves" says '^  (order|in place|recomputed) '
    check "network $number: flash" same "$(sed -n 's/^  flash  *\([0-9,]*\) B more$/\1/p' out | tr -d ,)" $(($(stat -c %s moved.tflite) - $(stat -c %s $number.tflite)))
    grep -q 'runs again' out && again=$((again + 1))
    run check moved.tflite moved.tflite
    check "network $number: valid" says ': valid, '
done
check "some operators run again" test "$again" -ge 2
"$BUILD/tests/fit/fit_networks" . 11 1 skipping >digests 2>err
run fit 11.tflite -o over.tflite
check "results over arguments" says '^  in place        [a-z_0-9]+ in place: t[0-9]+ over t[0-9]+$'
run plan over.tflite -p as-built
check "results over arguments: the plan says so" says "^note: [0-9]+ results? lies? over an argument in the file's plan, so operators may, as with --inplace safe$"
run check over.tflite over.tflite
check "results over arguments: valid" says ': valid, '
run fit 11.tflite --kernels cmsis-nn --format json
check "results over arguments: not with other kernels" json '[.chosen, .front[]] | all(.moves | map(.kind) | index("inplace") | not)'
run fit 11.tflite --kernels cmsis-nn --moves inplace --format json
check "results over arguments: unless asked for" json '.chosen.moves | map(.kind) | index("inplace") != null'
spilled=0
for number in 1 3 6 8; do
    head=$("$STOWAGE" fit $number.tflite --moves order --format json | jq '.chosen.head - 1')
    run fit $number.tflite --tiers tiers.json --capacity $head --capacity-of head --moves order,spill --format json
    if [ "$status" = 0 ] && [ "$(jq .chosen.moved out)" -gt 0 ]; then
        spilled=$((spilled + 1))
        refuses "network $number: spills are not written" fit $number.tflite --tiers tiers.json --capacity $head --capacity-of head --moves order,spill -o spilled.tflite \
            because 'it fits only with tensors that wait in another memory \(spill\), which no interpreter of such a file does: nothing is written'
        check "network $number: nothing is written" test ! -e spilled.tflite
    fi
done
check "some need a spill" test "$spilled" -ge 1
flash=$("$STOWAGE" fit 3.tflite --format json | jq .chosen.flash)
run fit 3.tflite --max-flash $((flash - 1)) -o less.tflite
check "--max-flash: the file is no larger" test $(($(stat -c %s less.tflite) - $(stat -c %s 3.tflite))) -lt "$flash"
check "some heads" test "$heads" -ge 12
check "some networks need less" test "$fitted" -ge 3
# ---- a run that has planned no model yet has no front, and says so ----
for commands in 'pane front' 'step\npane strips' 'step\nstep\npane before-after'; do
    printf "$commands\n" >commands
    run "$SOURCE/tests/golden/models/strips.json" -p fit --script commands --screen 80x24
    check "a search that has begun: ${commands##*pane }" says 'The search for changes has planned no model yet'
done

finish
