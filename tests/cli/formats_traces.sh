#!/usr/bin/env bash
# What gzip compressed, and what a run recorded: memory snapshots of PyTorch.
. "$(dirname "$0")/lib.bash"

printf 'id,lower,upper,size\na,0,2,8\nb,1,3,16\n' >"$tmp/x.csv"
gzip -c "$tmp/x.csv" >"$tmp/x.csv.gz"
run plan "$tmp/x.csv.gz" --format json
check "gzip: a file" json '.buffers == 2 and .peak == 24 and .graph == "x"'
gzip -c "$tmp/x.csv" | "$STOWAGE" plan - --format json >"$tmp/out" 2>"$tmp/err"
check "gzip: standard input" json '.buffers == 2 and .peak == 24'
cat "$tmp/x.csv.gz" "$tmp/x.csv.gz" >"$tmp/twice.csv.gz"
refuses "gzip: two members are one text" plan "$tmp/twice.csv.gz" because '.*twice.csv.gz:4:'
echo 'return {operators = {}, buffers = {{name = "a", size = 3, first = 0, last = 1}}}' >"$tmp/p.lua"
gzip "$tmp/p.lua"
run plan "$tmp/p.lua.gz" --format json
check "gzip: a program" json '.naive == 3'
run plan "$tmp/x.csv.gz" -o "$tmp/plan.csv"
gzip "$tmp/plan.csv"
run check "$tmp/x.csv" "$tmp/plan.csv.gz"
check "gzip: a plan" exits 0
head -c 20 "$tmp/x.csv.gz" >"$tmp/cut.csv.gz"
refuses "gzip: cut off" plan "$tmp/cut.csv.gz" because '.*cut.csv.gz: the gzip data is cut off at offset 20$'
printf '\037\213\010' | "$STOWAGE" plan - >"$tmp/out" 2>"$tmp/err"
check "gzip: cut off in standard input" complains '.*-: the gzip data is cut off at offset 3$'
finish
