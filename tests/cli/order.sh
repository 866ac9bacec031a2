#!/usr/bin/env bash
# Another order of the operators: a file that gives it, what it makes of a model, and what is refused.
. "$(dirname "$0")/lib.bash"
cat >"$tmp/g.json" <<'END'
{"format":"stowage-graph","version":1,"name":"two wide ones","operators":[
 {"name":"x","inputs":["a"],"outputs":["wide x"]},
 {"name":"y","inputs":["a"],"outputs":["wide y"]},
 {"name":"p","inputs":["wide x"],"outputs":["p"]},
 {"name":"q","inputs":["wide y"],"outputs":["q"]},
 {"name":"end","inputs":["p","q"],"outputs":["out"]}],
 "buffers":[{"name":"a","kind":"input","size":10},{"name":"wide x","size":40},{"name":"wide y","size":30},
 {"name":"p","size":1},{"name":"q","size":1},{"name":"out","kind":"output","size":1}]}
END
peak() { jq .lower_bound "$tmp/out"; }
run plan "$tmp/g.json" --format json
check "the program's order: both wide ones are alive at once" same "$(peak)" 80
printf '# the least\nx\np\ny\nq\nend\n' >"$tmp/order"
run plan "$tmp/g.json" --order "$tmp/order" --format json
check "another order: one after the other" same "$(peak)" 51
run convert "$tmp/g.json" --order "$tmp/order" -o "$tmp/h.json"
check "convert: exit 0" exits 0
check "convert: the operators are in that order" same "$(jq -r '[.operators[].name] | join(" ")' "$tmp/h.json")" "x p y q end"
check "convert: nothing else has changed" same "$(jq -S '.operators |= sort_by(.name)' "$tmp/h.json")" \
    "$("$STOWAGE" convert "$tmp/g.json" -o - | jq -S '.operators |= sort_by(.name)')"
run plan "$tmp/h.json" --format json
check "convert: read back" same "$(peak)" 51
for command in "compare $tmp/g.json -p first-fit,best-fit" "export $tmp/g.json -o $tmp/g.svg" "trace $tmp/g.json"; do
    # shellcheck disable=SC2086 # words
    run $command --order "$tmp/order"
    check "$command: takes an order" exits 0
done

# ---- ONNX: the nodes change places, every other byte stays ----
model=$SOURCE/tests/fuzz/corpus/onnx/moves_4
kinds() { "$STOWAGE" convert "$1" -o - | jq -c '[.operators[] | .outputs]'; }
printf 'Flatten_2\nFlatten_0\nFlatten_1\n' >"$tmp/order"
run convert "$model" --order "$tmp/order" -o "$tmp/other.onnx"
check "ONNX: exit 0" exits 0
check "ONNX: as long as it was" same "$(wc -c <"$tmp/other.onnx")" "$(wc -c <"$model")"
check "ONNX: in this order" same "$(kinds "$tmp/other.onnx")" "$(kinds "$model" | jq -c '[.[2], .[0], .[1]]')"
printf '%s\n' Flatten_0 Flatten_1 Flatten_2 >"$tmp/order"
run convert "$model" --order "$tmp/order" -o "$tmp/same.onnx"
check "ONNX in its own order: the same bytes" cmp "$model" "$tmp/same.onnx"
# Nodes that are no operators stay where they are, too.
for name in detector left_out_2 other_values_1; do
    model_of=$SOURCE/tests/fuzz/corpus/onnx/$name
    "$STOWAGE" convert "$model_of" -o - | jq -r '.operators[].name' >"$tmp/order"
    run convert "$model_of" --order "$tmp/order" -o "$tmp/own.onnx"
    check "ONNX, $name in its own order: the same bytes" cmp "$model_of" "$tmp/own.onnx"
done
printf 'x\np\ny\nq\nend\n' >"$tmp/order"
refuses "ONNX from a graph" convert "$tmp/g.json" --order "$tmp/order" -o "$tmp/none.onnx" because \
    "$tmp/none.onnx: g.json is no file of the format onnx, .*"
