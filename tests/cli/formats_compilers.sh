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
refuses "an open dimension" plan "$corpus/openvino/plain" because '.*plain:4:3: the model needs x:0, which is left open: give it, for instance with --dim x:0=1,'
refuses "a name alone" plan "$tmp/empty.hlo" because '.*empty.hlo:1:1: this is no HLO: it begins with HloModule'
refuses "an open size" plan "$corpus/mlir/open" because '.*open:2:20: a size depends on n, which is left open: .* --dim n=1$'
refuses "a size that is no open one" plan "$corpus/mlir/open" --dim n=1 --dim m=2 because '.*--dim m: no size depends'
refuses "what calls itself" plan "$corpus/hlo/itself" because '.*itself:8:7: c: the computation calls itself'
refuses "one that no layer leaves open" plan "$corpus/openvino/plain" --dim x:0=2 --dim nosuch:0=1 because '.*--dim nosuch:0: no layer leaves'

# The shape of a Reshape that two lengths of another tensor make: their places are constants of the .bin.
port() { # [DIM...]: an output of that shape
    printf '<output><port id="0" precision="%s">' "$1"
    shift
    [ $# -eq 0 ] || printf '<dim>%s</dim>' "$@"
    printf '</port></output></layer>\n'
}
constant() { # ID OFFSET: one whole number
    printf '<layer id="%s" name="c%s" type="Const"><data element_type="i64" shape="1" offset="%s" size="8"/>' "$1" "$1" "$2"
    port I64 1
}
edges() { # FROM TO PORT...
    while [ $# -gt 0 ]; do
        printf '<edge from-layer="%s" from-port="0" to-layer="%s" to-port="%s"/>\n' "$1" "$2" "$3"
        shift 3
    done
}
{
    printf '<net name="shapes" version="11"><layers>\n<layer id="0" name="ids" type="Parameter">'
    port FP32 -1 -1
    printf '<layer id="1" name="flat" type="Parameter">'
    port FP32 -1
    printf '<layer id="2" name="shape" type="ShapeOf">'
    port I64 2
    constant 3 0
    constant 4 8
    printf '<layer id="5" name="second" type="Gather"><data batch_dims="0"/>'
    port I64 1
    printf '<layer id="6" name="to" type="Concat"><data axis="0"/>'
    port I64 2
    printf '<layer id="7" name="rows" type="Reshape"><data special_zero="true"/>'
    port FP32 -1 -1
    printf '</layers><edges>'
    edges 0 2 0 4 5 2 2 5 0 3 5 1 5 6 0 3 6 1 1 7 0 6 7 1
    printf '</edges></net>\n'
} >"$tmp/shapes.xml"
printf '\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >"$tmp/shapes.bin"
run plan "$tmp/shapes.xml" --dim ids:0=2 --dim ids:1=6 --dim flat:0=6 --format json
check "constants of the .bin" json '.buffers == 2 and .naive == 48'
digest() { # of what follows from the .bin
    run export "$tmp/shapes.xml" --dim ids:0=2 --dim ids:1=6 --dim flat:0=6 -o "$tmp/shapes.svg"
    grep -o 'digest [0-9a-f]*' "$tmp/shapes.svg" | head -n 1
}
before=$(digest)
printf 'not read' >>"$tmp/shapes.bin"
check "bytes that no constant names are not in the digest" same "$(digest)" "$before"
printf '\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' >"$tmp/shapes.bin"
check "bytes that one names are" bash -c '[ -n "$1" ] && [ "$1" != "$2" ]' - "$(digest)" "$before"
ln -s shapes.bin "$tmp/weights.csv"
refuses "what was read is not written over" plan "$tmp/shapes.xml" --dim ids:0=2 --dim ids:1=6 --dim flat:0=6 -o "$tmp/weights.csv" \
    because ".*weights.csv is what is open here; it is not written over"
truncate -s 600M "$tmp/shapes.bin"
run plan "$tmp/shapes.xml" --dim ids:0=2 --dim ids:1=6 --dim flat:0=6 --max-input 1M --format json
check "a large .bin is not read as a whole" json '.buffers == 2 and .naive == 48'
rm "$tmp/shapes.bin"
mkfifo "$tmp/shapes.bin"
refuses "a pipe is none" plan "$tmp/shapes.xml" --dim ids:0=2 --dim ids:1=6 --dim flat:0=6 because '.*the model needs rows:0, .*'
rm "$tmp/shapes.bin"
refuses "without them" plan "$tmp/shapes.xml" --dim ids:0=2 --dim ids:1=6 --dim flat:0=6 because '.*the model needs rows:0, which is left open: .* --dim rows:0=1, or'
run plan "$tmp/shapes.xml" --dim ids:0=2 --dim ids:1=6 --dim flat:0=6 --dim rows:0=3 --format json
check "and with the length itself: the other follows" json '.naive == 48'

# Small inputs, each with what it must come to.
cases=$SOURCE/../shared/cases
figure() { # NAME FILE PEAK [OPTION...]
    local name=$1 file=$cases/$2 peak=$3
    shift 3
    if [ ! -f "$file" ]; then
        skip "$name: $file is not there"
        return
    fi
    run plan "$file" --format json "$@"
    check "$name" json ".peak == $peak"
}
figure "alignments of allocations" mlir_alignment.mlir 184 -p greedy-by-size
figure "a type on the next line" mlir_line_break.mlir 4096
figure "blanks in a shape" mlir_spaces.mlir 40
figure "quantized elements" mlir_quant.mlir 16
figure "a parameter that lives on" hlo_parameter_lives_on.hlo 20480 -p greedy-by-size
figure "sizes that IREE rounds up" iree_range_alignment.mlir 192 -p branch-and-bound
figure "lengths that follow" ov_dynamic_follows.xml 768 --dim ids:0=1 --dim ids:1=16
finish
