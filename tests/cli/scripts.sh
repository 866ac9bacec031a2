#!/usr/bin/env bash
# Scripts from strangers on the command line: one clear line, file and line, exit 2, nothing left behind.
. "$(dirname "$0")/lib.bash"

example=$models/example1.json
script() { cat >"$tmp/$1.lua"; }

# ---- graphs ----
script good <<'EOT'
local arg = ...
print("batch", arg.batch)
local size = 64 * (arg.batch or 1)
return {
  name = "pair",
  operators = {{name = "first", inputs = {"x"}, outputs = {"y"}}},
  buffers = {{name = "x", kind = "input", size = size}, {name = "y", kind = "output", size = 2.0 * size}},
}
EOT
run plan "$tmp/good.lua" --arg batch=8 --format json
check "a graph from Lua" exits 0
check "a graph from Lua: its figures" json '.graph == "pair" and .operators == 1 and .peak == 1536'
check "what it prints goes to standard error" same "$(cat "$tmp/err")" "batch  8"
run plan "$tmp/good.lua" --arg batch=x
check "a text where a number is wanted: exit 2" exits 2
check "a text where a number is wanted: where" grep -qE "good\.lua:3: attempt to (perform arithmetic|mul)" "$tmp/err"
run convert "$tmp/good.lua" -o "$tmp/good.json"
check "convert a graph from Lua" exits 0
run diff "$tmp/good.lua" "$tmp/good.json"
check "and nothing differs" exits 0
refuses "an argument without a value" plan "$tmp/good.lua" --arg batch because "--arg batch: expected KEY=VALUE"
refuses "arguments for what is no program" plan "$tmp/good.json" --arg batch=8 because '.*--arg batch: --arg applies only to Lua models'
refuses "an unknown argument of a model" plan "$models/teaching.lua" --arg nonsense=1 because '.*teaching\.lua:[0-9]+: unknown argument nonsense; known are '

printf '{"tiers":[{"name":"a","capacity":100}]}' >"$tmp/tiers.json"
echo 'return {tiers = {{name = "sram", capacity = 4096, bandwidth = 8}, {name = "dram"}}}' | script tiers
run plan "$tmp/good.lua" --tiers "$tmp/tiers.lua" -p first-fit --format json
check "tiers from Lua" json '[.tiers[].name] == ["sram", "dram"]'
echo 'return {tiers = {{name = "sram", capacity = "big"}}}' | script badtiers
refuses "wrong tiers from Lua" plan "$example" --tiers "$tmp/badtiers.lua" because '.*badtiers\.lua: in tiers, sram: '

# bad NAME PATTERN: the script on standard input, and what is said of it.
bad() {
    script "$1"
    run plan "$tmp/$1.lua"
    check "$1: exit 2" exits 2
    check "$1: nothing on standard output" silent
    check "$1: one line" complains "$tmp/$1\\.lua$2"
}
bad nothing ': the script returns nothing instead of a graph' <<<'local x = 1'
bad number ': the script returns number instead of a graph' <<<'return 42'
bad syntax ':2: unexpected symbol near' <<<$'local x = 1\nx = = 2'
bad runtime ":2: attempt to index a nil value \(global 'missing'\) \(in the main part at runtime\.lua:2\)" <<<$'local x = 1\nreturn missing.field'
bad forever ':1: the script (does not come to an end|takes too long)' <<<'while true do end'
bad catching ':1: the script (does not come to an end|takes too long)' <<<'while true do pcall(function() while true do end end) end'
bad greedy ':.* the script (needs too much memory|takes too long|does not come to an end)' <<<'local t = {} while true do t[#t + 1] = ("x"):rep(1 << 16) .. #t end'
bad missing_buffer ': in operators, o: operator o names input nope' <<<'return {operators = {{name = "o", inputs = {"nope"}}}, buffers = {}}'
bad negative ': in buffers, b: size -1 is negative' <<<'return {operators = {}, buffers = {{name = "b", size = -1}}}'
bad overflow ': in buffers, b: ' <<<'return {operators = {}, buffers = {{name = "b", size = math.maxinteger}}}'
bad fraction ': in buffers, b: "size" must be a whole number' <<<'return {operators = {}, buffers = {{name = "b", size = 1.5}}}'
bad infinite ': buffers\[1\]\.size: a number that is not finite' <<<'return {operators = {}, buffers = {{name = "b", size = 1 / 0}}}'
bad circle ': .*tables inside tables without end' <<<'local t = {} t.buffers = {t} return t'
bad mixed ': .*a table that is both a list and something else' <<<'return {operators = {}, buffers = {[2] = 1, x = 2}}'
bad a_function ': buffers\[1\]\.size: a function, which no file can hold' <<<'return {operators = {}, buffers = {{name = "b", size = print}}}'
bad not_utf8 ': ' <<<$'return {operators = {}, buffers = {{name = "\\xff", size = 1}}}'
bad unknown_key ': in buffers, b: ' <<<'return {operators = {}, buffers = {{name = "b", size = 1, color = 2}}}'
bad twice ': in buffers, b: ' <<<'return {operators = {}, buffers = {{name = "b", size = 1}, {name = "b", size = 2}}}'
bad outside ":1: require \"\.\./x\": a module's name is made of letters" <<<'require("../x")'
bad the_machine ":1: attempt to index a nil value \(global 'os'\)" <<<'os.exit(1)'
printf '' | script empty
run plan "$tmp/empty.lua"
check "an empty script" exits 2
printf '\033Lua' | script code
run plan "$tmp/code.lua"
check "compiled code" complains '.*attempt to load a binary chunk'

