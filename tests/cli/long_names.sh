#!/usr/bin/env bash
# Names of several hundred characters: wherever a message names something that can be typed, it is whole.
. "$(dirname "$0")/lib.bash"
long=$(printf 'a%.0s' {1..400})b
other=${long%b}c

# names NAME PATTERN ARGUMENT...: refused in one line, which has the name whole.
names() {
    local name=$1 pattern=$2
    shift 2
    run "$@"
    check "$name: exit 2" exits 2
    check "$name: whole" complains ".*$pattern"
}
# prompts NAME PATTERN LINE: the same of a line of a script.
prompts() {
    printf '%s\n' "$3" >"$tmp/script"
    names "$1" "$2" "$tmp/graph.json" --script "$tmp/script" --screen 80x24
}

jq -n --arg long "$long" --arg other "$other" '{
  name: $long,
  tiers: [{name: "near", capacity: 100000}, {name: ($long + "tier")}],
  operators: [{name: $long, inputs: [], outputs: [$long]}, {name: $other, inputs: [$long], outputs: [$other]}],
  buffers: [{name: $long, size: 64}, {name: $other, size: 64, kind: "output"}]}' >"$tmp/graph.json"

# ---- the command line ----
names "a planner" "there is no planner '$long'" plan "$tmp/graph.json" -p "$long"
names "a parameter" "first-fit has no parameter '$long'" plan "$tmp/graph.json" -p first-fit --set "$long=1"
names "a buffer" "there is no buffer '$long" export "$tmp/graph.json" --highlight "${long}x" -o "$tmp/x.svg"
names "a view" "$long" export "$tmp/graph.json" --view "$long" -o "$tmp/x.svg"
names "a theme" "$long" export "$tmp/graph.json" --theme "$long" -o "$tmp/x.svg"
names "an option" "$long" plan "$tmp/graph.json" "--$long"
names "a subcommand" "$long" "$long"
names "a cost model" "$long" plan "$tmp/graph.json" --cost "$long"
names "actions" "$long" plan "$tmp/graph.json" --actions "$long"
names "a policy" "$long" plan "$tmp/graph.json" --policy "$long"
names "a breeding" "$long" plan "$tmp/graph.json" --breeding "$long"
deep=$tmp
for i in 1 2 3 4; do deep=$deep/${long:0:200}; done
names "a file that is not there" "$deep" plan "$deep"
mkdir -p "$deep"
printf '{"buffers":[{"name":"a","size":-1}]}\n' >"$deep/bad.json"
names "a file that is wrong" "$deep/bad.json:1:" plan "$deep/bad.json"
names "a file to write" "$deep/none" plan "$tmp/graph.json" -o "$deep/none/plan.csv"

# ---- the prompt ----
prompts "a buffer at the prompt" "there is no buffer '${long}x'" "select ${long}x"
prompts "an operator" "there is no operator '${long}x'" "reorder ${long}x 1"
prompts "a tier" "there is no tier '$long'" "tier $long"
prompts "a mark" "there is no mark '$long'" "jump $long"
prompts "a command" "there is no command '$long'" "$long"
prompts "a pane" "there is no pane '$long'" "pane $long"
prompts "a planner at the prompt" "there is no planner '$long'" "planner $long"

# ---- readers ----
printf 'id,size,lower,upper\n%s,1,0,1\n%s,1,0,1\n' "$long" "$long" >"$tmp/twice.csv"
names "a name that is there twice" "$long" plan "$tmp/twice.csv"
jq --arg long "$long" '.operators[0].inputs = [$long + "x"]' "$tmp/graph.json" >"$tmp/unknown.json"
names "a buffer of the graph" "${long}x" plan "$tmp/unknown.json"
run plan "$tmp/graph.json" -p first-fit -o "$tmp/plan.json"
sed "s/\"$long\"/\"${long}x\"/" "$tmp/plan.json" >"$tmp/strange.json"
run check "$tmp/graph.json" "$tmp/strange.json"
check "a buffer of a plan" says "the graph has no buffer '${long}x'"
printf 'HloModule m\nENTRY e {\n p = f32[2] parameter(0)\n q = f32[2] negate(%s)\n}\n' "$long" >"$tmp/x.hlo"
names "an instruction" "no instruction before this one is called $long" plan "$tmp/x.hlo"
printf 'module {\n %%a = memref.alloc(%%%s, %%%s) : memref<?x?xi8>\n}\n' "$long" "$other" >"$tmp/x.mlir"
names "lengths" "--dim $long=1 --dim $other=1" plan "$tmp/x.mlir"
run plan "$tmp/x.mlir" --dim "$long=2" --dim "$other=3" --format json
check "lengths, as printed" json '.peak == 6'
names "a length that is none" "--dim ${long}x: no size" plan "$tmp/x.mlir" --dim "$long=2" --dim "$other=3" --dim "${long}x=1"
printf 'module {\n %%a = memref.alloc() : memref<4x!%s<f32>>\n}\n' "$long" >"$tmp/type.mlir"
names "a type" "!$long<f32> is no element type" plan "$tmp/type.mlir"

# Two models in one source, with names that differ at their ends.
model=$SOURCE/tests/fuzz/corpus/tflite
model=$(find "$model" -type f -size -4k | sort | while read -r file; do
    "$STOWAGE" plan "$file" >/dev/null 2>&1 && { echo "$file"; break; }
done)
if [ -n "$model" ]; then
    for name in "$long" "$other"; do
        printf 'alignas(16) const unsigned char %s[] = {' "$name"
        od -An -v -tx1 "$model" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
        printf '};\n'
    done >"$tmp/two.cc"
    names "arrays" "two arrays in this source are models, $long and $other: --array $long takes the first" plan "$tmp/two.cc"
    run plan "$tmp/two.cc" --array "$other"
    check "an array, as printed" exits 0
    names "an array that is not there" "there is no array ${long}x here" plan "$tmp/two.cc" --array "${long}x"
fi
if [ -f "$SOURCE/../shared/cases/two_long_arrays.cc" ]; then
    names "the case of two arrays" '_float and a_model_.*_int8: --array ' plan "$SOURCE/../shared/cases/two_long_arrays.cc"
else
    skip "no ../shared/cases"
fi
finish
