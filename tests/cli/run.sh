#!/usr/bin/env bash
# stowage run: the same bytes from one process, several, and merged shards; what goes wrong is one line.
. "$(dirname "$0")/lib.bash"
shipped=$SOURCE/scripts/experiments
experiment() { cat >"$tmp/$1.lua"; }
no_files() { [ ! -d "$1" ] || [ -z "$(ls -A "$1")" ]; }

# ---- one process, several, shards ----
experiment sweep <<'EOT'
local arg = ...
local count = 0 -- of this state: every case has one of its own
return {
  name = "sweep",
  cases = function(args)
    local list = {}
    for i = 1, args.n or 7 do list[i] = {i = i, half = i / 2, text = "a,b|" .. i, list = {i, i + 1}} end
    return list
  end,
  run = function(case)
    local made = {n = 0}
    function made.next() made.n = made.n + 1 return made.n end
    local graph = stowage.graph({name = "g", operators = {}, buffers = {
      {name = "a", size = 64 * case.i, first = 0, last = 1}, {name = "b", size = 32, first = 1, last = 2}}})
    local plan = graph:plan{planner = "first-fit", seed = case.i}
    return {i = case.i, half = case.half, text = case.text, peak = plan.peak, bound = graph.lower_bound,
            draw = math.random(1000000), calls = made.next(), third = case.i / 3, fits = plan.feasible,
            second = case.list[2]}
  end,
  report = function(rows, out, cases)
    assert(#rows == #cases and cases[1].list[2] == 2)
    out:text("rows: " .. #rows)
    out:table(rows, {"i", {"half", title = "1/2", digits = 2}, "text", {"peak", bytes = true}, "nothing", "fits"})
    out:markdown(rows, {"i", "text", "draw", "calls", "second"})
    out:csv("rows.csv", rows, {"i", "half", "third", "text", "peak", "nothing", "fits"})
    local points = {}
    for i, row in ipairs(rows) do points[i] = {row.i, row.peak} end
    out:plot("peak.svg", {title = "Peak", x = "i", y = "peak", bytes_y = true, series = {{name = "p & q", points = points}}})
    out:plot("log.png", {log_x = true, series = {{name = "p", points = points}}})
  end,
}
EOT
sweep=$tmp/sweep.lua
run run "$sweep"
check "without -o: exit 0" exits 0
check "without -o: nothing on standard error" calm
check "a table, aligned" says '^1  0\.50  a,b\|1   96 B        -  yes$'
check "Markdown" says '^\| 1 \| a,b\\\|1 \| [0-9,]+ \| 1 \| 2 \|$'
check "without -o nothing is written" no_files "$tmp/one"
run run "$sweep" -o "$tmp/one" --progress always
cp "$tmp/out" "$tmp/one.txt"
check "progress" grep -qx 'sweep: 7 of 7 cases' "$tmp/err"
check "the folder is made, and holds what was reported" same "$(ls "$tmp/one" | tr '\n' ' ')" "log.png peak.svg rows.csv "
check "CSV" grep -qx '2,1,0.6666666666666666,"a,b|2",160,,true' "$tmp/one/rows.csv"
check "the plot has title, axis and legend" grep -q '<title>Peak</title>' "$tmp/one/peak.svg"
check "a point of a plot can be pointed at" grep -q '<title>p &amp; q at 2 (i): 160 B (peak)</title>' "$tmp/one/peak.svg"

# ---- how plots look ----
cat >"$tmp/looks.lua" <<'EOT'
return {
  name = "looks", cases = function() return {{x = 1}, {x = 2}} end, run = function(case) return case end,
  report = function(rows, out)
    local far, same = {{1, 4500000}, {10, 12000000}, {1000, 90}}, {{1, 4500000}, {10, 12000000}, {1000, 7}}
    out:plot("far.svg", {x = "n", y = "count", series = {{name = "one", points = far}, {name = "two", points = same}}})
    out:plot("far.html", {x = "n", log_x = true, log_y = true, series = {{name = "one", points = far}, {name = "two", points = same}}})
    out:plot("names.svg", {names = {"net", "<other & longer>"}, series = {{name = "a", points = {{1, 5}, {2, 6}}}}})
  end,
}
EOT
words() { grep -oE '<text[^>]*>[^<]*' "$1" | sed 's/.*>//'; }
run run "$tmp/looks.lua" -o "$tmp/looks" --size 600x338 --theme dark
check "plots in another size and theme" exits 0
check "of that size" grep -qE '<svg[^>]* width="600(pt)?" height="338(pt)?"' "$tmp/looks/far.svg"
check "no exponents: prefixes" same "$(words "$tmp/looks/far.svg" | grep -cE '^[0-9]+M$') $(words "$tmp/looks/far.svg" | grep -c 'e+')" "2 0"
check "where curves are equal that is said" grep -q 'Curves that are equal lie on each other' "$tmp/looks/far.svg"
check "a page: a point can be pointed at" grep -q '<title>one at 10 (n): 12,000,000</title>' "$tmp/looks/far.html"
check "a page: all points are one group, which keys go through" same "$(grep -c 'class="blocks"' "$tmp/looks/far.html") $(grep -oE '<title>(one|two) at' "$tmp/looks/far.html" | wc -l)" "1 6"
check "a page: the axis says that it is logarithmic" grep -q '>n (logarithmic)<' "$tmp/looks/far.html"
check "names of strangers are text" grep -q '<title>a at &lt;other &amp; longer&gt;: 6</title>' "$tmp/looks/names.svg"
sed 's/{1000, 90}/{1000, 0}/' "$tmp/looks.lua" >"$tmp/zero.lua"
refuses "nothing at 0 on a logarithmic axis" run "$tmp/zero.lua" -o "$tmp/zero" because '.*on a logarithmic axis every y is above 0'
cat >"$tmp/near.lua" <<'EOT'
return {
  name = "near", cases = function() return {{x = 1}} end, run = function(case) return case end,
  report = function(rows, out)
    out:plot("near.svg", {series = {{name = "p", points = {{1, 1}, {2, 1 + 2 ^ -52}}}}})
    out:plot("large.svg", {bytes_y = true, series = {{name = "p", points = {{1e18, 1e18}, {1e18 + 128, 1e18 + 128}}}}})
    out:plot("far.svg", {series = {{name = "p", points = {{1, -1e300}, {2, 1e300}}}}})
  end,
}
EOT
run run "$tmp/near.lua" -o "$tmp/near"
check "values that hardly differ, or hardly could more, come to an end" exits 0
check "and have a place" same "$(grep -ciE '="-?(nan|inf)' "$tmp"/near/*.svg | paste -sd ' ' | sed 's|[^ ]*/||g')" "far.svg:0 large.svg:0 near.svg:0"
sed 's/-1e300/-1e308/' "$tmp/near.lua" >"$tmp/beyond.lua"
refuses "what no axis holds" run "$tmp/beyond.lua" -o "$tmp/beyond" because '.*a point is .x, y., two numbers of at most 1e300'
refuses "looks without pictures" run "$sweep" --size a4 because '--size is about pictures: a folder for them is named with -o'
refuses "looks of a shard" run "$sweep" --shard 1/3 --dpi 72 -o "$tmp/s.jsonl" because '--dpi is about pictures'
refuses "an unknown theme, before anything runs" run "$sweep" --theme nothere -o "$tmp/none" because "there is no theme 'nothere'"
for jobs in 1 2 5; do
    run run "$sweep" --jobs $jobs -o "$tmp/jobs$jobs"
    check "--jobs $jobs: the same report" cmp "$tmp/out" "$tmp/one.txt"
    check "--jobs $jobs: the same files" diff -r "$tmp/jobs$jobs" "$tmp/one"
done
for i in 1 2 3; do
    run run "$sweep" --shard $i/3 -o "$tmp/$i.jsonl" --jobs 2
    check "--shard $i/3" exits 0
    check "--shard $i/3: prints nothing" silent
done
check "a shard is lines of JSON" same "$(jq -r .case "$tmp/2.jsonl" | tr '\n' ' ')" "2 5 "
run run "$sweep" --merge "$tmp/3.jsonl" "$tmp/1.jsonl" "$tmp/2.jsonl" -o "$tmp/merged"
check "merged: the same report" cmp "$tmp/out" "$tmp/one.txt"
check "merged: the same files" diff -r "$tmp/merged" "$tmp/one"
run run "$sweep" --shard 9/9
check "a shard without cases" exits 0
check "a shard without cases has no rows" silent

# ---- shards that do not belong together, or are not all there ----
refuses "a missing shard" run "$sweep" --merge "$tmp/1.jsonl" "$tmp/3.jsonl" because '2 of 7 cases are missing: 2, 5$'
run run "$sweep" --merge "$tmp/"{1,2,3,2}.jsonl
check "a shard twice, as a task leaves it that was started again" cmp "$tmp/out" "$tmp/one.txt"
sed 's/"half":2.5/"half":2.75/' "$tmp/2.jsonl" >"$tmp/differs.jsonl"
refuses "a case twice with another row" run "$sweep" --merge "$tmp/"{1,2,3,differs}.jsonl because ".*differs\.jsonl:2: case 5 is there twice, and its rows differ in 'half': see .*2\.jsonl:2"

# ---- the part that a scheduler gives ----
unset SLURM_ARRAY_TASK_ID OMPI_COMM_WORLD_RANK PARALLEL_SEQ
cases_of() { jq -r .case "$tmp/out" | tr '\n' ' '; }
task() { # ID MIN STEP COUNT RANK SIZE: what Slurm and Open MPI say; "-": nothing
    local words=()
    [ "$1" = - ] || words+=(SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_MIN=$2 SLURM_ARRAY_TASK_STEP=$3 SLURM_ARRAY_TASK_COUNT=$4)
    [ "$5" = - ] || words+=(OMPI_COMM_WORLD_RANK=$5 OMPI_COMM_WORLD_SIZE=$6)
    env "${words[@]}" "$STOWAGE" run "$sweep" --shard auto >"$tmp/out" 2>"$tmp/err"
    status=$?
}
task 30 10 10 3 - -
check "the last of an array 10-30:10" same "$(cases_of)" "3 6 "
task 0 0 1 7 - -
check "the first of an array 0-6" same "$(cases_of)" "1 "
task - - - - 1 3
check "the second rank of three" same "$(cases_of)" "2 5 "
task 5 4 1 2 0 3
check "the first of three ranks in the second of two tasks" same "$(cases_of)" "4 "
task 5 1 3 4 - -
check "a list of tasks that is no range" complains '.*no range with equal steps; say --shard I/N'
task 3 1 1 2 - -
check "a task beyond the count" complains '.*no range with equal steps; say --shard I/N'
task x 1 1 2 - -
check "a task without a number" complains "--shard auto: SLURM_ARRAY_TASK_ID is 'x', and no number from 0 on"
task - - - - 3 3
check "a rank beyond the size" complains '--shard auto: OMPI_COMM_WORLD_RANK is not below'
task 1 1 1 1000000 1 1000000
check "more parts than there can be" complains '--shard auto: more than 1000000 parts'
refuses "auto without a scheduler" run "$sweep" --shard auto because '--shard auto: this runs neither in an array of Slurm'
PARALLEL_SEQ=2 run run "$sweep" --shard auto/3
check "the second job of GNU parallel, of three" same "$(cases_of)" "2 5 "
PARALLEL_SEQ=4 refuses "a job beyond the number" run "$sweep" --shard auto/3 because '--shard auto/3: PARALLEL_SEQ is 4'
refuses "auto/N without GNU parallel" run "$sweep" --shard auto/3 because '--shard auto: PARALLEL_SEQ is not set'
for i in 1 2 3; do PARALLEL_SEQ=$i "$STOWAGE" run "$sweep" --shard auto/3 -o "$tmp/auto$i.jsonl"; done
run run "$sweep" --merge "$tmp/"auto{1,2,3}.jsonl
check "merged: the same report again" cmp "$tmp/out" "$tmp/one.txt"
if command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q GNU; then
    (cd "$tmp" && parallel -n0 "$STOWAGE run $sweep --shard auto/3 -o real{#}.jsonl" ::: 1 2 3)
    run run "$sweep" --merge "$tmp/"real{1,2,3}.jsonl
    check "under GNU parallel itself" cmp "$tmp/out" "$tmp/one.txt"
else
    echo "skipped: GNU parallel is not installed"
fi
if command -v mpirun >/dev/null; then
    (cd "$tmp" && mpirun --allow-run-as-root --oversubscribe -n 3 sh -c \
        "$STOWAGE run $sweep --shard auto -o rank\$OMPI_COMM_WORLD_RANK.jsonl")
    run run "$sweep" --merge "$tmp/"rank{0,1,2}.jsonl
    check "under Open MPI itself" cmp "$tmp/out" "$tmp/one.txt"
else
    echo "skipped: Open MPI is not installed"
fi
refuses "shards of other arguments" run "$sweep" n=8 --merge "$tmp/"{1,2,3}.jsonl because '.*1\.jsonl:1: this row belongs to another script, other arguments'
sed 's/"rows: "/"Rows: "/' "$sweep" | experiment other
refuses "shards of another script" run "$tmp/other.lua" --merge "$tmp/"{1,2,3}.jsonl because '.*1\.jsonl:1: this row belongs to another script'
echo '{"case":1}' >"$tmp/foreign.jsonl"
refuses "a foreign file" run "$sweep" --merge "$tmp/foreign.jsonl" because '.*foreign\.jsonl:1: this is no row of an experiment'
head -c 40 "$tmp/1.jsonl" >"$tmp/half.jsonl"
refuses "half a line" run "$sweep" --merge "$tmp/half.jsonl" because '.*half\.jsonl:1: this is no row of an experiment'
refuses "no such shard" run "$sweep" --merge "$tmp/nosuch.jsonl" because '.*nosuch\.jsonl: .*No such file'
refuses "merging nothing" run "$sweep" --merge because '--merge needs the files that --shard wrote'
refuses "merging and running" run "$sweep" --merge --jobs 2 "$tmp/1.jsonl" because '--merge runs nothing'
for shard in 0/3 4/3 3 1/0 x/y 1/2/3 '' auto/ auto/0 auto/x auto3; do
    refuses "shard '$shard'" run "$sweep" --shard "$shard" because "--shard .*: expected I/N"
done
for jobs in 0 257 -1 x; do
    refuses "jobs $jobs" run "$sweep" --jobs "$jobs" because "--jobs $jobs: expected a number of processes"
done
refuses "an operand that is no argument" run "$sweep" n because 'run n: an argument of the script is KEY=VALUE'

# ---- scripts that fail ----
# fails NAME PATTERN: the script on standard input; with one process and two the same line.
fails() {
    experiment "$1"
    for jobs in 1 2; do
        refuses "$1, $jobs" run "$tmp/$1.lua" --jobs $jobs -o "$tmp/$1-out" because "$2"
        check "$1, $jobs: no files" no_files "$tmp/$1-out"
    done
}
fails nothing '.*nothing\.lua: the script returns nothing instead of an experiment' <<<'local x = 1'
fails norun ".*norun\.lua: the experiment has no function 'run'" <<<'return {cases = function() end}'
rest='report = function() end}'
fails nolist ".*nolist\.lua: 'cases' returns nil instead of a list" <<<"return {cases = function() end, run = function() end, $rest"
fails function '.*function\.lua: .*f: a function, which no file can hold' <<<"return {cases = function() return {{f = print}} end, run = function() end, $rest"
three='cases = function() return {{i = 1}, {i = 2}, {i = 3}} end,'
fails failing '.*failing\.lua:2: case 2 of 3, \{"i":2\}: attempt to index a nil value' <<<"return {$three
  run = function(case) if case.i >= 2 then return nothing.x end return case end, $rest"
fails norow ".*norow\.lua: case 1 of 3, \{\"i\":1\}: 'run' returns nil instead of a row" <<<"return {$three run = function() end, $rest"
fails infinite '.*case 1 of 3, .*: x: a number that is not finite' <<<"return {$three run = function() return {x = 1 / 0} end, $rest"
fails endless '.*endless\.lua:1: case 1 of 3, .*: the script (does not come to an end|takes too long)' <<<"return {$three run = function() while true do end end, $rest"
fails inreport '.*inreport\.lua:1: ' <<<"return {$three run = function(c) return c end, report = function(rows, out) out:csv('x.csv', rows) error('no') end}"
fails badname ".*badname\.lua:1: '\.\./x\.csv' is no name for this file" <<<"return {$three run = function(c) return c end, report = function(rows, out) out:csv('../x.csv', rows) end}"
fails twice '.*the report writes x\.csv twice' <<<"return {$three run = function(c) return c end, report = function(rows, out) out:csv('x.csv', rows) out:csv('x.csv', rows) end}"
fails noplanner '.*: .*case 1 of 3, .*nosuch' <<<"return {$three run = function() return stowage.load('example1'):plan{planner = 'nosuch'} end, $rest"
fails nooption '.*case 1 of 3, .*graph:plan: unknown option planer' <<<"return {$three run = function() return stowage.load('example1'):plan{planer = 'x'} end, $rest"
fails nograph '.*there is no graph /etc/passwd' <<<"return {$three run = function() return stowage.load('/etc/passwd') end, $rest"
fails badgraph '.*in buffers, b: size -1 is negative' <<<"return {$three run = function() return stowage.graph({buffers = {{name = 'b', size = -1}}, operators = {}}) end, $rest"
fails metatable '.*case 1 of 3' <<<"return {$three run = function() setmetatable(stowage.load('example1'), {}) end, $rest"

# A report fails only after all that it may need is there; caught errors leave nothing behind.
experiment caught <<'EOT'
return {cases = function() return {{}} end, run = function()
  local ok = pcall(stowage.load, "nosuch")
  local bad = pcall(function() return stowage.load("example1"):plan{planner = "first-fit", set = {x = 1}} end)
  local pushed = pcall(stowage.graph, {buffers = {{name = "b", size = print}}})
  local graph = stowage.load("two_tiers"):with{capacity = 1024}
  return {ok = ok, bad = bad, pushed = pushed, tiers = #graph:problem().tiers, name = graph.name,
          capacity = graph:problem().tiers[1].capacity}
end, report = function(rows, out) out:markdown(rows) end}
EOT
run run "$tmp/caught.lua"
check "errors that a script catches" says '^\| no \| 1,024 \| two_tiers \| no \| no \| 2 \|$'

# ---- the machine fails ----
printf 'x' >"$tmp/file"
# A script's report goes over no file that was there, nor through a link out of the folder.
mkdir "$tmp/own" "$tmp/linked"
echo mine >"$tmp/own/rows.csv"
echo theirs >"$tmp/theirs"
ln -s "$tmp/theirs" "$tmp/linked/rows.csv"
for folder in own linked; do
    refuses "a report over what was there: $folder" run "$sweep" -o "$tmp/$folder" because ".*$folder/rows.csv: this was there before, and a script writes over no such file; --write-anywhere allows it"
done
check "nothing else is written" same "$(ls "$tmp/own" "$tmp/linked" | grep -c .)" 4
check "both are as they were" same "$(cat "$tmp/own/rows.csv" "$tmp/theirs")" "mine
theirs"
run run "$sweep" -o "$tmp/own" --write-anywhere
check "--write-anywhere" cmp "$tmp/own/rows.csv" "$tmp/one/rows.csv"
refuses "a file where a folder is wanted" run "$sweep" -o "$tmp/file" because "$tmp/file: this is no folder"
refuses "a folder in a folder that is not there" run "$sweep" -o "$tmp/no/such" because "$tmp/no/such: cannot make this folder"
if [ "$(id -u)" -ne 0 ]; then
    mkdir -p "$tmp/locked"
    chmod 555 "$tmp/locked"
    refuses "a folder that is locked" run "$sweep" -o "$tmp/locked" because "$tmp/locked: cannot write into this folder"
else
    skip "root writes into every folder"
fi
mkdir -p "$tmp/taken/rows.csv"
refuses "a file that cannot be written" run "$sweep" -o "$tmp/taken" because "$tmp/taken/rows.csv: "
if [ -w /dev/full ]; then
    "$STOWAGE" run "$sweep" >/dev/full 2>"$tmp/err" </dev/null
    check "a full disk" complains 'standard output: .*No space left on device'
fi

# A worker that dies, and Ctrl-C: the case is named, nothing is written.
experiment slow <<'EOT'
return {cases = function() return {{i = 1}, {i = 2}, {i = 3}, {i = 4}} end, run = function(case)
  if case.i == 1 then return case end
  print("working")
  return stowage.load("densenet121", {args = {cores = 16}}):plan{planner = "random-order", set = {evaluations = 100000000}}
end, report = function() end}
EOT
wait_for() { # PATTERN: in standard error
    for _ in $(seq 500); do
        grep -q "$1" "$tmp/err" && return 0
        sleep 0.02
    done
    return 1
}
if command -v pgrep >/dev/null; then
    sed 's/case.i == 1/case.i ~= 2/' "$tmp/slow.lua" | experiment dying
    "$STOWAGE" run "$tmp/dying.lua" --jobs 2 -o "$tmp/dying" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    wait_for working
    sleep 0.2 # the other process is through with the other cases then
    # shellcheck disable=SC2046
    kill -KILL $(pgrep -P $pid)
    wait $pid
    status=$?
    sed -i '/^working$/d' "$tmp/err"
    check "a worker that dies: exit 2" exits 2
    check "a worker that dies: its case" complains 'case 2 of 4: its process died of signal 9$'
    check "a worker that dies: no files" no_files "$tmp/dying"
else
    skip "no pgrep"
fi
for jobs in 1 2; do
    (
        trap - INT # a shell lets what it runs in the background ignore Ctrl-C
        exec "$STOWAGE" run "$tmp/slow.lua" --jobs $jobs --shard 1/1 -o "$tmp/stopped.jsonl"
    ) >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    wait_for working
    sleep 0.2
    kill -INT $pid
    wait $pid
    status=$?
    check "Ctrl-C, $jobs: exit 2" exits 2
    check "Ctrl-C, $jobs: says so" grep -qE '^stowage: .*interrupted' "$tmp/err"
    check "Ctrl-C, $jobs: no half file" [ ! -e "$tmp/stopped.jsonl" ]
done

# ---- demands, and lists of what came of them ----
experiment costs <<'EOT'
return {
  name = "costs",
  cases = function() return {{cost = "energy"}, {cost = "bank_conflicts.lua"}, {cost = "scripts/costs/dma_overlap.lua"}, {cost = "mine.lua"}} end,
  run = function(case)
    local g = stowage.load("two_tiers")
    local r = g:plan{planner = "tier-search", cost = case.cost, actions = "swap"}
    return {cost = case.cost, E = r.cost, greedy = g:plan{planner = "greedy-by-size", cost = case.cost}.cost}
  end,
  report = function(rows, out) out:csv("costs.csv", rows, {"cost", "E", "greedy"}) end,
}
EOT
cp "$SOURCE/scripts/costs/energy.lua" "$tmp/mine.lua"
run run "$tmp/costs.lua" -o "$tmp/costs"
check "cost models and actions by name, by path, and beside the script" exits 0
for cost in energy bank_conflicts dma_overlap; do
    want=$("$STOWAGE" plan "$models/two_tiers.json" -p tier-search --cost "$SOURCE/scripts/costs/$cost.lua" --actions "$SOURCE/scripts/actions/swap.lua" --format json | jq .cost)
    check "$cost: what the command line says" same "$want" "$(grep "$cost" "$tmp/costs/costs.csv" | cut -d, -f2 | jq .)"
done
# A cost model and actions written in the experiment do what the same in files do.
experiment own <<'EOT'
local function energy(a) -- as energy.lua, with other words
  local pj = {sram = 1.3, dram = 20.8}
  return a.bytes * (pj[a.tier.name] or 1)
end
return {
  name = "own",
  cases = function() return {{model = "two_tiers"}} end,
  run = function(case)
    local g = stowage.load(case.model)
    local row = {}
    for name, how in pairs({
      fn = {cost = energy}, tb = {cost = {name = "mine", access = energy}}, file = {cost = "own_cost.lua"},
      whole = {cost = {whole = function(layout) return layout:peak("sram") + 2 * layout:peak("dram") end}},
      swap = {actions = "own_action.lua"}, act = {actions = function() return nil, "it stays" end},
      acts = {actions = {{name = "never", propose = function() return nil, "it stays" end}}},
    }) do
      how.planner, how.give = "tier-search", {"journal", "blame"}
      local r = g:plan(how)
      row[name] = r.cost
      row[name .. "_journal"] = #r.journal
      if name == "fn" then
        assert(r.traffic.sram + r.traffic.dram > 0)
        assert(math.abs(r.tier_costs.sram + r.tier_costs.dram - r.cost) < 1e-6)
        assert(math.abs(r.tier_costs.dram - 20.8 * r.traffic.dram) < 1e-6)
      elseif name == "whole" then
        assert(r.tier_costs == nil and r.traffic.sram)
        assert(r.cost >= r.tier_peaks.sram + 2 * r.tier_peaks.dram) -- a tier filled from its far end ends above what it holds
      end
    end
    return row
  end,
  report = function(rows) local r = rows[1]
    assert(r.fn == r.tb and r.fn == r.file and r.fn_journal == r.file_journal)
    assert(r.act == r.swap and r.act == r.acts and r.act_journal == r.swap_journal)
  end,
}
EOT
printf 'return {access = function(a) return a.bytes * (a.tier.name == "sram" and 1.3 or 20.8) end}\n' >"$tmp/own_cost.lua"
printf 'return function() return nil, "it stays" end\n' >"$tmp/own_action.lua"
run run "$tmp/own.lua"
check "cost models and actions written in the experiment" exits 0
check "written in the experiment: nothing on standard error" calm
cp "$SOURCE/tests/golden/models/breed.csv" "$SOURCE/tests/golden/models/migrate.json" "$models/nasnet.lua" "$tmp"
experiment policies <<'EOT'
return {
  name = "policies",
  cases = function() return {{i = 1}} end,
  run = function()
    local b = stowage.load("branches")
    local how = {planner = "lifetime-best-fit"}
    local function under(policy) how.policy = policy return b:plan(how) end
    local own, plain = under("own_fit"), under(nil)
    assert(own.peak == plain.peak and own.decisions == plain.decisions)
    local high = under{fit = function(buffer, free) return #free end, grow = function(_, free) return #free end}
    assert(high.feasible and high.decisions ~= plain.decisions)
    return {i = 1}
  end,
  report = function() end,
}
EOT
run run "$tmp/policies.lua"
check "policies by name, and written in the experiment" exits 0
check "policies: nothing on standard error" calm
experiment ruled <<'EOT'
return {
  name = "ruled",
  cases = function() return {{i = 1}} end,
  run = function()
    local g = stowage.load("two_tiers")
    local how = {planner = "tier-search", set = {start = "rules", grow = "false"}, give = {"journal", "placements"}}
    local function under(actions) how.actions = actions return g:plan(how) end
    local own, plain = under("own_places"), under(nil)
    assert(own.cost == plain.cost and own.decisions == plain.decisions)
    for i, p in ipairs(plain.placements) do assert(p.tier == own.placements[i].tier and p.offset == own.placements[i].offset) end
    local mine = under{
      name = "backwards",
      places = function(_, places) local o = {} for i = 1, #places do o[i] = #places + 1 - i end return o end,
      boundaries = function(problem) return {problem.steps - 1} end,
    }
    assert(mine.feasible and mine.journal[1].reason == "the place that backwards ranks first")
    assert(mine.details.segments_at[2] == 3)
    how.set.segments = "at:1,3"
    assert(under(nil).details.segments_at[3] == 3)
    return {i = 1}
  end,
  report = function() end,
}
EOT
run run "$tmp/ruled.lua"
check "rules of tier-search by name, and written in the experiment" exits 0
check "rules: nothing on standard error" calm
experiment bred <<'EOT'
return {
  name = "bred",
  cases = function() return {{i = 1}} end,
  run = function()
    local g = stowage.load("breed.csv")
    local how = {planner = "order-genetic", set = {choices = "plain", generations = 4}}
    local function with(breeding) how.breeding = breeding return g:plan(how) end
    local own, plain = with("own"), with(nil)
    assert(own.peak == plain.peak and own.decisions == plain.decisions and own.work == plain.work)
    local reversed = with{name = "there and back", mutate = function(child, random) return 1, #child.order, random(2) == 1 end}
    assert(reversed.peak and reversed.decisions ~= plain.decisions)
    local m = stowage.load("migrate.json")
    local how = {planner = "segment-genetic", set = {choices = "plain", rounds = 4}}
    local function moving(breeding) how.breeding = breeding return m:plan(how) end
    local own, plain = moving("own_segments"), moving(nil)
    assert(own.migration_bytes == plain.migration_bytes and own.decisions == plain.decisions and own.work == plain.work)
    local still = moving{name = "still", planner = "segment-genetic", crossover = function() return {} end, mutate = function() return {} end}
    assert(still.migration_bytes and still.migration_bytes >= plain.migration_bytes)
    local chosen = moving("tournament_segments")
    assert(chosen.migration_bytes and chosen.decisions ~= plain.decisions)
    local n = stowage.load("nasnet.lua")
    local function sharing(breeding) return n:plan{planner = "token-sharing", breeding = breeding} end
    local close, plain = sharing("close_tokens"), sharing(nil)
    assert(close.peak < plain.peak)
    assert(sharing{planner = "token-sharing", reuse = function(one) return one.possible end}.peak == plain.peak)
    return {i = 1}
  end,
  report = function() end,
}
EOT
run run "$tmp/bred.lua"
check "operators of genetic planners by name, and written in the experiment" exits 0
check "operators: nothing on standard error" calm
experiment blame <<'EOT'
return {
  name = "blame",
  cases = function() return {{i = 1}} end,
  run = function()
    local g = stowage.load("densenet121")
    local b = g:plan{planner = "greedy-by-size", give = {"blame"}}.blame
    assert(b.peak == 8028160 and b.decision == 86 and b.buffer == "d1_6_conv2" and b.size == 401408)
    assert(b.offset + b.size == b.peak and b.cause == "no room" and b.free_below == 0 and #b.below == 3)
    assert(b.bound.bytes == g.lower_bound and b.bound.operator == "d1_6_conv1" and #b.bound.alive == 3)
    local example = stowage.load("example1")
    assert(example:plan{planner = "first-fit", pins = {b3 = 8192}, give = {"blame"}}.blame.cause == "pinned")
    local cores = stowage.load("two_cores"):plan{planner = "greedy-by-size", give = {"blame"}}.blame
    assert(cores.bound.bytes == 16 and cores.bound.operator == "split" and #cores.bound.alive == 3)
    return {i = 1}
  end,
  report = function() end,
}
EOT
run run "$tmp/blame.lua"
check "why the peak, and why the bound, as figures" exits 0
check "blame: nothing on standard error" calm
experiment demands <<'EOT'
local function at(list, name) for _, p in ipairs(list) do if p.buffer == name then return p end end end
return {
  name = "demands",
  cases = function() return {{i = 1}} end,
  run = function()
    local g = stowage.load("example1")
    local plain = g:plan{planner = "first-fit", give = {"placements", "journal", "overwrites", "transfers"}}
    assert(#plain.journal == plain.decisions and #plain.placements == 6 and #plain.overwrites == 0)
    assert(plain.fits and plain.fragmentation == 0 and plain.over_bound == 0 and plain.reuse > 1)
    for i, d in ipairs(plain.journal) do
      assert(d.step == i and d.kind == "place" and at(plain.placements, d.buffer).offset == d.offset)
      local chosen = 0
      for _, c in ipairs(d.candidates) do
        chosen = chosen + (c.verdict == "chosen" and 1 or 0)
        if c.verdict == "chosen" then assert(c.offset == d.offset and #c.reason > 0) end
      end
      assert(chosen == 1)
    end
    -- what is demanded holds, in every way to say it
    local pinned = g:plan{planner = "first-fit", pins = {b3 = 8192, b1 = {offset = 16384, tier = 1}}, give = {"placements"}}
    assert(at(pinned.placements, "b3").offset == 8192 and at(pinned.placements, "b1").offset == 16384)
    local moved = g:plan{planner = "best-fit", forbid = {{lo = 0, hi = 4096}, {lo = 8192, hi = 8448, buffer = "b0"}}, give = {"placements"}}
    for _, p in ipairs(moved.placements) do assert(p.offset >= 4096) end
    local way
    local m = stowage.load("mobilenet_v1_025_96")
    for i, d in ipairs(m:plan{planner = "best-fit", give = {"journal"}}.journal) do
      for k, c in ipairs(d.candidates) do if c.verdict == "fits" and not way then way = {i, k, c.offset} end end
    end
    local other = m:plan{planner = "best-fit", choose = {[way[1]] = way[2]}, give = {"journal"}}
    assert(other.journal[way[1]].forced and other.journal[way[1]].offset == way[3])
    -- and the same run without demands is the same
    assert(g:plan{planner = "first-fit", pins = {}, forbid = {}, choose = {}}.peak == plain.peak)
    local two = stowage.load("two_tiers"):plan{planner = "tier-search", set = {carry = true}, give = {"transfers", "overwrites"}}
    return {peak = plain.peak, way = way[1], moves = #two.transfers}
  end,
  report = function(rows, out) out:table(rows) end,
}
EOT
run run "$tmp/demands.lua"
check "demands hold, and lists say so" exits 0
check "demands: nothing on standard error" calm
# demand OPTION PATTERN
demand() {
    experiment demand <<<"return {name = 'x', cases = function() return {{i = 1}} end, $rest run = function() return stowage.load('example1'):plan{planner = 'first-fit', $1} end}"
    refuses "plan{$1}" run "$tmp/demand.lua" because ".*demand\\.lua:1: case 1 of 1, .*$2"
}
rest="report = function() end,"
demand 'pins = {nosuch = 1}' 'there is no buffer nosuch'
demand 'pins = {b3 = -1}' 'a number of bytes is a whole number from 0 to 2.61, not -1'
demand 'pins = {b3 = 1.5}' 'a number of bytes is a whole number from 0 to 2.61, not 1.5'
demand 'pins = 3' 'graph:plan: pins is a table'
demand 'pins = {b3 = {offset = 1, tier = "x"}}' 'there is no tier x'
demand 'forbid = {{lo = 3, hi = 2}}' 'graph:plan: forbid: a range ends above where it begins'
demand 'forbid = {3}' 'graph:plan: forbid is a list'
demand 'choose = {[99] = 1}' 'choose: there is no decision 99, the run has 6'
demand 'choose = {[2] = 99}' 'choose: decision 2 has no candidate 99'
demand 'choose = {x = 1}' 'graph:plan: choose is a table'
demand 'give = {"placement"}' 'give: there is no list placement, did you mean placements'
demand 'give = 3' 'graph:plan: give is a list of words'
demand 'cost = "nosuch"' 'graph:plan: there is no nosuch beside the script or among those that ship'
demand 'cost = "../x.lua"' 'graph:plan: there is no \.\./x\.lua beside the script'
demand 'cost = 3' 'graph:plan: cost is the name of a file, a table or a function, not number'
demand 'cost = {}' "a cost model has a function 'access' or a function 'whole', and this one has neither"
demand 'cost = {access = 3}' "'access' of a cost model is a function, not number"
demand 'planner = "tier-search", tiers = {{name = "s", capacity = 1024, bandwidth = 1}, {name = "d", bandwidth = 1}}, cost = function() return 1 / 0 end' 'the cost of .* is infinite, not a finite number'
demand 'planner = "tier-search", tiers = {{name = "s", capacity = 1024, bandwidth = 1}, {name = "d", bandwidth = 1}}, actions = {3}' "an action is a function, or a table with a function 'propose', not number"
demand 'planner = "tier-search", tiers = {{name = "s", capacity = 1024, bandwidth = 1}, {name = "d", bandwidth = 1}}, actions = {places = function() return {} end}' 'demand.lua:[0-9]+: places of demand: it returns each of the [0-9]+ places once, not 0 of them'
demand 'actions = "swap"' 'graph:plan: first-fit would not heed actions; these planners do: tier-search'
demand 'seed = 1.5' 'graph:plan: seed is a whole number, not 1.5'
demand 'seed = "x"' 'graph:plan: seed is a whole number, not string'
demand 'work = 0' 'graph:plan: work is a whole number from 1 on, not 0'
demand 'work = 1.5' 'graph:plan: work is a whole number from 1 on, not 1.5'
demand 'planner = 3' 'graph:plan: planner is a name, not number'
demand 'tiers = 3' 'graph: tiers is a list of tables'
demand 'inplace = 3' 'graph: inplace is "safe", "off", true or false, not 3'
demand 'inplace = "maybe"' 'graph: inplace is "safe", "off", true or false, not maybe'
demand 'breeding = "own"' 'graph:plan: first-fit would not heed breeding; these planners do: token-sharing, order-genetic, segment-genetic'
demand 'planner = "order-genetic", breeding = "own_segments"' 'graph:plan: own_segments has operators of segment-genetic, and none of order-genetic'
demand 'planner = "order-genetic", breeding = {crossing = 3}' "breeding has no 'crossing'; it has name"
demand 'policy = "own_fit"' 'graph:plan: first-fit would not heed policy; these planners do: lifetime-best-fit'
demand 'planner = "lifetime-best-fit", policy = {take = 3}' "a policy has no 'take'; it has name, fit, grow"
demand 'planner = "lifetime-best-fit", policy = {fit = function() return 0 end}' 'demand.lua:[0-9]+: fit of the experiment: it returns a whole number from 1 to [0-9]+, or nil, not 0'
demand 'pin = {}' 'graph:plan: unknown option pin, did you mean pins'

# ---- what ships, in small ----
small() {
    local name=$1
    shift
    run run "$shipped/$name.lua" "$@" -o "$tmp/$name"
    check "$name: exit 0" exits 0
    check "$name: nothing on standard error" calm
    check "$name: a table" says '^\| :?---'
    check "$name: rows" [ -s "$tmp/$name/$name.csv" ]
    check "$name: a picture" [ -n "$(find "$tmp/$name" -name '*.svg')" ]
    mv "$tmp/out" "$tmp/$name.txt"
    run run "$shipped/$name.lua" "$@" --jobs 2 -o "$tmp/$name-2"
    check "$name: the same with two processes" cmp "$tmp/out" "$tmp/$name.txt"
    check "$name: the same files" diff -r "$tmp/$name" "$tmp/$name-2"
}
small sram_size models=teaching,example1 steps=3
small planners models=teaching,branches
small orders models=teaching cores=1,2 seeds=3 evaluations=60
small segments from=60 to=80 by=20 seeds=2
small units sizes=96 quantised=int8
small one_more_kib model=teaching from=0 to=8
small pinned model=teaching planner=best-fit by=1
small suggestions models=mobilenet_v1_025_96,branches effort=2000000
small schedules models=teaching,darts
small cost_models sizes=0,1024 costs=dma_overlap actions=prefetch
small less_sram models=resnet8 work=1000000
# What the others print is compared with the page by pictures_kept.sh.
run run "$shipped/less_sram.lua" models=resnet8,mobilenet_v2_035_144
check "the page shows what less_sram prints" same "" "$(grep '^|' "$tmp/out" | grep -vxFf "$shipped/README.md")"
# What lowers the peak of a plan.
experiment suggest <<'EOT'
return {
  cases = function() return {{}} end,
  run = function()
    local graph = stowage.load("mobilenet_v1_025_96")
    local plan = graph:plan{planner = "greedy-by-size"}
    local found = plan:suggest{effort = 3000000}
    local pins = plan:suggest{effort = 3000000, kinds = {"pin"}}
    local fit = plan:suggest{effort = 3000000, capacity = 54 * 1024}
    local none = graph:plan():suggest()
    local again = graph:plan{planner = "greedy-by-size", pins = {conv_1_out = 0}}
    local _, wrong = pcall(plan.suggest, plan, {kinds = {"pinn"}})
    local _, other = pcall(plan.suggest, plan, {effrt = 1})
    local first, fields = found.suggestions[1], 0
    for _ in pairs(plan) do fields = fields + 1 end
    for key in pairs(plan) do assert(key ~= "suggest") end
    for _, one in ipairs(pins.suggestions) do assert(one.kind == "pin") end
    assert(first.why:find("it lay on conv_1_out") and first.why:find("with conv_1_out at 0 it lies at 36,864"))
    assert(first.largest_elsewhere[1] == "image" and first.blocks_elsewhere == 3)
    return {peak = found.peak, best = first.peak, saved = first.saved, kind = first.kind, before = first.before,
            commands = table.concat(first.commands, "; "), pins = pins.tried.pins, again = again.peak,
            fits = fit.suggestions[1].fits, none = #none.suggestions, wrong = wrong, other = other}
  end,
  report = function(rows, out)
    local row = rows[1]
    out:text(("%d %d %d %s %d %s|%d %d %s %d|%s|%s"):format(row.peak, row.best, row.saved, row.kind, row.before,
             row.commands, row.pins, row.again, row.fits, row.none, row.wrong, row.other))
  end,
}
EOT
run run "$tmp/suggest.lua"
check "plan:suggest" exits 0
check "plan:suggest: what it finds" says '^64512 55296 9216 pin 2 goto 1; pin conv_1_out 0\|0 55296 true 0\|'
check "plan:suggest: kinds that there are" says 'kinds: unknown option pinn, did you mean pins; there are pin, pins'
check "plan:suggest: options that there are" says 'plan:suggest: unknown option effrt, did you mean effort'
# Orders of operators as data.
experiment order <<'EOT'
return {
  cases = function() return {{}} end,
  run = function()
    local graph = stowage.load("teaching")
    local order = graph:order()
    local better = graph:with{order = order}
    local planned = graph:plan{planner = "order-exact"}.details.order
    local again = graph:with{order = planned}
    local function refused(change)
      local other = table.move(order, 1, #order, 1, {})
      change(other)
      local ok, why = pcall(graph.with, graph, {order = other})
      return ok and "taken" or why
    end
    return {before = order.live_peak_before, best = order.live_peak, bound = order.bound, proved = order.proved,
            there = better.lower_bound, again = again.lower_bound, kept = better:order().live_peak_before,
            held = #order.held > 0 and order.held_bytes <= order.bound, moved = #order.moves,
            undone = order.moves[1].undone_peak,
            swapped = refused(function(o) o[1], o[2] = o[2], o[1] end), twice = refused(function(o) o[3] = o[2] end),
            short = refused(function(o) o[#o] = nil end), no_name = refused(function(o) o[2] = 7 end)}
  end,
  report = function(rows, out) for key, value in pairs(rows[1]) do out:text(key .. "=" .. tostring(value)) end end,
}
EOT
run run "$tmp/order.lua"
for line in before=5120 best=4608 bound=4608 proved=true there=4608 again=4608 kept=4608 held=true moved=1 undone=5120 \
    'swapped=order: left must run after conv1: both use conv1' 'twice=order: left is listed twice' 'short=order: 9 of 10 operators are listed: an order has all of them' \
    'no_name=order: number 2 is no name of an operator: number'; do
    check "graph:order: $line" grep -qxF "$line" "$tmp/out"
done
check "orders: ties are called so" grep -q 'tie' "$tmp/orders.txt"
finish