control=$SOURCE/tests/fuzz/corpus/onnx/bodies_1
printf '%s\n' Concat_3 Relu_1 Exp_2 If_0 Neg_4 >"$tmp/order"
refuses "ONNX: control flow taken apart" convert "$control" --order "$tmp/order" -o "$tmp/none.onnx" because ".*"
printf 'x\np\ny\nq\nend\n' >"$tmp/order"
refuses "ONNX without an order" convert "$model" -o "$tmp/none.onnx" because "$tmp/none.onnx: a file of the format onnx is written only from one of its kind, .*"
check "nothing is written" [ ! -e "$tmp/none.onnx" ]

# ---- sessions and captions ----
printf 'save s.stowage\n' >"$tmp/script"
cd "$tmp" || exit
run g.json --order order --script script --screen 100x20
check "a session names the file" grep -qx "order order" s.stowage
run s.stowage --screen 100x20
check "a session opens in that order" says 'bound 51'
rm order
refuses "its order is missing" s.stowage --screen 100x20 because ".*order.*No such file"

# ---- what is refused ----
refuse() { # NAME LINES PLACE: MESSAGE
    printf '%b' "$2" >"$tmp/order"
    refuses "$1" plan "$tmp/g.json" --order "$tmp/order" because "$tmp/order:$3"
}
refuse "reads before it is written" 'p\nx\ny\nq\nend\n' "1:1: p must run after x: both use wide x"
refuse "one twice" 'x\np\nx\ny\nq\nend\n' "3:1: x is listed twice"
refuse "one twice, behind all" 'x\np\ny\nq\nend\nq\n' "6:1: q is listed twice"
refuse "not all" 'x\np\ny\n' "4:1: 3 of 5 operators are listed: the order must have all of them"
refuse "nothing" '' "1:1: 0 of 5 operators are listed: the order must have all of them"
refuse "no operator" 'x\n  nothing\n' "2:3: no operator is called 'nothing'"
refuse "not UTF-8" 'x\nz\0377\n' "2:2: byte 0xff is not valid UTF-8"
refuses "no such file" plan "$tmp/g.json" --order "$tmp/none" because "$tmp/none: cannot open: No such file.*"
printf 'buffer,lower,upper,size\nb,0,1,4\n' >"$tmp/t.csv"
refuses "no operators" plan "$tmp/t.csv" --order "$tmp/order" because "$tmp/t.csv: there are no operators to put in another order"
jq '.operators[0].core = "one" | .operators[1].core = "two"' "$tmp/g.json" >"$tmp/cores.json"
refuses "several cores" plan "$tmp/cores.json" --order "$tmp/order" because "$tmp/cores.json: on several cores .*"
jq '.buffers[1].first = 0 | .buffers[1].last = 3' "$tmp/g.json" >"$tmp/given.json"
refuses "a lifetime that no operator explains" plan "$tmp/given.json" --order "$tmp/order" because \
    "$tmp/given.json: wide x has a lifetime that no operator explains, .*"
jq '.buffers[1].first = 0 | .buffers[1].last = 2' "$tmp/g.json" >"$tmp/same.json"
printf 'x\np\ny\nq\nend\n' >"$tmp/order"
run plan "$tmp/same.json" --order "$tmp/order" --format json
check "a lifetime that is given, and is what the operators say" same "$(peak)" 51
jq '.buffers[1].first = 0 | .buffers[1].last = 4' "$tmp/g.json" >"$tmp/all_along.json"
run plan "$tmp/all_along.json" --order "$tmp/order" --format json
check "a buffer that is there all along stays so" same "$(peak)" 81
# What no operator touches: an input that no operator reads, there at the first step.
jq '.buffers += [{"name":"unread","kind":"input","size":45}]' "$tmp/g.json" >"$tmp/unread.json"
run plan "$tmp/unread.json" -p order --format json
check "an unread input blocks no order" exits 0
check "an unread input counts at the first step: beside y, not x" json '.peak == 85 and .optimal'
if [ -e "$SOURCE/../shared/cases/unread.tflite" ]; then
    for name in unread two_signatures; do
        model=$SOURCE/../shared/cases/$name.tflite
        run plan "$model" -p order --format json
        check "$name: an order" json '.peak == 5632 and .optimal'
        run convert "$model" -p order -o "$tmp/$name.tflite"
        check "$name: written" exits 0
        run plan "$tmp/$name.tflite" -p first-fit --format json
        check "$name: read back" json '.lower_bound == 5632'
    done
