#!/usr/bin/env bash
# What fit needs in Lua: windows of operators, models that ship with them, graph:fit, and moves that a script chooses.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# ---- windows: the keys of graph JSON, and what is wrong with them ----
cat >pair.lua <<'EOT'
local arg = ...
return {
  name = "pair", outside = 4096, least_arena = 5000,
  operators = {
    {name = "a", kind = "conv_2d", inputs = {"x"}, outputs = {"m"}, window = {kernel = {1, 1}}, macs = 65536},
    {name = "b", kind = "conv_2d", inputs = {"m"}, outputs = {"y"},
     window = {kernel = {3, 3}, stride = {2, 2}, dilation = {1, 1}, pad = {0, 1, 0, 1}}, macs = 147456},
  },
  buffers = {
    {name = "x", kind = "input", dtype = "int8", shape = {1, 16, 16, 4}},
    {name = "m", dtype = "int8", shape = {1, 16, 16, 64}},
    {name = "y", kind = "output", dtype = "int8", shape = {1, 8, 8, 4}},
  },
}
EOT
run convert pair.lua -o pair.json
check "windows go where JSON has them" jq -e '.operators[1].window == {"kernel": [3, 3], "stride": [2, 2], "dilation": [1, 1], "pad": [0, 1, 0, 1]}' pair.json
check "with what is left out" jq -e '.operators[0].window == {"kernel": [1, 1], "stride": [1, 1], "dilation": [1, 1], "pad": [0, 0, 0, 0]}' pair.json
run fit pair.lua --format json
cp out lua.out
check "a graph in Lua is cut" json '.chosen.regions | length == 1 and .[0].first == "a" and .[0].last == "b"'
run fit pair.json --format json
check "as the same graph in JSON" cmp out lua.out

wrong() { # FROM TO SENTENCE: the script with that changed is refused with one line
    [ "$(sed "s/$1/$2/" pair.lua)" != "$(cat pair.lua)" ] || check "$1 is in the script" false
    sed "s/$1/$2/" pair.lua >wrong.lua
    refuses "$2" plan wrong.lua because "wrong\\.lua: $3"
}
wrong 'kernel = {3, 3}' 'kernel = 3' 'in operators, b: "kernel" must be a list of 2 numbers'
wrong 'kernel = {3, 3}' 'kernel = {3}' 'in operators, b: "kernel" must be a list of 2 numbers'
wrong 'kernel = {3, 3}' 'kernel = {0, 3}' 'in operators, b: kernel: the value 0 is out of range \(1 to 1048576\)'
wrong 'kernel = {3, 3}' 'kernel = {1.5, 3}' 'in operators, b: kernel: this must be a whole number, not a number with a fraction'
wrong 'dilation =' 'dilatation =' 'in operators, b: unknown key "dilatation"; the nearest known key is "dilation"'
wrong 'pad = {0, 1, 0, 1}' 'pad = "same"' 'in operators, b: "pad" must be a list of 4 numbers'
wrong 'pad = {0, 1, 0, 1}' 'pad = {0, 1, 0, -1}' 'in operators, b: pad: the value -1 is negative'
wrong 'window = {kernel = {1, 1}}' 'window = 3' 'in operators, a: "window" must be an object with kernel, stride, dilation and pad'
wrong 'window = {kernel = {1, 1}}' 'window = {{1, 1}}' 'in operators, a: "window" must be an object with kernel, stride, dilation and pad'
wrong 'macs = 65536' 'macs = "many"' 'in operators, a: "macs" must be a whole number, not a string'
wrong 'outside = 4096' 'outside = -1' 'outside -1 is negative'
wrong 'dtype = "int8", shape = {1, 8' 'dtype = "int9", shape = {1, 8' 'in buffers, y: unknown dtype "int9"'

# ---- models that ship: operator by operator those of the files ----
# Kinds, multiply-adds, windows, and the shapes, types and kinds of what operators read and make; whatever the names.
operators() {
    jq -c '. as $g | (.buffers | map({key: .name, value: [.shape, .dtype, .kind]}) | from_entries) as $b
        | [.outside, .least_arena, .alignment], (.operators[] | [.kind, .macs, .window, [.inputs[] | $b[.]], [.outputs[] | $b[.]]])' "$1"
}
is_model() { # FILE MODEL [KEY=VALUE...]
    local file=$data/fit/$1.tflite model=$2 arguments=() pair
    shift 2
    [ -f "$file" ] || { skip "$model: no ../shared/data/fit"; return; }
    for pair in "$@"; do
        arguments+=(--arg "$pair")
    done
    run convert "$file" -o file.json
    run convert "$models/$model.lua" "${arguments[@]}" -o model.json
    operators file.json >file.operators
    operators model.json >model.operators
    check "$model: operator by operator" cmp file.operators model.operators
    check "$model: has some" [ "$(wc -l <model.operators)" -gt 60 ]
}
is_model mbv2_035_144 mobilenet_v2_035
is_model mcunet_like_176 mcunet_like

least() { jq -c '[.least, .as_is.head, .as_is.arena, .chosen.head, .chosen.arena, (.chosen.regions | map(.strips))]' out; }
if [ -f "$data/fit/mbv2_035_144.tflite" ]; then
    run fit "$data/fit/mbv2_035_144.tflite" --capacity-of head --max-operators 80 --format json
    least >file.least
    run fit "$models/mobilenet_v2_035.lua" --capacity-of head --max-operators 80 --format json
    check "mobilenet_v2_035: the same least head" cmp file.least <(least)
    check "mobilenet_v2_035: less than as it is" json '.chosen.head < .as_is.head'
fi

# The arenas as built, by the published trials, and where 32 bits of the interpreter's structures lie.
as_built() { # HEAD ARENA MODEL [KEY=VALUE...]
    local want="$1 $2" model=$3 arguments=() pair
    shift 3
    for pair in "$@"; do
        arguments+=(--arg "$pair")
    done
    run plan "$models/$model.lua" "${arguments[@]}" -p greedy-by-size --format json
    check "$model $*: head and arena" same "$want" "$(jq -r '"\(.peak) \(.arena)"' out)"
}
as_built 311040 377424 mobilenet_v2_035
as_built 752640 819024 mobilenet_v2_035 size=224
as_built 1505280 1651792 mobilenet_v2_035 size=224 alpha=1.0
as_built 340736 411456 mcunet_like
as_built 49152 54352 resnet8
run fit "$models/resnet8.lua" --format json
check "resnet8: needs less" json '.chosen.arena < .as_is.arena * 0.7 and .least <= .chosen.arena'
run fit "$models/resnet8.lua" --arg cores=2 --format json
check "on several cores nothing is cut" json '.front == [] and (.not_cut | length > 0)'
run convert "$models/resnet8.lua" --arg weights=true -o weights.json
check "weights as buffers lie in the order of the others" jq -e '.buffers | map(select(.name == "block2_conv1_w").shape) == [[32, 3, 3, 16]]' weights.json
run convert "$models/resnet8.lua" -o without.json
check "and the tail is the same" same "$(jq .outside weights.json)" "$(jq .outside without.json)"
finish
