#!/usr/bin/env bash
# ONNX models of the optional data folder: the published figures, every lifetime, and, where Python's onnx
# is installed, its own inference of shapes.
. "$(dirname "$0")/lib.bash"

# shapes MODEL GRAPH: compare the shapes in our graph with those that onnx infers; constant ones and those
# it cannot tell are passed over. Prints what differs; succeeds when at least one was compared.
shapes() {
    python3 - "$1" "$2" <<'END'
import json, sys
import onnx
from onnx import shape_inference
model = shape_inference.infer_shapes(onnx.load(sys.argv[1], load_external_data=False))
known = {}
for info in list(model.graph.value_info) + list(model.graph.input) + list(model.graph.output):
    tensor = info.type.tensor_type
    dims = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
    if tensor.HasField("shape") and None not in dims:
        known[info.name] = dims
compared, wrong = 0, 0
for buffer in json.load(open(sys.argv[2]))["buffers"]:
    if buffer["name"] in known:
        compared += 1
        if buffer.get("shape", []) != known[buffer["name"]]:
            wrong += 1
            print(buffer["name"], buffer.get("shape", []), known[buffer["name"]])
print(compared, "compared")
sys.exit(wrong > 0 or compared == 0)
END
}

# ---- open dimensions; x is N x 3 x s x ? ----
open=$SOURCE/tests/fuzz/corpus/onnx/dims
refuses "a dimension that is not given" plan "$open" because ".*dims: the inputs leave 3 lengths open: give them, for instance with --dim N=1 --dim s=1 --dim x:3=1"
refuses "one that the model does not have" plan "$open" --dim N=1 --dim M=2 --dim s=3 --dim x:3=4 because ".*--dim M: no dimension of this name is open; there are N, s, x:3"
refuses "a length that is none" plan "$open" --dim N=x because "--dim N=x: expected NAME=LENGTH or TENSOR:AXIS=LENGTH"
refuses "dimensions of what has none" plan "$models/example1.json" --dim N=1 because ".*--dim N: this file leaves no dimension open"
run plan "$open" --dim N=2 --dim s=5 --dim x:3=7 --format json
check "all given: the sizes follow" json '.operators == 1 and .naive == 2 * 2 * 3 * 5 * 7 * 4'
printf 'goto 1\nsave %s\n' "$tmp/session" >"$tmp/commands"
run "$open" --dim N=2 --dim s=5 --dim x:3=7 --write-anywhere --script "$tmp/commands" --screen 80x24
check "a session of a model with open dimensions" exits 0
check "the session names them" grep -qx 'dim x:3=7' "$tmp/session"
run "$tmp/session" --screen 80x24
check "and opens again" exits 0

# ---- dimensions within a model, known only when it runs ----
corpus=$SOURCE/tests/fuzz/corpus/onnx
run plan "$corpus/own_bounds_7" --format json
check "an operator's own bound" json '.naive == 2 * 30 * 4 + 8 + 2 * 30 * 4 + 2 * 30 * 8'
run plan "$corpus/own_bounds_7"
check "is noted" grep -qF 'upper bounds by TopK (the whole axis): i:1=30, y:1=30' "$tmp/out"
run plan "$corpus/own_bounds_7" --dim y:1=3 --format json
check "--dim lowers it, for values and places alike" json '.naive == 2 * 30 * 4 + 8 + 2 * 3 * 4 + 2 * 3 * 8'
run plan "$corpus/own_bounds_7" --dim y:1=3
check "and is noted" grep -qF 'upper bounds by --dim: i:1=3, y:1=3' "$tmp/out"
refuses "what no operator bounds" plan "$corpus/given_bounds_5" --dim y:0=3 because ".*leaves dimension 1 of y open until the model runs: give an upper bound, as with --dim y:1=100"
refuses "a dimension that is known" plan "$corpus/own_bounds_7" --dim x:1=3 because ".*--dim x:1: this dimension is not open, it is 30"
run plan "$corpus/given_bounds_11" --dim a:1:1=3 --format json
check "names with colons: the last one counts" exits 0
run plan "$corpus/detector" -p greedy-by-size --format json
check "a detector opens" json '.feasible and .operators > 30'
run plan "$corpus/detector"
check "its sequence is left out" grep -qF 'left out: 1 values that are sequences, maps, optional or texts, the first parts' "$tmp/out"
run plan "$corpus/machine_learning_10" --format json
check "a classifier opens" exits 0
printf 'goto 1\nsave %s\n' "$tmp/bounds" >"$tmp/commands"
run "$corpus/own_bounds_7" --dim y:1=3 --write-anywhere --script "$tmp/commands" --screen 80x24
check "a session keeps the bound" grep -qx 'dim y:1=3' "$tmp/bounds"