# ---- modules ----
mkdir -p "$tmp/own/deep"
echo 'return {size = 7}' >"$tmp/own/sizes.lua"
echo 'return require("sizes").size * 2' >"$tmp/own/deep/twice.lua"
cat >"$tmp/own/model.lua" <<'EOT'
assert(require("sizes") == require("sizes"))
return {operators = {}, buffers = {{name = "b", size = require("deep.twice"), first = 0, last = 0}}}
EOT
run plan "$tmp/own/model.lua" --format json
check "modules beside the script" json '.peak == 14'
echo 'return require("b")' >"$tmp/own/a.lua"
echo 'return require("a")' >"$tmp/own/b.lua"
echo 'return require("a")' >"$tmp/own/ring.lua"
run plan "$tmp/own/ring.lua"
check "modules in a circle" complains '.*requires itself'
echo 'x = = 1' >"$tmp/own/wrong.lua"
echo 'return require("wrong")' >"$tmp/own/uses.lua"
run plan "$tmp/own/uses.lua"
check "a broken module: where" complains "$tmp/own/wrong\\.lua:1: unexpected symbol"

# ---- trust lifts the limits, nothing else ----
echo 'for i = 1, 4e8 do end assert(os == nil) return {operators = {}, buffers = {}}' | script long
run plan "$tmp/long.lua"
check "long: refused" complains '.*the script (does not come to an end|takes too long)'
[ "$SANITIZE" = none ] && {
    run plan "$tmp/long.lua" --trust
    check "long: with --trust" exits 0
}

