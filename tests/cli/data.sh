#!/usr/bin/env bash
# Real instances of the optional data folder.
. "$(dirname "$0")/lib.bash"

if [ ! -d "$data" ]; then
    skip "there is no $data: real instances are not planned"
    finish
    exit
fi

for file in "$data"/minimalloc/*.csv; do
    name=$(basename "$file")
    for planner in $("$STOWAGE" list planners | awk '{ print $1 }'); do
        [ "$planner" = as-built ] && continue
        run plan "$file" -p "$planner" --work 20000000 -o "$tmp/plan.csv"
        [ "$status" -eq 2 ] && complains "$planner needs " && continue
        check "$name, $planner: exit 0" exits 0
        run check "$file" "$tmp/plan.csv"
        check "$name, $planner: the checker agrees" exits 0
        run plan "$file" -p "$planner" --work 20000000 --format json
        check "$name, $planner: not below the bound" json '.peak >= .lower_bound and .feasible'
    done
done
run plan "$data/minimalloc/input.12.csv" --format json
check "the example of twelve" json '.buffers > 0 and .lower_bound <= 12'

# The published figures: network, naive sum, bound, and what greedy-by-size finds.
for file in "$data"/reference/ref_*_fused.csv; do
    case $(basename "$file" _fused.csv) in
    ref_resnet50_v1.5) figures="67954496 9633792 9633792" ;;
    ref_resnet50_v1) figures="65847104 9633792 9633792" ;;
    ref_mobilenet_v1) figures="20784960 4816896 4816896" ;;
    ref_mobilenet_v2) figures="28193216 6021120 6021120" ;;
    ref_inception_v3) figures="57695212 8297856 8297856" ;;
    ref_googlenet) figures="27342336 4816896 4816896" ;;
    ref_densenet121) figures="112603040 7225344 8028160" ;;
    *) continue ;;
    esac
    run plan "$file" -p greedy-by-size --format json
    check "$(basename "$file"): published figures" same "$(jq -r '"\(.naive) \(.lower_bound) \(.peak)"' "$tmp/out")" "$figures"
done
if [ -f "$data/reference/paper_pisarchyk_example.csv" ]; then
    run plan "$data/reference/paper_pisarchyk_example.csv" -p greedy-by-size --format json
    check "the paper's example of eight tensors" json '.peak == 124'
else
    skip "the paper's example is not in the data folder"
fi
for name in tflmplan_vww_96_int8 tflmplan_person_detect tflmplan_keyword_scrambled; do
    plan=$data/reference/$name.plan.csv
    [ -f "$plan" ] || continue
    run plan "$plan" -p as-built --format json
    check "$name: a plan of another tool, as built" json '.feasible'
done
if [ -f "$data/pytorch/train_step.csv" ]; then
    run plan "$data/pytorch/train_step.csv" -p best-fit --format json
    check "a training step: above 4 GiB in sum" json '.naive == 11680970248 and .lower_bound == 1999716608'
fi
finish
