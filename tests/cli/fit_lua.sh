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

# The arena of a changed file is counted, that of a graph summed up: they differ by some constants.
least() { jq -c '[.least, .as_is.head, .as_is.arena, .chosen.head, (.chosen.regions | map(.strips))]' out; }
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
run convert "$models/resnet8.lua" --arg cores=2 -o cores.json
check "on several cores each has half of the rows" jq -e '.buffers | map(select(.name | test("^conv1_c[01]$")).shape) == [[1, 16, 32, 16], [1, 16, 32, 16]]' cores.json
check "and copies the row that it lacks" jq -e '.buffers | map(select(.name == "conv1_to_c0").size) == [512]' cores.json
run convert "$models/resnet8.lua" --arg cores=2 --arg split=channels -o cores.json
check "or of the channels" jq -e '.buffers | map(select(.name | test("^conv1_c[01]$")).shape) == [[1, 32, 32, 8], [1, 32, 32, 8]]' cores.json
run fit "$models/resnet8.lua" --arg cores=2 --format json
check "on several cores nothing is cut" json '.front == [] and (.not_cut | length > 0)'
run convert "$models/resnet8.lua" --arg weights=true -o weights.json
check "weights as buffers lie in the order of the others" jq -e '.buffers | map(select(.name == "block2_conv1_w").shape) == [[32, 3, 3, 16]]' weights.json
run convert "$models/resnet8.lua" -o without.json
check "and the tail is the same" same "$(jq .outside weights.json)" "$(jq .outside without.json)"

