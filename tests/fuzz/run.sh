#!/usr/bin/env bash
# run.sh SECONDS [TARGET...]: build the fuzzers and run each (or those named: "graph_json") for so long,
# one after another. What they learn is kept in build-fuzz/learnt, what they find in
# build-fuzz/found/TARGET. Ends in "N passed, N failed, N skipped"; fails when anything was found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:?"usage: run.sh SECONDS [TARGET...]"}
shift
folder=build-fuzz passed=0 failed=0
tests/fuzz/build.sh "$folder"
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    targets+=("${target#fuzz_}")
  done
fi
for target in "${targets[@]}"; do
  learnt=$folder/learnt/$target found=$folder/found/$target
  mkdir -p "$learnt" "$found"
  case $target in
    heaptrack) dictionary=requests.dict ;;
    tflm_log | readers | pasted) dictionary=logs.dict ;;
    hlo | openvino | mlir) dictionary=compilers.dict ;;
    *csv) dictionary=csv.dict ;;
    lua | patterns | config) dictionary=lua.dict ;;
    onnx) dictionary=onnx.dict ;;
    tflite | pte) dictionary=flat.dict ;;
    session) dictionary=session.dict ;;
    trace) dictionary=trace.dict ;;
    gzip) dictionary=gzip.dict ;;
    pytorch) dictionary=pickle.dict ;;
    *) dictionary=json.dict ;;
  esac
  corpora=("tests/fuzz/corpus/$target")
  if [ "$target" = readers ]; then # the scripts that ship: READER(sw_format_NAME, ...)
    mapfile -t corpora < <(sed -n 's#^READER(sw_format_\([a-z_]*\),.*#tests/fuzz/corpus/\1#p' app/formats.def)
  fi
  # Without names of functions, for which a symbolizer would be started: the target `session` takes it for a command that is run.
  if "$folder/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_funcs=0 \
    -max_len=65536 -dict="tests/fuzz/$dictionary" -artifact_prefix="$PWD/$found/" \
    -print_final_stats=1 "$learnt" "${corpora[@]}" >"$folder/$target.log" 2>&1; then
    passed=$((passed + 1))
    echo "fuzz $target: nothing found in $seconds s" \
      "($(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log") inputs)"
  else
    failed=$((failed + 1))
    echo "fuzz $target: FAILED, see $folder/$target.log and $found"
    tail -n 30 "$folder/$target.log"
  fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
