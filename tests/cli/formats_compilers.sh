#!/usr/bin/env bash
# What compilers print of a program: each opens, says what its times mean and what it leaves out, can be planned, compared
# and checked, and has the figures it is known to have.
. "$(dirname "$0")/lib.bash"
corpus=$SOURCE/tests/fuzz/corpus

# opens NAME FILE FILTER [OPTION...]: planned, what the filter says, and the plan is valid in every form.
opens() {
    local name=$1 file=$2 filter=$3 kind
    shift 3
    run plan "$file" -p greedy-by-size "$@"
    check "$name: opens" exits 0
    check "$name: says what its times mean" says '^note: .*(step i is|times are|at one time)'
    run plan "$file" -p greedy-by-size --format json "$@"
    check "$name: figures" json "$filter"
    for kind in csv json; do
        run plan "$file" -p greedy-by-size "$@" -o "$tmp/plan.$kind"
        run check "$file" "$tmp/plan.$kind" "$@"
        check "$name: valid as $kind" exits 0
    done
    run compare "$file" -p first-fit,greedy-by-size --format json "$@"
    check "$name: compared" json '(.planners | length) == 2 and all(.planners[]; .feasible)'
    run convert "$file" -o "$tmp/graph.json" "$@"
    run plan "$tmp/graph.json" -p greedy-by-size --format json
    check "$name: the same as JSON" json "$filter"
    run export "$file" -p greedy-by-size "$@" -o "$tmp/map.svg"
    check "$name: drawn" [ -s "$tmp/map.svg" ]
}

opens "ST's report" "$corpus/st_report/plain" '.operators == 3 and .buffers == 5 and .peak == 1024 and .lower_bound == 1024'
opens "ST's older report" "$corpus/st_report/pools" '.operators == 1 and (.tiers | map(.name)) == ["activations", "user"]'
opens "HLO with a schedule" "$corpus/hlo/scheduled" '.operators == 11 and .buffers == 8 and .naive == 1033'
opens "HLO without one" "$corpus/hlo/branches" '.operators == 5 and .buffers == 6'
opens "OpenVINO's IR" "$corpus/openvino/plain" '.graph == "small" and .lower_bound == 4096' --dim x:0=2
opens "a loop in it" "$corpus/openvino/loop" '.operators == 6 and .buffers == 6'
opens "memref.alloc" "$corpus/mlir/memref" '.buffers == 4 and .naive == 200'
opens "IREE's packs" "$corpus/mlir/pack" '.buffers == 5 and (.tiers | length) == 3'
opens "XLA's report until 2025" "$corpus/xla_report/until_2025" '.peak == 1056788'
opens "XLA's report" "$corpus/xla_report/today" '(.tiers | map(.peak)) == [3172, 128]'

echo nothing >"$tmp/empty.hlo"
refuses "an open dimension" plan "$corpus/openvino/plain" because '.*plain:4:3: layer x .Parameter. leaves dimension 0 open: give it, for instance with --dim x:0=1,'
refuses "a name alone" plan "$tmp/empty.hlo" because '.*empty.hlo:1:1: this is no HLO: it begins with HloModule'
refuses "an open size" plan "$corpus/mlir/open" because '.*open:2:20: a size depends on %n, .* --dim n=1$'
refuses "a size that is no open one" plan "$corpus/mlir/open" --dim n=1 --dim m=2 because '.*--dim m: no size depends'
refuses "what calls itself" plan "$corpus/hlo/itself" because '.*itself:8:7: c: the computation calls itself'
finish