# ---- graph:fit finds what the command finds; a list of moves makes a graph that can be planned ----
lines() { # NAME LINE...: the last run has printed each of them
    local name=$1 line
    shift
    check "$name: exit 0" exits 0
    for line in "$@"; do
        check "$name: $line" grep -qxF -- "$line" out
    done
}
cat >fit.lua <<'EOT'
return {
  cases = function(args) return {{model = args.model}} end,
  run = function(case)
    local graph = stowage.load(case.model)
    local fit = graph:fit()
    local best, as_is = fit.models[fit.chosen], fit.models[1]
    local function text(model)
      local list = {}
      for i, m in ipairs(model.moves) do
        list[i] = ("%s to %s in %d strips%s"):format(m.first, m.last, m.strips, m.way == "pad" and ", padded" or "")
        assert(m.kind == "strips" and m.mode)
      end
      return ("%d %d %d %d: %s"):format(model.arena, model.head, model.macs, model.operators, table.concat(list, "; "))
    end
    local ends = graph:fit{capacity = best.arena}
    local nothing = graph:fit{capacity = fit.least - 1}
    local heads = graph:fit{capacity = best.head, capacity_of = "head"}
    local changed = graph:with{moves = best.moves}
    local less, few = graph:fit{max_macs = 1}, graph:fit{max_operators = best.operators - 1}
    local row = {
      best = text(best), as_is = text(as_is), least = fit.least, fits = fit.fits, stopped = fit.stopped, of = fit.capacity_of,
      of_head = heads.capacity_of, heads = heads.fits and heads.models[heads.chosen].head <= best.head,
      refused = fit.refused[1].operator .. ": " .. fit.refused[1].reason,
      ends = ends.fits and ends.models[ends.chosen].arena <= best.arena and ends.capacity == best.arena,
      nothing = nothing.fits, bound = changed.lower_bound == best.bound, operators = #changed:problem().operators == best.operators,
      planned = changed:plan{planner = "greedy-by-size"}.peak >= best.bound, back = changed:with{moves = {}}.lower_bound == as_is.bound,
      kept = changed:with{capacity = 123456}.lower_bound == best.bound, small = graph:with{capacity = 123456, order = graph:order()}:fit().capacity_of,
      live = graph:problem().operators[1].live, window = graph:problem().operators[1].window.kernel[2], macs = graph:problem().operators[1].macs,
      same = text(graph:fit().models[fit.chosen]) == text(best), work = as_is.work == 1 and best.work > 1,
      less = less.models[less.chosen].macs == as_is.macs, few = few.models[few.chosen].operators < best.operators,
    }
    local function pads(way) -- operators that only pad
      local count = 0
      for _, op in ipairs(graph:with{moves = {{kind = "strips", first = "conv1", last = "block1_add", strips = 4, way = way}}}:problem().operators) do
        count = count + (op.kind == "pad" and 1 or 0)
      end
      return count
    end
    row.pads = pads("pad") .. " " .. pads("discard") .. " " .. pads()
    for i = 3, #fit.models do -- less memory costs more work
      assert(fit.models[i].arena > fit.models[i - 1].arena and fit.models[i].macs < fit.models[i - 1].macs)
    end
    return row
  end,
  report = function(rows, out) for key, value in pairs(rows[1]) do out:text(key .. "=" .. tostring(value)) end end,
}
EOT
run fit "$models/resnet8.lua" --format json
figures=$(jq -r '.chosen | "\(.arena) \(.head) \(.multiply_adds) \(.operators): " +
    ([.regions[] | "\(.first) to \(.last) in \(.strips) strips\(if .way == "pad" then ", padded" else "" end)"] | join("; "))' out)
least=$(jq .least out)
run run fit.lua model=resnet8
lines "graph:fit" "best=$figures" "least=$least" 'as_is=54352 49152 12501632 16: ' fits=true stopped=false of=arena of_head=head heads=true ends=true nothing=false \
    'refused=pool: its result has one row' bound=true operators=true planned=true back=true kept=true small=head live=19456 window=3 macs=442368 same=true work=true \
    less=true few=true 'pads=12 0 0'
cp out once
run run fit.lua model=resnet8
check "graph:fit: the same bytes twice" cmp out once

# ---- a move of a script: it chooses, the engine checks and plans ----
cat >own.lua <<'EOT'
return {
  cases = function() return {{}} end,
  run = function()
    local graph, row, escaped = stowage.load("resnet8"), {}, nil
    -- The longest runs of operators with windows around the step where most is alive, in 2 to 12 strips.
    local widest = {name = "widest", search = function(problem, try, models)
      escaped = try
      row.given = row.given or #models .. " " .. models[1].head
      local ops, most = problem.operators, 1
      for i, op in ipairs(ops) do most = op.live > ops[most].live and i or most end
      for first = most, 1, -1 do
        for last = most, math.min(most + 3, #ops) do
          local strips, before, ok = 2, math.huge, true
          while ok and strips <= 12 do
            local model, why = try{{kind = "strips", first = ops[first].name, last = ops[last].name, strips = strips}}
            row.refused = row.refused or why
            ok = model and model.arena < before
            before, strips = model and model.arena, strips + 1
          end
        end
      end
    end}
    local own = graph:fit{moves = {widest}}
    local best = own.models[own.chosen]
    row.own = best.arena < own.models[1].arena * 0.8 and best.by
    row.moves = #best.moves == 1 and best.moves[1].way
    row.least = tostring(own.least)
    local checked = graph:with{moves = best.moves}
    row.checked = checked.lower_bound == best.bound and #checked:problem().operators == best.operators
    local both = graph:fit{moves = {"strips", widest}}
    row.both = both.models[both.chosen].arena <= math.min(best.arena, graph:fit().models[2].arena)
    row.engine = tostring(both.models[both.chosen].by)
    local priced = graph:fit{moves = {"strips", widest}, cost = function(m) return m.operators end}
    row.priced = priced.chosen .. " " .. priced.models[1].cost
    priced = graph:fit{moves = {"strips", widest}, capacity = 45000, cost = function(m) return m.operators end}
    row.fewest = priced.fits and priced.models[priced.chosen].arena <= 45000
    for _, model in ipairs(priced.models) do
      row.fewest = row.fewest and (model.arena > 45000 or model.cost >= priced.models[priced.chosen].cost)
    end
    local limited = graph:fit{moves = {function(_, try) row.limit = select(2, try{{kind = "strips", first = "conv1", strips = 8}}) end}, max_operators = 20}
    row.limited = #limited.models
    graph:fit{moves = {function(_, try) row.work = select(2, try{{kind = "strips", first = "conv1", last = "block1_add", strips = 32}}):gsub("[0-9.]+ times", "N times") end}, max_macs = 1.5}
    row.escaped = select(2, pcall(escaped, {}))
    row.many = select(2, pcall(graph.fit, graph, {moves = {function(_, try) for _ = 1, 1001 do try{} end end}, work = 1})):gsub('^own.lua:%d+: ', '')
    row.raised = select(2, pcall(graph.fit, graph, {moves = {function() error("own words", 0) end}}))
    return row
  end,
  report = function(rows, out) for key, value in pairs(rows[1]) do out:text(key .. "=" .. tostring(value)) end end,
}
EOT
run run own.lua
lines "a move in Lua" own=widest moves=discard least=nil checked=true both=true engine=nil 'priced=1 16.0' 'given=1 49152' fewest=true limited=1 \
    'refused=block1_conv2 to block2_conv1 in 2 strips: block1_add: block1_add is used outside of the region, too' \
    'limit=it has 40 operators, and max_operators is 20' 'work=its multiply-adds are N times those of the graph, and max_macs is 1.5' \
    'escaped=graph:fit: the search has ended: nothing more can be tried' 'many=graph:fit: more than 1000 lists of moves are tried' 'raised=own words'

# ---- an order is a move, too: made before the strips of the same list ----
cat >order.lua <<'EOT'
return {
  cases = function() return {{}} end,
  run = function()
    local graph, row = stowage.load("teaching"), {}
    local order = graph:order()
    local wrong = table.move(order, 1, #order, 1, {})
    wrong[1], wrong[2] = wrong[2], wrong[1]
    local fit = graph:fit{moves = {{name = "best order", search = function(_, try)
      row.tried = try{{kind = "order", operators = order}}.head
      row.wrong = select(2, try{{kind = "order", operators = wrong}})
      row.twice = select(2, pcall(try, {{kind = "order", operators = order}, {kind = "order", operators = order}}))
      row.short = select(2, pcall(try, {{kind = "order", operators = {"left"}}}))
      row.none = select(2, pcall(try, {{kind = "order"}}))
    end}}}
    local best = fit.models[fit.chosen]
    row.before, row.best, row.by = fit.models[1].head, best.head, best.by
    row.move = best.moves[1].kind .. " " .. (table.concat(best.moves[1].operators, " ") == table.concat(order, " ") and "as given" or "other")
    row.again = graph:with{moves = best.moves}.lower_bound
    -- Branches that run the other way round, and strips of what is after them.
    local resnet = stowage.load("resnet8")
    local names = {}
    for i, op in ipairs(resnet:problem().operators) do names[i] = op.name end
    for i, name in ipairs(names) do
      if name == "block2_shortcut" then names[i - 2], names[i - 1], names[i] = names[i], names[i - 2], names[i - 1] break end
    end
    local other = resnet:with{moves = {{kind = "strips", first = "block1_conv1", last = "block1_add", strips = 4}, {kind = "order", operators = names}}}
    local plain = resnet:with{order = names}:with{moves = {{kind = "strips", first = "block1_conv1", last = "block1_add", strips = 4}}}
    row.both = other.lower_bound == plain.lower_bound and #other:problem().operators == #plain:problem().operators
    row.first = other:problem().operators[#other:problem().operators].name
    return row
  end,
  report = function(rows, out) for key, value in pairs(rows[1]) do out:text(key .. "=" .. tostring(value)) end end,
}
EOT
run run order.lua
lines "an order" before=5120 best=4608 tried=4608 'by=best order' 'move=order as given' again=4608 both=true \
    'wrong=order: left must run after conv1: both use conv1' 'twice=moves: there are two orders, and the operators run in one' \
    'short=order: 1 of 10 operators are listed: an order has all of them' 'none=order is a list of the names of all operators, not nil'

# ---- for each operator a script chooses: rows sliced off, or padded before it; rows kept, or computed twice ----
cat >primitives.lua <<'EOT'
return {
  cases = function() return {{}} end,
  run = function()
    local graph, row = stowage.load("resnet8"), {}
    local function acts(move)
      move.kind, move.first, move.last, move.strips = "strips", "block1_conv1", "block1_add", 2
      local counts = {}
      for _, op in ipairs(graph:with{moves = {move}}:problem().operators) do
        local of = op.name:match("^block1_conv[12]/") or ""
        for _, act in ipairs{"pad", "slice", "concatenation"} do
          if op.kind == act then counts[of .. act] = (counts[of .. act] or 0) + 1 end
        end
      end
      local text = {}
      for key, count in pairs(counts) do text[#text + 1] = key .. " " .. count end
      table.sort(text)
      return table.concat(text, ", ")
    end
    row.sliced, row.all, row.some = acts{}, acts{way = "pad"}, acts{way = "pad", padded = {"block1_conv2"}}
    row.bits, row.both = acts{padded = {"block1_conv2"}}, acts{padded = {"block1_conv1", "block1_conv2"}}
    row.kept = acts{way = "pad", padded = {"block1_conv2"}, mode = "keep", kept = {"block1_conv1"}}
    local fit = graph:fit{moves = {{name = "own", search = function(_, try)
      row.tried = try{{kind = "strips", first = "block1_conv1", last = "block1_add", strips = 2, padded = {"block1_conv2"}}}.head
    end}}}
    row.back = table.concat(fit.models[fit.chosen].moves[1].padded, " ")
    return row
  end,
  report = function(rows, out) for key, value in pairs(rows[1]) do out:text(key .. "=" .. tostring(value)) end end,
}
EOT
run run primitives.lua
lines "primitives" 'sliced=block1_conv1/slice 2, block1_conv2/slice 2, concatenation 1, slice 4' \
    'all=block1_conv1/pad 2, block1_conv1/slice 2, block1_conv2/pad 2, concatenation 1, slice 2' \
    'some=block1_conv1/slice 2, block1_conv2/pad 2, block1_conv2/slice 2, concatenation 1, slice 2' \
    'bits=block1_conv1/slice 2, block1_conv2/pad 2, block1_conv2/slice 2, concatenation 1, slice 2' \
    'both=block1_conv1/pad 2, block1_conv1/slice 2, block1_conv2/pad 2, concatenation 1, slice 2' \
    'kept=block1_conv1/slice 2, block1_conv2/concatenation 1, block1_conv2/pad 2, block1_conv2/slice 3, concatenation 1, slice 1' \
    tried=35568 back=block1_conv2

# ---- what is wrong is said, with what there is ----
cat >bad.lua <<'EOT'
local function strips(more)
  local move = {kind = "strips", first = "conv1", last = "block1_conv1", strips = 4}
  for key, value in pairs(more) do move[key] = value ~= "" and value or nil end
  return {move}
end
local lists = {
  no_list = 3, one = {kind = "strips", first = "conv1"}, text = {"strips"}, no_kind = strips{kind = ""}, kind = strips{kind = "evict"},
  first = strips{first = ""}, name = strips{last = "conv9"}, number = strips{first = 7}, key = strips{stripes = 4}, none = strips{strips = ""},
  single = strips{strips = 1}, half = strips{strips = 2.5}, way = strips{way = "crop"}, mode = strips{mode = "kept"}, padded = strips{padded = {"pool"}},
  window = strips{first = "pool", last = "flatten"}, rows = strips{first = "conv1", last = "", strips = 33}, inner = strips{},
  back = strips{first = "block1_conv1", last = "conv1"},
  twice = {strips{first = "block1_conv1", last = "block1_add"}[1], strips{first = "block1_conv2", last = ""}[1]},
}
local options = {
  capacity = {capacity = -1}, of = {capacity_of = "flash"}, macs = {max_macs = 0.5}, operators = {max_operators = 0}, work = {work = 0},
  seed = {seed = 1.5}, unknown = {capactiy = 3}, moves = {moves = {}}, kind = {moves = {"evict"}}, number = {moves = {3}}, table = {moves = {{}}},
  cost = {cost = 3}, price = {cost = function() return "dear" end}, nan = {cost = function() return 0 / 0 end},
}
return {
  cases = function() return {{}} end,
  run = function()
    local graph, row = stowage.load("resnet8"), {}
    for name, list in pairs(lists) do row[name] = select(2, pcall(graph.with, graph, {moves = list})) end
    for name, list in pairs(options) do row["fit_" .. name] = select(2, pcall(graph.fit, graph, list)) end
    return row
  end,
  report = function(rows, out) for key, value in pairs(rows[1]) do out:text(key .. "=" .. tostring(value)) end end,
}
EOT
run run bad.lua
lines "errors" 'no_list=moves is a list of tables {kind, first, last, strips, way, mode}, not number' \
    'one=moves is a list of moves, not one of them: {{kind = "strips", ...}}' \
    'text=moves: number 1 is string, not a table {kind, first, last, strips, way, mode}' \
    'no_kind=moves: kind is missing: strips or order' 'kind=moves: kind is strips or order, not evict' 'first=moves: first is missing: the name of an operator' \
    'name=moves: last: there is no operator conv9' 'number=moves: first is a text, not number' \
    'key=moves: unknown option stripes, did you mean strips; there are kind, first, last, strips, way, padded, mode, kept, ends, backwards, lead, rows' \
    'none=moves: strips is how many there are of conv1 to block1_conv1, from 2 on' 'single=moves: strips is how many there are of conv1 to block1_conv1, from 2 on' \
    'half=moves: strips is a whole number from 1 on, not 2.5' 'way=moves: way is discard or pad, not crop' 'mode=moves: mode is halo, keep or loop, not kept' \
    'padded=moves: padded: pool is no operator from conv1 to block1_conv1' \
    'window=moves: pool to flatten in 4 strips: flatten: it has no window' \
    'rows=moves: conv1 to conv1 in 33 strips: conv1: its 32 rows are not cut into 33 strips' \
    'inner=moves: conv1 to block1_conv1 in 4 strips: conv1: conv1 is used outside of the region, too' \
    'back=moves: last, conv1, runs before first, block1_conv1' \
    'twice=moves: block1_conv2 to block1_conv2 in 4 strips: block1_conv2: regions overlap, or are not in order' \
    'fit_capacity=a number of bytes is a whole number from 0 to 2^61, not -1' 'fit_of=graph:fit: capacity_of is "head" or "arena", not flash' \
    'fit_macs=graph:fit: max_macs is a number from 1 on: so many times the multiply-adds of the graph' \
    'fit_operators=graph:fit: max_operators is a whole number from 1 on, not 0' 'fit_work=graph:fit: work is a whole number from 1 on, not 0' \
    'fit_seed=graph:fit: seed is a whole number, not 1.5' \
    'fit_moves=graph:fit: moves is a list of kinds and of a script'"'"'s own moves: {"strips", search}' 'fit_kind=graph:fit: moves: kind is strips, not evict' \
    "fit_number=graph:fit: moves: number 1 is the name of a kind, a function, or a table with a function 'search'" \
    "fit_table=graph:fit: moves: number 1 is the name of a kind, a function, or a table with a function 'search'" \
    'fit_cost=graph:fit: cost is a function of a model, not number' 'fit_price=graph:fit: cost gives a number for each model, not string' \
    'fit_nan=graph:fit: cost gives a number for each model, not one that is none'
check "errors: an unknown option" says '^fit_unknown=graph:fit: unknown option capactiy, did you mean capacity; there are capacity,'
finish
