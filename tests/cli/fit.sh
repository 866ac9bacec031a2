#!/usr/bin/env bash
# stowage fit: which regions of a model in strips make it need less, and the changed model.
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
check "csv: the heads" says '^arena,head,tail,multiply-adds,operators,regions in strips$'

run fit two.json --capacity 10000 --format json
check "a capacity: it fits" json '.fits and .chosen.arena <= 10000'
check "a capacity: the cheapest" json ".chosen.multiply_adds <= $(jq '[.front[] | select(.arena <= 10000) | .multiply_adds] | min' first.json)"
run fit two.json --capacity 20000
check "a capacity: as it is" says '^It fits as it is\.$'
run fit two.json --capacity 1000
check "too small: exit 1" exits 1
check "too small: how much at least" says 'the arena is at least [0-9,]+ B\.$'
sed 's/"name":"two",/"name":"two","tiers":[{"name":"sram","capacity":10000}],/' two.json >bounded.json
run fit bounded.json --format json
check "a capacity in the file: it fits" json '.fits and .capacity == 10000 and .chosen.head <= 10000'
run fit bounded.json --capacity 1000
check "the option comes before the file" exits 1
run fit two.json --max-macs 1 --format json
check "no more work" json '.as_is.multiply_adds as $own | all(.front[]; .multiply_adds <= $own)'
run fit two.json --max-operators 9 --format json
check "few operators" json 'all(.front[]; .operators <= 9)'
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
check "no work: that it was stopped is said" says '^stopped: what was not looked at may be better$'
refuses "what is no model and no table" fit two.json -o two.cc because '-o two.cc: fit writes models as .tflite, pictures as .svg, .png or .pdf, and what it prints as .txt, .csv, .json or .md'
check "nothing is written there" test ! -e two.cc

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
refuses "a view that there is not" fit two.json --view fronts -o map.svg because "there is no view 'fronts'; there are: .*"
refuses "a view without a picture" fit two.json --view front because '--view is about a picture: name one with -o, OUT.svg, .png or .pdf'
refuses "a view of a model" fit two.json --view front -o two.tflite because '--view is about a picture: name one with -o, OUT.svg, .png or .pdf'
refuses "--dpi of a drawing" fit two.json --dpi 100 -o map.svg because '.*--dpi is for PNG: this picture has no pixels'
check "nothing is drawn" test ! -e map.svg

refuses "--max-macs 0.5" fit two.json --max-macs 0.5 because '--max-macs 0.5: expected a number from 1'
refuses "--max-operators 0" fit two.json --max-operators 0 because '--max-operators 0: expected a number from 1'
refuses "a graph is no model to write" fit two.json -o two.tflite because '.*'
check "nothing is written" test ! -e two.tflite
run fit "$models/example1.json"
check "nothing to cut" says '^No cut into strips of rows that was looked at needs less\.$'

# ---- TensorFlow Lite: the changed model reads back with the plan that was promised ----
"$BUILD/tests/fit/fit_networks" . 1 12 >digests 2>err
check "networks" test -s 12.tflite
fitted=0
for number in $(seq 12); do
    "$STOWAGE" fit $number.tflite --format json >$number.json 2>/dev/null
    if "$STOWAGE" fit $number.tflite -o fitted.tflite >out 2>err; then
        fitted=$((fitted + 1))
        check "network $number: the head that was promised" same "$("$STOWAGE" plan fitted.tflite -p as-built --format json | jq .peak)" "$(jq .chosen.head $number.json)"
        check "network $number: the arena that is printed" same "$("$STOWAGE" plan fitted.tflite -p as-built | sed -n 's/.*whole arena.* \([0-9,]* B\) .*/\1/p')" \
            "$(sed -n '/least arena/,$s/^ *arena *\([^;]*B\)$/\1/p' out)"
        run check fitted.tflite fitted.tflite
        check "network $number: valid" says ': valid, '
        cp fitted.tflite once.tflite
        "$STOWAGE" fit $number.tflite -o fitted.tflite >/dev/null 2>&1
        check "network $number: the same bytes twice" cmp fitted.tflite once.tflite
        refuses "network $number: a plan is in it already" fit fitted.tflite -o again.tflite because 'fitted.tflite: the model holds a plan for the operators that it has: fit the model without one'
        cp $number.tflite copy.tflite
        refuses "network $number: the model itself stays" fit copy.tflite -o copy.tflite because 'copy.tflite is what is open here; it is not written over'
        rm -f fitted.tflite
    else
        check "network $number: nothing to gain, and why" complains 'fitted.tflite: nothing is written: no change makes it need less'
        check "network $number: nothing is written" test ! -e fitted.tflite
    fi
done
# ---- what was found without a capacity is found with one, though it costs more of the tail ----
heads=0
for number in $(seq 12); do
    for head in $("$STOWAGE" fit $number.tflite --capacity-of head --format json | jq '.front[].head' | head -4); do
        heads=$((heads + 1))
        run fit $number.tflite --capacity $head --capacity-of head --format json
        check "network $number, a head of $head" json ".fits and .chosen.head <= $head"
    done
done
check "some heads" test "$heads" -ge 12
check "some networks need less" test "$fitted" -ge 3
finish
