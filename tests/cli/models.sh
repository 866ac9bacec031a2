#!/usr/bin/env bash
# The networks that ship in Lua: the published figures to the byte, and what their arguments change.
. "$(dirname "$0")/lib.bash"

# figures OPERATORS BUFFERS NAIVE BOUND MODEL [KEY=VALUE...]
figures() {
    local want="$1 $2 $3 $4" model=$5 arguments=() pair
    shift 5
    for pair in "$@"; do
        arguments+=(--arg "$pair")
    done
    run plan "$models/$model.lua" "${arguments[@]}" -p first-fit --format json
    check "$model $*: exit 0" exits 0
    check "$model $*" same "$want" "$(jq -r '"\(.operators) \(.buffers) \(.naive) \(.lower_bound)"' "$tmp/out")"
}

# like REFERENCE: the last run has its lifetimes and sizes, whatever the names.
like() {
    local file=$data/reference/ref_$1_fused.csv
    [ -f "$file" ] || { skip "$1: no ../shared/data"; return; }
    jq -r '.placements[] | "\(.first),\(.last + 1),\(.size)"' "$tmp/out" | sort >"$tmp/ours"
    tail -n +2 "$file" | cut -d, -f2- | tr -d '\r' | sort >"$tmp/theirs"
    check "$1: tensor by tensor" cmp "$tmp/ours" "$tmp/theirs"
}

figures 73 74 67954496 9633792 resnet50; like resnet50_v1.5
figures 73 74 65847104 9633792 resnet50 version=1; like resnet50_v1
figures 30 31 20784960 4816896 mobilenet_v1; like mobilenet_v1
figures 65 66 28193216 6021120 mobilenet_v2; like mobilenet_v2
figures 121 122 57695212 8297856 inception_v3; like inception_v3
figures 84 85 27342336 4816896 googlenet; like googlenet
figures 246 247 112603040 7225344 densenet121; like densenet121
figures 84 85 25181760 4646400 googlenet ceil=false
figures 65 66 1300314 311040 mobilenet_v2_035
figures 65 66 3098194 752640 mobilenet_v2_035 size=224
figures 65 66 7047594 1505280 mobilenet_v2_035 size=224 alpha=1.0
figures 68 69 2685194 340736 mcunet_like
figures 16 17 117908 49152 resnet8
figures 30 31 259460 55296 mobilenet_v1 alpha=0.25 size=96 classes=2 dtype=int8

# In eight bits the published peaks, and a quarter of everything; a batch of eight is eight times as much.
figures 30 31 5196240 1204224 mobilenet_v1 dtype=uint8
figures 65 66 7048304 1505280 mobilenet_v2 dtype=uint8
figures 73 74 135908992 19267584 resnet50 batch=8 dtype=int8
figures 73 74 67954496 9633792 resnet50 weights=true

# An operator more for every activation; the batch norms stay in the weights.
figures 122 123 106389312 9633792 resnet50 fused=false
figures 57 58 40955712 6422528 mobilenet_v1 fused=false
figures 100 101 52616384 9633792 mobilenet_v2 fused=false
figures 215 216 93565164 11063808 inception_v3 fused=false
figures 141 142 40246976 6422528 googlenet fused=false
figures 367 368 175272864 8429568 densenet121 fused=false

# Cells found by search, random wirings, a training step: what is alive in the order as written, and in the best one.
ordered() { # BEST MODEL [KEY=VALUE...]
    local want=$1 model=$2 arguments=() pair
    shift 2
    for pair in "$@"; do
        arguments+=(--arg "$pair")
    done
    run plan "$models/$model.lua" "${arguments[@]}" -p order-exact --set then=greedy-by-size --set accept=always --format json
    check "$model $*: the best order, proved" json ".details.live_peak == $want and .details.order_proved"
}
figures 352 353 55477120 3669120 randwire; ordered 3179904 randwire
figures 355 356 59482576 5136768 randwire seed=3; ordered 3669120 randwire seed=3
figures 412 413 227173120 13672960 randwire regime=regular; ordered 10938368 randwire regime=regular
figures 791 792 83622184 1769472 darts; ordered 1474560 darts
figures 704 705 84096360 4238424 nasnet; ordered 3844096 nasnet
figures 113 230 48396324 27164388 train_transformer; ordered 21192772 train_transformer
figures 213 430 85491748 37049412 train_transformer layers=4 update=early; ordered 35139652 train_transformer layers=4 update=early

figures 6 8 28 16 two_cores
run plan "$models/two_cores.lua" -p order-genetic --format json
check "two_cores: 17 pairs" json '.details.conflicts == 17'

# Every model, on one core and on several, has a plan that the checker accepts; the parts add up.
for model in "$models"/*.lua; do
    name=$(basename "$model" .lua)
    for cores in 1 2 4; do
        run plan "$model" --arg cores=$cores -o "$tmp/plan.csv" -p first-fit
        check "$name cores=$cores: a plan" exits 0
        run convert "$model" --arg cores=$cores -o "$tmp/graph.json"
        check "$name cores=$cores: converts" exits 0
        run check "$tmp/graph.json" "$tmp/plan.csv"
        check "$name cores=$cores: the plan is valid" exits 0
        jq '[.operators[] | select(.kind == "copy") | .outputs[]] as $copies
            | [.buffers[] | select(.name as $n | $copies | index($n) | not)]
            | map(.size // (.shape | reduce .[] as $d (1; . * $d))) | add' "$tmp/graph.json" >"$tmp/sum.$cores"
        [ "$name" = two_cores ] || check "$name cores=$cores: the parts add up" cmp "$tmp/sum.1" "$tmp/sum.$cores"
    done
done
for sync in data step; do
    run plan "$models/resnet50.lua" --arg cores=4 --arg sync=$sync -p first-fit --format json
    jq .lower_bound "$tmp/out" >"$tmp/$sync"
done
check "waiting at every step needs less memory" [ "$(cat "$tmp/step")" -lt "$(cat "$tmp/data")" ]

refuses "an unknown argument" plan "$models/resnet50.lua" --arg color=red because '.*unknown argument color; known are batch'
refuses "a wrong type" plan "$models/resnet50.lua" --arg batch=many because '.*batch: many is not an integer'
refuses "out of range" plan "$models/resnet50.lua" --arg batch=0 because '.*batch: 0 is not in 1\.\.'
refuses "none of the choices" plan "$models/resnet50.lua" --arg version=2 because '.*version: 2.* is none of 1, 1\.5'
refuses "an image too small" plan "$models/inception_v3.lua" --arg size=40 because '.*conv ra_3x3 .*does not fit'
finish