# ---- what is bounded runs; nodes in any order ----
run plan "$corpus/bounds_run_1" --format json
check "the shape of what NonMaxSuppression keeps is computed when the model runs" json '.operators == 2 and .buffers == 4'
run plan "$corpus/only_shapes_1" --format json
check "a model that only makes shapes" json '.operators == 1'
run plan "$corpus/unsorted_3"
check "nodes before what they read" grep -qF 'note: the file has nodes before what they read, b first:' "$tmp/out"
run convert "$corpus/unsorted_3" -p order -o "$tmp/sorted.onnx"
run plan "$tmp/sorted.onnx"
check "are written in order" bash -c "! grep -q 'before what they read' '$tmp/out' && grep -qF '6 operators' '$tmp/out'"
refuses "nodes in a circle" plan "$corpus/circles_2" because ".*circles_2: operators wait for one another, so that none can run first: b and a"

# ---- inputs that steer ----
refuses "a branch that may be taken and has no shapes" plan "$corpus/rates" because ".*Mystery.*this operator is not known here"
run plan "$corpus/rates" --value sr=16000 --format json
check "one that is not taken needs none" json '.operators == 4 and .naive == 8 + 1 + 3 * 32'
run convert "$corpus/rates" --value sr=16000 -p order -o "$tmp/rates.onnx"
check "a model that is steered is written in another order" exits 0
check "and what its runtime does with it is said" grep -q "note: ONNX Runtime runs this order .* in the order that it takes by itself" "$tmp/err"
for order in onnxruntime onnxruntime-priority; do
    run plan "$tmp/rates.onnx" --value sr=16000 --order $order --format json
    check "steered, in the order $order" json '.operators == 4 and .naive == 8 + 1 + 3 * 32'
done
refuses "a value of no input" plan "$corpus/rates" --value rate=16000 because ".*--value rate: the model has no input of this name that a single number could be given; there are sr"
refuses "a value of many elements" plan "$corpus/rates" --value x=1 because ".*--value x: this input does not have a single element"
refuses "a value that is none" plan "$corpus/rates" --value sr=fast because "--value sr=fast: expected NAME=NUMBER"
refuses "one of another kind" plan "$corpus/rates" --value sr=1.5 because ".*--value sr=1.5: the elements of this input are of another kind: whole numbers"
refuses "one given twice" plan "$corpus/rates" --value sr=1 --value sr=2 because "--value: sr is given twice"
refuses "a value for what is no model" plan "$models/example1.json" --value N=1 because ".*--value N: only an ONNX model has inputs with values that steer it"
run "$corpus/rates" --value sr=16000 --write-anywhere --script "$tmp/commands" --screen 80x24
check "a session keeps the value" grep -qx 'value sr=16000' "$tmp/bounds"
run "$tmp/bounds" --screen 80x24
check "and opens with it" exits 0

if [ ! -d "$data/onnx" ]; then
    skip "there is no $data/onnx: real models are not read"
    finish
    exit
fi
python3 -c 'import onnx' 2>/dev/null || skip "Python's onnx is not installed: shapes are not compared with its inference"

# model, operators, tensors, naive sum, bound, what greedy-by-size finds
while read -r name operators tensors naive bound greedy; do
    model=$data/onnx/light_$name.onnx reference=$data/reference/onnx_$name.csv
    if [ ! -f "$model" ]; then
        skip "$name is not in the data folder"
        continue
    fi
    run plan "$model" -p greedy-by-size --format json
    check "$name: exit 0" exits 0
    check "$name: published figures" same \
        "$(jq -r '"\(.operators) \(.buffers) \(.naive) \(.lower_bound) \(.peak)"' "$tmp/out")" \
        "$operators $tensors $naive $bound $greedy"
    run plan "$model" -p greedy-by-size -o "$tmp/plan.csv"
    run check "$model" "$tmp/plan.csv"
    check "$name: the checker agrees" exits 0
    run convert "$model" -o "$tmp/lives.csv"
    check "$name: every lifetime and size" same "$(tail -n +2 "$tmp/lives.csv" | cut -d, -f2-)" \
        "$(tail -n +2 "$reference" | cut -d, -f2-)"
    run convert "$model" -o "$tmp/graph.json"
    run plan "$tmp/graph.json" -p greedy-by-size --format json
    check "$name: as a graph" json ".naive == $naive and .peak == $greedy and .operators == $operators"
    if python3 -c 'import onnx' 2>/dev/null; then
        check "$name: the shapes that onnx infers" shapes "$model" "$tmp/graph.json"
    fi
    "$STOWAGE" plan - -p greedy-by-size --format json <"$model" >"$tmp/out" 2>"$tmp/err"
    check "$name: from standard input" json ".naive == $naive"
done <<'END'
densenet121 668 669 321084320 8429568 8830976
inception_v1 143 144 37244480 6422528 6422528
resnet50 176 177 150853440 9633792 9633792
squeezenet 66 67 28793728 6308352 6308352
END

model=$data/onnx/light_squeezenet.onnx
if [ -f "$model" ]; then
    run plan "$model" -p greedy-by-size --inplace safe --format json
    check "in place: the bound is lower" json '.feasible and .lower_bound < 6308352'
    refuses "a dimension that is not open" plan "$model" --dim N=1 because ".*--dim N: no dimension of this name is open"
    head -c 9000 "$model" >"$tmp/cut"
    refuses "a file cut short, whatever its name" plan "$tmp/cut" because ".*cut: a field is longer than what is left of the file, at offset [0-9]+"
fi
finish