else
    skip "shared cases: models with lifetimes that no operator explains"
fi

# ---- data beside a model ----
mkdir -p "$tmp/a/w" "$tmp/b" "$tmp/c" "$tmp/d"
model=$SOURCE/tests/fuzz/corpus/onnx/external_1 # names w/one.bin and two.bin
cp "$model" "$tmp/a/m.onnx"
printf 'the first weights' >"$tmp/a/w/one.bin"
printf 'the second weights' >"$tmp/a/two.bin"
printf 'Relu_0\nMul_2\nExp_1\nMul_3\nAdd_4\n' >"$tmp/order"
run convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/b/m.onnx"
check "external data: exit 0" exits 0
check "external data: said" grep -q "note: the model's data lie beside it, w/one.bin and 1 more: copied, 35 B" "$tmp/err"
check "external data: brought along" cmp "$tmp/a/w/one.bin" "$tmp/b/w/one.bin"
check "external data: all" cmp "$tmp/a/two.bin" "$tmp/b/two.bin"
run convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/b/n.onnx"
check "external data: there already" grep -q ": there already$" "$tmp/err"
rm "$tmp/b/two.bin"
run convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/b/n.onnx"
check "external data: some there already" grep -q ": 1 of them copied, 18 B, the others there already$" "$tmp/err"
run convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/a/n.onnx"
check "external data in the same folder: nothing to say of them" complains ".*note: ONNX Runtime runs this order .*"
printf 'other weights here' >"$tmp/c/two.bin"
refuses "other data there" convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/c/m.onnx" because ".*c/two.bin, and something else is there"
check "other data there: nothing is left" same "$(cd "$tmp/c" && find . | sort | tr '\n' ' ')" ". ./two.bin "
check "other data there: they stay" same "$(cat "$tmp/c/two.bin")" "other weights here"
mkdir "$tmp/elsewhere" "$tmp/linked"
ln -s ../elsewhere "$tmp/linked/w"
refuses "a link in the folder" convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/linked/m.onnx" \
    because ".*the model's data would go to .*linked/w/one.bin, and .*linked/w is no folder but a symbolic link"
check "a link in the folder: nothing is written behind it" same "$(cd "$tmp/linked" && find -L . | sort | tr '\n' ' ')" ". ./w "
ln -s ../elsewhere/none "$tmp/c/w"
refuses "a file in place of a folder" convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/c/m.onnx" because ".*c/w is no folder but a symbolic link"
rm "$tmp/c/w"
mkdir "$tmp/last"
ln -s ../elsewhere/none "$tmp/last/two.bin"
refuses "a link for the file" convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/last/m.onnx" because ".*last/two.bin, and something else is there"
check "a link for the file: nothing is written behind it" same "$(ls "$tmp/elsewhere" "$tmp/last")" "$(printf '%s:\n\n%s:\ntwo.bin' "$tmp/elsewhere" "$tmp/last")"
LC_ALL=C sed "s|w/one.bin|./xy.onnx|" "$model" >"$tmp/a/dots.onnx"
cp "$tmp/a/w/one.bin" "$tmp/a/xy.onnx"
refuses "data where the model goes, by another name" convert "$tmp/a/dots.onnx" --order "$tmp/order" -o "$tmp/d/xy.onnx" \
    because ".*the model has data in 'xy.onnx', which is where the model itself is to be written"