# ---- the same bytes twice ----
script order <<'EOT'
local t, list = {}, {}
for i = 1, 200 do t["k" .. math.random(100000)] = math.random(1000) end
for k, v in pairs(t) do list[#list + 1] = {name = k, size = v, first = #list, last = #list + 3} end
return {operators = {}, buffers = list}
EOT
run convert "$tmp/order.lua" -o "$tmp/one.json"
run convert "$tmp/order.lua" -o "$tmp/two.json"
check "pairs and random numbers are the same in every process" cmp "$tmp/one.json" "$tmp/two.json"

# ---- planners ----
for model in teaching.lua resnet50.lua branches.json two_tiers.json; do
    run plan "$models/$model" -p long-first --format json
    check "long-first, $model: exit 0" exits 0
    jq 'del(.seconds)' "$tmp/out" >"$tmp/first"
    run plan "$models/$model" -p long-first --format json
    check "long-first, $model: the same bytes twice" cmp "$tmp/first" <(jq 'del(.seconds)' "$tmp/out")
    run plan "$models/$model" -p long-first -o "$tmp/plan.csv"
    run check "$models/$model" "$tmp/plan.csv"
    check "long-first, $model: the checker agrees" exits 0
done
run plan "$models/teaching.lua" -p long-first --set long=100 --format json
check "a planner's own parameter" exits 0
refuses "a parameter out of range" plan "$models/teaching.lua" -p long-first --set long=0 because 'parameter long of long-first must be'
run compare "$models/teaching.lua" -p long-first,first-fit --format csv
check "compare with a planner in Lua" says '^long-first,true'
run export "$models/teaching.lua" -p long-first -o "$tmp/picture.svg"
check "export with a planner in Lua" exits 0
echo 'return {name = "lazy", summary = "places nothing", plan = function() end}' | script lazy
run plan "$models/teaching.lua" -p "$tmp/lazy.lua"
check "a planner that places nothing: exit 1" exits 1
check "a planner that places nothing: said" says 'lazy ends with 0 of 11 buffers placed'
echo 'return {summary = "no name"}' | script nameless
refuses "a planner without a name" plan "$models/teaching.lua" -p "$tmp/nameless.lua" because "$tmp/nameless\\.lua.*'name' must be a text"
echo 'return {name = "first-fit", summary = "x", plan = print}' | script taken
refuses "a planner with a name that is taken" plan "$models/teaching.lua" -p "$tmp/taken.lua" because "$tmp/taken\\.lua: there is a planner 'first-fit' already"

# ---- sessions remember the arguments ----
printf 'goto 3\nsave %s\n' "$tmp/session" >"$tmp/commands"
run "$models/teaching.lua" --arg batch=2 --write-anywhere --script "$tmp/commands" --screen 80x24
check "a session of a model with arguments" exits 0
check "the session names them" grep -qx 'arg batch=2' "$tmp/session"
run "$tmp/session" --screen 80x24
check "and opens again" exits 0

# ---- mistakes are told in the script's terms: the function, the argument, the line of the user's file ----
cd "$tmp" || exit 1
# mistake LINE PATTERN
mistake() {
    printf 'local nn = require "nn"\nlocal net = nn.net {name = "m"}\nlocal x = net:input("data", {1, 1, 8, 8})\n%s\nreturn net:graph {x}\n' "$1" >mistake.lua
    refuses "$1" plan mistake.lua because "mistake\\.lua:4: $2"
}
mistake 'x = net:conv("c", x, 1.5)' 'conv c .*: channels and groups are integers from 1 on, not 1.5 and 1'
mistake 'x = net:conv("c", x)' 'conv c .*: channels and groups are integers from 1 on, not nil and 1'
mistake 'x = net:conv("c", x, 8, 3)' 'conv c: the options are a table .*, not a number'
mistake 'x = net:conv("c", x, 8, {act = 3})' 'act is the name of an activation, not a number'
mistake 'x = net:conv(x, 8)' 'conv: the first argument is the name of the operator, not a table'
mistake 'x = net.conv("c", x, 8)' 'conv: it is called as net:conv\(...\), with a colon'
mistake 'x = net:max_pool("p", x, {kernel = {}})' 'max_pool p .*: kernel, stride and dilation are integers from 1 on, not false'
mistake 'x = net:input("d", 3)' 'tensor d: its shape is a list of dimensions, not a number'
mistake 'x = net:input(3, {1})' 'tensor: its name is text, not a number'
mistake 'x = net:input("d", {1, 2.5})' 'tensor d: \[1,2.5\] is no shape'
mistake 'x = net:add("s", x)' 'add s .*: input 2 is no tensor of this net'
mistake 'x = net:concat("j", {x, 3})' 'concat j .*: input 2 is no tensor of this net'
mistake 'x = net:flatten()' 'flatten .*: input 1 is no tensor of this net'
mistake 'x = net:reshape(x, 3)' 'reshape data .*: the shape is a list of dimensions, not a number'
mistake 'x = net:slice("s", x, 3)' 'slice: '
mistake 'x = net:transpose("t", x, 3)' 'transpose: '
mistake 'x = net:attention("a", x, {heads = {}})' 'attention a '
mistake 'x = net:op("e", "n", {x})' "op: attempt to index a nil value \\(local 'spec'\\)"
mistake 'nn.net(3)' 'net: its options are a table with a name, not a number'
mistake 'net:graph(x)' 'graph m: the outputs are a list of tensors, not a tensor'
mistake 'require("cores").split(3)' 'cores.split: the first argument is a graph'
mistake 'require("args")(3, {})' 'args: it is called as require'
mistake 'require("words")()' 'words: a list is text with commas, not a nil'
printf 'local net = require("nn").net {name = "m"}\nlocal x = net:input("data", {1, 1})\nx = net:param("p", {3})\nreturn net:graph {x}\n' >mistake.lua
refuses "a call that the file ends with" plan mistake.lua because 'mistake\.lua: graph m: no operator reads'

# ---- conditions are looked at when they are given ----
# wrong CONDITION PATTERN: of a breakpoint, and of --where.
wrong() {
    printf 'break %s\n' "$1" >"$tmp/script"
    refuses "break $1" "$models/example1.json" --script "$tmp/script" --screen 80x24 because ".*script:1:1: $2"
}
right() {
    printf 'break %s\nrun\n' "$1" >"$tmp/script"
    run "$models/example1.json" -p first-fit --script "$tmp/script" --screen 80x24
    check "break $1" exits 0
}
wrong 'kind branch and candidates' "nothing stands between 'kind' and 'branch': compare them, or join two conditions with and, or"
wrong 'kind == branch and candidates' "'candidates' is a number, and a condition is true or false: compare it"
wrong 'size > 3 or (forced and offset)' "'offset' is a number, and a condition is true or false: compare it"
wrong 'not candidates' "'candidates' is a number, not true or false: compare it"
wrong 'candidates and size > 3' "'candidates' is a number, not true or false: compare it"
wrong 'peak >' "something is missing behind '>'"
wrong 'size > 3 and' "something is missing behind 'and'"
wrong '> size' "something is missing before '>'"
wrong 'peak > buffer' "'peak' is a number and 'buffer' is a text: '>' compares two numbers or two texts"
wrong 'size == "4K"' "'size' is a number and '4K' is a text: they are never equal"
wrong 'buffer + 1 > 2' "'buffer' is a text, which '\\+' does not go with"
wrong '-kind > 2' "'kind' is a text, which '-' does not go with"
wrong 'size(3) > 2' "'size' is a number, and brackets follow it"
wrong 'kind' "'kind' is a text, and a condition is true or false: compare it"
for condition in 'peak > bound * 1.1' 'kind == place and size > 64K' 'size > 3 or forced' 'buffer and buffer == "b2"' 'not forced' \
    '(kind == place and 1 or 2) > size' 'math.max(size, 3) > 4' '#kind > 3' 'kind .. "x" == "placex"' 'step % 2 == 0' 'size > 1e3' \
    'reason == nil or reason:find("gap") ~= nil' '-step < 0' '2 ^ 3 ^ 2 > size' 'size // 2 > 3' 'string.len(kind) > 3' 'kind ~= "place"'; do
    right "$condition"
done
finish