rm "$tmp/a/two.bin"
refuses "data that are missing" convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/d/m.onnx" because ".*two.bin, which cannot go with it: .*"
mkfifo "$tmp/a/two.bin"
refuses "data that are no file" convert "$tmp/a/m.onnx" --order "$tmp/order" -o "$tmp/d/m.onnx" because ".*two.bin, which is no regular file"
for name in ../ne.bin /tmp/e.bin w/../.bin w//ne.bin; do
    LC_ALL=C sed "s|w/one.bin|$(printf '%s' "$name" | head -c 9)|" "$model" >"$tmp/a/bad.onnx"
    refuses "data in $name" convert "$tmp/a/bad.onnx" --order "$tmp/order" -o "$tmp/d/m.onnx" because ".*ONNX permits no path that leads out of its folder"
done
check "nothing is written where data cannot go" same "$(cd "$tmp/d" && find .)" "."

# ---- the order that ONNX Runtime runs; the lists are what the library ran (1.30, graph optimizations off) ----
ran() { # MODEL ORDER NODE...: the nodes that are operators, as they ran
    run convert "$SOURCE/tests/fuzz/corpus/onnx/$1" --order "$2" -o -
    check "$1 in the order of $2" same "$(jq -r '[.operators[].name | select(test("then|else") | not)] | join(" ")' "$tmp/out")" "$3"
}
ran runtime_1 onnxruntime "Concat_n0 ReduceMax_n6 Sigmoid_n7 Sigmoid_n8 Sigmoid_n10 Add_n4"
ran runtime_2 onnxruntime "Mul_n0 If_n1 ReduceMax_n2 Concat_n3 Concat_n4 ReduceMax_n6 Relu_n7 Mul_n8 Neg_n12 Exp_n9 If_n11"
ran runtime_3 onnxruntime "ReduceMax_n6 Neg_n7 Concat_n8 Identity_n12 SequenceConstruct_n1 SequenceAt_n10"
ran external_1 onnxruntime "Exp_1 Mul_3 Relu_0 Mul_2 Add_4"
ran external_1 onnxruntime-priority "Relu_0 Exp_1 Mul_2 Mul_3 Add_4"
model=$SOURCE/tests/fuzz/corpus/onnx/external_1
run plan "$model" --order onnxruntime
check "which order it is" says 'note: steps are in the order that ONNX Runtime takes by itself'
run plan "$model" --order onnxruntime -p order
check "which order a figure is about" says 'in the order of ONNX Runtime'
refuses "a runtime's order of a graph" plan "$tmp/g.json" --order onnxruntime because ".*only an ONNX model has such an order; a file of that name is ./onnxruntime"
printf 'x\np\ny\nq\nend\n' >"$tmp/onnxruntime"
(cd "$tmp" && "$STOWAGE" plan g.json --order ./onnxruntime --format json | jq .lower_bound) >"$tmp/out"
check "a file of that name" same "$(cat "$tmp/out")" 51
printf 'Relu_0\nMul_2\nExp_1\nMul_3\nAdd_4\n' >"$tmp/order"
cp "$model" "$tmp/m.onnx"
run convert "$tmp/m.onnx" --order "$tmp/order" -o "$tmp/n.onnx"
check "convert says what to set" complains ".*note: ONNX Runtime runs this order with execution_order=PRIORITY_BASED and graph_optimization_level=ORT_DISABLE_ALL; .*"

# ---- what the reader folds away ties operators, too ----
if [ -e "$SOURCE/../shared/cases/order_hidden_if.onnx" ]; then
    for name in order_hidden_shape order_hidden_if; do
        run convert "$SOURCE/../shared/cases/$name.onnx" -p order -o "$tmp/$name.onnx"
        check "$name: what is found is written" exits 0
        run plan "$tmp/$name.onnx" -p first-fit --format json
        check "$name: read back" json '.lower_bound == 33808'
    done
else
    skip "shared cases: edges that no buffer carries"
fi
finish
