#!/usr/bin/env bash
# A reader of one's own: the example of scripts/lua.md, by option and by config, and what is wrong with readers and with what they read.
. "$(dirname "$0")/lib.bash"
page=$SOURCE/scripts/lua.md
awk '/^# A reader of your own/ { here = 1 } here && /^```lua$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >"$tmp/tinycc.lua"
awk '/^# A reader of your own/ { here = 1 } here && /^```$/ { inside++; next } inside == 1' "$page" >"$tmp/net.map"
cd "$tmp" || exit 1
check "the page has a reader" [ -s tinycc.lua ]
check "of about 20 lines" [ "$(wc -l <tinycc.lua)" -le 22 ]
check "and a log" [ "$(wc -l <net.map)" = 3 ]
run plan net.map --format json
check "it is not known without" exits 2
echo 'another log' | tee other.log >other.dump
refuses "a dump of another program, too" plan other.dump --reader tinycc.lua because '.*other\.dump:.*; its words are not those of the reader tinycc$'
refuses "a log of another program names the reader" plan other.log --reader tinycc.lua because '.*other\.log:.*; its words are not those of the reader tinycc$'
run plan net.map --reader tinycc.lua --format json
check "it is read" json '.buffers == 2 and .lower_bound == 6144'
run plan net.map --reader tinycc.lua -p as-built --format json
check "as the plan that it is" json '.peak == 6144 and ([.placements[] | [.buffer, .offset]] == [["conv1",0],["conv2",4096]])'
run convert net.map --reader tinycc.lua -o net.json
check "it is converted" exits 0
run plan net.map --reader tinycc.lua
check "with its note" says '2 buffers, as tinycc placed them'
run plan net.map --reader tinycc.lua -o plan.csv
run check net.map plan.csv --reader tinycc.lua
check "and checked" exits 0
run list formats --reader tinycc.lua
check "it is listed" says '^tinycc +\.map +read +the memory map of tinycc'
run net.map --reader tinycc.lua --screen 80x24 --script <(printf 'step 1\n')
check "the explorer opens it" says 'conv1'
printf 'step 1\nsave net.session\n' >save.script
run net.map --reader tinycc.lua --screen 80x24 --script save.script
check "a session names it" grep -qx 'reader tinycc.lua' net.session
run net.session --screen 80x24 --script <(printf 'step 1\n')
check "which opens without it" exits 0
check "as it was" says 'conv1'
sed 's/^program [0-9a-f]*/program 0123456789abcdef/' net.session >strange.session
refuses "a session with a reader that has changed" strange.session --script save.script because '.*tinycc\.lua is a program that has changed since the session was saved'
mkdir -p config/stowage
echo 'return {readers = {"../../tinycc.lua"}}' >config/stowage/config.lua
XDG_CONFIG_HOME=$tmp/config run plan net.map --format json
check "the config names it" json '.buffers == 2'
XDG_CONFIG_HOME=$tmp/config run list formats --config none
check "or not" exits 0
check "and it is not listed then" same "" "$(grep tinycc "$tmp/out")"
echo 'return {readers = {"none.lua"}}' >config/stowage/config.lua
XDG_CONFIG_HOME=$tmp/config refuses "a reader that is not there" plan net.map because '.*none\.lua: '
echo 'return {readers = "tinycc.lua"}' >config/stowage/config.lua
XDG_CONFIG_HOME=$tmp/config refuses "no list" list keys because '.*config\.lua:1: readers: must be a list of files ending in \.lua$'

sed 's/live 0-2/live 3-2/' net.map >wrong.map
refuses "what is wrong in the input" plan wrong.map --reader tinycc.lua because '.*wrong\.map:2:1: conv1 is live from step 3 to 2$'
sed 1q net.map >empty.map
refuses "an empty one, at its end" plan empty.map --reader tinycc.lua because '.*empty\.map:2:1: the map has no rows$'

own() { # FIELDS of a reader, into own.lua
    printf 'stowage.reader { name = "own", gives = "plan", has = "tinycc",\n%s }\n' "$1" >own.lua
}
refuses "no Lua" plan net.map --reader net.map because '.*a reader is a file of Lua'
echo 'return {}' >own.lua
refuses "no reader" plan net.map --reader own.lua because '.*own\.lua: the file calls no stowage\.reader'
printf 'stowage.reader { name = "own", gives = "plan", read = function() end }' >own.lua
refuses "no words" plan net.map --reader own.lua because ".*own\\.lua: a reader needs 'begins', 'has' or 'members'"
own 'sumary = "x", read = function() end'
refuses "a field that there is not" plan net.map --reader own.lua because '.*own\.lua: stowage\.reader: unknown option sumary, did you mean summary'
own 'read = function(_, plan) plan:row { name = "a", sise = 4, first = 0, last = 1 } end'
refuses "a field of a row that there is not" plan net.map --reader own.lua because '.*row: unknown option sise, did you mean size; there are name, .*'
own 'read = function(input) input:take(")") end'
refuses "a bracket that closes nothing" plan net.map --reader own.lua because '.*invalid pattern capture.*'
printf 'stowage.reader { name = "own", gives = "cake", has = "x", read = function() end }' >own.lua
refuses "gives what is not known" plan net.map --reader own.lua because ".*a reader's 'gives' must be"
own 'read = function() local x = nil; return x.y end'
refuses "a fault of the reader's own" plan net.map --reader own.lua because '.*own\.lua:2: attempt to index a nil value'
own 'read = function() instead "buffers-csv" end'
printf 'id,lower,upper,size\ntinycc,0,1,4\n' >table.map
run plan table.map --reader own.lua --format json
check "another reader in its place" json '.buffers == 1 and .lower_bound == 4'
own 'read = function() instead "own" end'
refuses "itself in its place" plan net.map --reader own.lua because ".*there is no other reader 'own'"
own 'read = function() while true do end end'
refuses "one that does not end" plan net.map --reader own.lua because '.*own\.lua:2: the script (does not come to an end|takes too long)'
own 'read = function(input) pcall(fail, 3, "swallowed") end'
refuses "a failure that is caught all the same" plan net.map --reader own.lua because '.*net\.map:1:3: swallowed$'
own 'read = function(input, plan) plan:row { name = "a", size = -1, at = 12 } end'
refuses "a size below nothing" plan net.map --reader own.lua because '.*net\.map:1:12: a ends above 2\^61 bytes$'
own 'read = function(input, plan) plan:row { name = "a", size = 1.5 } end'
refuses "a size with a fraction" plan net.map --reader own.lua because ".*own\\.lua:2: 'size' must be a whole number"
# What stands at the cursor.
printf 'tinycc 12:a-\303\251;\n' >parts.map
own 'read = function(input, plan)
  for _ in input:lines() do
    local word, blanks = input:take("(%l+)( +)")
    local number, at, rest = input:expect { { "the number", 0, 20 }, { ":()", "a colon is missing" }, { "([^;]*);" } }
    note("%s %d %d %d %s %s %s %s", word, #blanks, number, at, cut(rest, 3), quote(rest), input:take("x"), input:take("$"))
  end
  plan:row { name = "a", size = stowage.most_bytes }
end'
run plan parts.map --reader own.lua
check "captures and numbers" says 'tinycc 1 12 11 a- a-é nil '
for part in '{ "the number", 0, 11 }|1:8: the number must be from 0 to 11' '{ "the number", 0, 99 }, { "$", "the end is missing" }|1:10: the end is missing' \
    '{ "%d+:" }, { "the length", 0, 1 }|1:11: the length is not a number'; do
    own "read = function(input) for _ in input:lines() do input:take('%l+ ') input:expect { ${part%|*} } end end"
    refuses "a part that is missing" plan parts.map --reader own.lua because ".*parts\\.map:${part#*|}\$"
done

own 'read = function(input, plan) plan:row { name = "a", size = 1, kind = "weight" } end'
refuses "a kind that there is not" plan net.map --reader own.lua because ".*own\\.lua:2: there is no kind 'weight' of buffers \\(input, output, constant, intermediate or scratch\\).*"
own 'read = function(input, plan) plan:row { name = "a", size = 1, dtype = "int9" } end'
refuses "an element type that there is not" plan net.map --reader own.lua because ".*own\\.lua:2: there is no element type 'int9' \\(bool, int4, .*, complex64 or complex128\\).*"
# What no engine may be given: refused, whatever it is.
while IFS='|' read -r gives body; do
    printf 'stowage.reader { name = "own", gives = "%s", has = "tinycc", read = function(input, out) %s end }\n' "$gives" "$body" >own.lua
    run plan net.map --reader own.lua
    check "$body" exits 2
    check "$body: one line" complains '.*(own\.lua|net\.map)'
done <<'END'
graph|out:buffer{name = "a", size = 1, first = math.mininteger, last = 0}
graph|out:buffer{name = "a", size = 1, first = 3, last = 0}
graph|out:buffer{name = "a\xff", size = 1, first = 0, last = 0}
graph|out:buffer{name = "a", size = 1, pieces = {{0, math.maxinteger, 0, 1}}}
graph|out:tier{name = "t", capacity = -1}
plan|out:row{name = "a\0b", size = 8, first = 0, last = 1}
plan|out:row{name = "a", size = 8, first = 0, last = math.maxinteger}
plan|input:bytes(math.maxinteger, math.maxinteger)
plan|input:take("(")
plan|input:expect{{"%d", {}}}
plan|input:expect{{1, 2}}
plan|cut("a", -1)
plan|fail(math.mininteger, "\xff")
requests|out:done() out:alloc{id = "a", size = 1}
requests|out:drop("a")
requests|out:origin(1, "main")
requests|out:grow(-1)
requests|out:recorded{windows = {{-1, 5}}}
requests|out:recorded{known = {{9, 5}}}
plan|input:beside("../net.map")
plan|input:beside("")
plan|input:fail(2, "\xff")
trace|local t = {} t[1] = t out:decision{"x", rows = t}
END

# A line may be long: what its parts cost does not grow with it.
times() { # N TEXT
    awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'
}
alloc='ggml_dyn_tallocr_alloc: allocating in (64 bytes) - block 0, offset 0, chunk 0'
{ echo "$alloc"; echo "max_size[0] = 0.00 MB: tensors: $(times 40000 'x [0: 0-40] (0.00 MB) ')"; echo 'exec: MUL (y) <= in'; } >held.log
{ echo "$alloc"; echo "ggml_gallocr_free_node: freeing $(times 200000 'in at ')x"; } >at.log
{
    echo 'buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names'
    echo "1,\"a\",1,4,0,\"$(times 100000 '1;')2\",\"b\""
} >uses.csv
{ echo 'malloc(24) = 0x4A42040'; times 200000 '('; echo; } >open.calls
run convert open.calls -o open.json
check "200,000 parentheses in a line" exits 0
run convert held.log -o held.trace
check "40,000 tensors in a line" exits 0
refuses "200,000 words in a line" plan at.log because '.*at\.log:2:[0-9]+: this says: freeing NAME'
run convert uses.csv -o uses.trace
check "100,000 uses in a line" exits 0

# ggml: a block of no bytes takes no room, whatever lies around it.
ggml() { # LINE...: of an allocation NAME BYTES OFFSET, or as they are, with the node that ends them
    printf '%s\n' "$@" 'exec: ADD (end) <= x' |
        sed 's/^\([A-Z]\) \([0-9]*\) \([0-9]*\)$/ggml_dyn_tallocr_alloc: allocating \1 (\2 bytes) - block 0, offset \3, chunk 0/'
}
one_pool() { run convert "$1" -o zero.trace && exits 0 && grep -q '"tiers":\[{"name":"chunk 0"}\]' zero.trace; }
two_pools() { run convert "$1" -o zero.trace && exits 0 && grep -q '{"name":"chunk 0, pool 2"}' zero.trace; }
ggml 'A 128 0' 'Z 0 64' 'B 64 128' 'Y 0 128' 'C 32 192' >zero.log
check "no bytes inside a block, and where one begins" one_pool zero.log
ggml 'A 128 0' 'Z 0 128' 'B 64 128' >zero.log
check "no bytes before a block" one_pool zero.log
ggml 'A 100 0' 'Z 0 50' 'B 10 60' >zero.log
check "no bytes hide no block that reaches behind them" two_pools zero.log
ggml 'A 128 0' 'reusing parent A for B' 'freeing extra 128 bytes from parent A for B' 'exec: ADD (B) <= A' 'C 64 0' >zero.log
check "all bytes of a parent are given back" one_pool zero.log
ggml 'A 64 0' 'Z 0 0' 'Z 0 0' 'ggml_gallocr_free_node: freeing Z at {chunk=0, offset=0} (0 bytes) - n_free_blocks = 1' \
    'ggml_gallocr_free_node: freeing Z at {chunk=0, offset=0} (0 bytes) - n_free_blocks = 1' 'reusing parent A for Q' >zero.log
check "no bytes are freed" one_pool zero.log
check "each block of them once" same 2 "$(grep -c '"free":"Z' zero.trace)"
check "and none is a stranger" [ -z "$(grep 'did not allocate' zero.trace)" ]

# XLA's report: spaces of the same name have their own buffers.
for space in 0 4; do
    printf 'Memory Space: hbm (color=%s)\nTotal bytes: 100 (100B)\n cumulative_size;       size; offset; used; shapes\n' "$space"
    printf ' 100B( 50%%);   100B;   0;    2; f32[25]\n'
done >two-memory-usage-report.txt
run convert two-memory-usage-report.txt -o two.json
check "two spaces of one name" exits 0
check "have a buffer each" same 2 "$(jq '[.buffers[].tier] | unique | length' two.json)"

# BFC: the place of an address that is none is where it stands.
{
    echo 'x bfc_allocator.cc:1] Extending allocation by 2.00MiB bytes for G.'
    echo 'x bfc_allocator.cc:2] Allocated memory at 0x1000 to 0x200000'
    echo 'x bfc_allocator.cc:3] AllocateRaw G  256 0xffffffffffffff00'
    echo 'x bfc_allocator.cc:3] AllocateRaw G  256 0x1000'
} >stray.log
refuses "a stray address" plan stray.log because '.*stray\.log:3:1: what lies at 0xffffffffffffff00 would end above'

# What stands in a line is looked at a few times, however often the lines of a log ask for it.
blanks=$(printf '%200000s' '')
printf 'BufferAssignment:\nallocation 0: size 4, output shape is |f32[1]|, maybe-live-out:\n value: <0 a @0> (size=4,offset=0): f32[1]\n' >b-buffer-assignment.txt
printf 'HloLiveRange (max 3):\n  BufferLiveRange:\n%sx\n' "$blanks" >b-live-range.txt
refuses "200,000 blanks before a live range" plan b-buffer-assignment.txt because '.*b-live-range\.txt:3:1: this is no live range'
freed='ggml_gallocr_free_node: freeing A at {chunk=0, offset=0} (1 bytes) - n_free_blocks = 1'
{
    ggml 'A 1 0'
    echo "$freed"
    times 5000 $'ggml_dyn_tallocr_alloc: allocating Z (0 bytes) - block 0, offset 0, chunk 0\n'
    echo "exec: ADD (z) <= $(times 120000 'operand, ')"
} >next.log
run convert next.log -o next.trace
check "5,000 allocations before a long node" exits 0
check "which they are for" same 1 "$(grep -c '^{"group":"ADD (z)"}' next.trace)"
{ ggml 'A 1 0'; echo "max_size[0] = 0.00 MB: tensors: A [0: 0-1] (0.00 MB) $(times 200000 'a [0: 0-1] (')"; } >unheld.log
run convert unheld.log -o unheld.trace
check "200,000 tensors that are cut" exits 0
check "behind one that is whole" grep -q '"rows":\[\["A",0,0,1\]\]' unheld.trace
{ ggml 'A 1 0'; echo "reusing parent $(times 100000 'a for ')a"; ggml 'A for B 1 0' 'reusing parent A for C'; } >for.log
run convert for.log -o for.trace
check "100,000 times for" exits 0
{
    echo 'x bfc_arena.cc:1 E] Extending BFCArena for Cuda. bin_num:9 (requested) num_bytes: 256 (actual) rounded_bytes:256'
    awk 'BEGIN { for (i = 0; i < 20000; i++) printf "x] Allocated memory at 0x1%04x000 to 0x1%04x100\n", i, i }'
    times 19999 $'x] Cuda BFC Arena shrunk by 256 bytes.\n'
} >shrunk.log
run plan shrunk.log
check "19,999 regions go back" exits 0
check "of which each time but one it could be another" says '19999 times the log does not say which of several regions'
echo 'buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names' >often-bufferinfo.csv
echo "1,\"v\",1.0,64,0,\"900000\",\"$(times 2000 'a use, ')\"" >>often-bufferinfo.csv
{ echo 'buffer_id,size,offset,start_time,end_time'; for ((i = 0; i < 100; i++)); do echo "1,64,0,$((2 * i)),$((2 * i + 1))"; done; } >often-allocinfo.csv
run convert often-bufferinfo.csv -o often.trace
check "the uses of a value with 100 places" exits 0
check "are told once" same 1 "$(grep -c 'a use, a use' often.trace)"
check "and the last of them with each other place" same 99 "$(grep -c 'last used at 900000' often.trace)"

# The types for editors know every method, and no other.
methods() { # CLASS FILE...: as the sources have them
    local class=$1
    shift
    sed -n '/static const struct luaL_Reg methods\[\]\|^const struct luaL_Reg sw_reading_/,/NULL}};/p' "$@" | grep -o '{"[a-z_]*", [a-z]' | cut -d'"' -f2
    [ "$class" != Trace ] || sed -n '/const lines\[\] = {/,/};/p' "$@" | grep -o '"[a-z_]*"' | tr -d '"'
}
readers=$SOURCE/app/lua/readers
while read -r class files; do
    (cd "$readers" && methods "$class" $files) | sort >methods.told
    sed -n "s/^function $class:\\([a-z_]*\\).*/\\1/p" "$SOURCE/scripts/lib/reader_meta.lua" | sort >methods.typed
    check "methods of $class" [ -s methods.told ]
    check "types of $class" cmp methods.told methods.typed
done <<'END'
Input reader_input.c reader_beside.c reader_hlo.c
Json reader_json.c
Graph reader_problem.c
Requests reader_requests.c
Trace reader_trace.c
END
sed -n '/ globals\[\] = {/,/};/p' "$readers/reader.c" | grep -o '{"[a-z_]*"' | cut -d'"' -f2 | sort >methods.told
sed -n 's/^function \([a-z_]*\)(.*/\1/p' "$SOURCE/scripts/lib/reader_meta.lua" | sort >methods.typed
check "functions" grep -qx unique methods.told
check "types of functions" cmp methods.told methods.typed

# The other parts of an input, and what else it can become.
printf '\001\000\002\000\000\000\003' >bytes.bin
printf 'stowage.reader { name = "own", gives = "graph", begins = "\\1", any_bytes = true, read = function(input, graph)
  graph:buffer { name = "a", size = input:little(1, 4), first = 0, last = input:big(6, 2) }
  graph:buffer { name = "b", size = #input:bytes(2, 3), first = 0, last = input:length() } end }' | sed 's/input:length()/input.length/' >own.lua
run plan bytes.bin --reader own.lua --format json
check "integers of both ends" json '.buffers == 2 and .peak == 131076'
printf 'name,bytes\nx,64\n"y z",32\nq,no\n' >table.own
printf 'stowage.reader { name = "own", gives = "graph", begins = "name,bytes", read = function(input, graph)
  for row, at in input:rows() do
    graph:buffer { name = row.name, first = 0, last = 0, size = math.tointeger(row.bytes) or fail(at.bytes, "%%s is no size", row.bytes) } end end }' >own.lua
refuses "a field of a row" plan table.own --reader own.lua because '.*table\.own:4:3: no is no size$'
sed 3q table.own >good.own
run plan good.own --reader own.lua --format json
check "rows" json '.buffers == 2 and .peak == 96'
printf '{"list":[{"n":"a","s":64},\n {"n":"b","s":"32"}]}' >list.own
printf 'stowage.reader { name = "own", gives = "graph", members = {"list.n"}, read = function(input, graph)
  for item in input:json():items("list") do
    graph:buffer { name = item:text("n"), size = item:bytes("s"), first = 0, last = 0, at = item } end end }' >own.lua
refuses "a value of JSON" plan list.own --reader own.lua because '.*list\.own:2:15: "s" must be a whole number, not a string$'
printf 'sizes beside\n' >main.own
printf 'a 64\nb no\n' >sizes.own
printf 'stowage.reader { name = "own", gives = "graph", begins = "sizes beside", read = function(input, graph)
  local sizes = input:beside("sizes.own") or fail(false, "sizes.own must lie beside this file")
  for _ in sizes:lines() do
    local name = sizes:read("%%w ")
    local size = sizes:read("%%n") or sizes:fail(nil, "%%s has no size", name)
    graph:buffer { name = name, size = size, first = 0, last = 0 } end end }' >own.lua
refuses "what is wrong in a file beside" plan main.own --reader own.lua because '.*sizes\.own:2:3: b has no size$'
printf 'a 64\nb 32\n' >sizes.own
run plan main.own --reader own.lua --format json
check "a file beside" json '.buffers == 2 and .peak == 96'
rm sizes.own
refuses "one that is not there" plan main.own --reader own.lua because '.*main\.own: sizes\.own must lie beside this file$'
mkdir sizes.own
refuses "a folder in its place" plan main.own --reader own.lua because '.*sizes\.own: '
rmdir sizes.own
mkfifo sizes.own
refuses "a pipe in its place" plan main.own --reader own.lua because '.*sizes\.own: '
rm sizes.own
printf '\037\213\010\000broken' >sizes.own
refuses "one whose compressed data are broken" plan main.own --reader own.lua because '.*sizes\.own:'
rm sizes.own
ln -s sizes.own sizes.own
refuses "a link to itself" plan main.own --reader own.lua because '.*sizes\.own: '
rm sizes.own
long=$(printf '%300s' '' | tr ' ' n)
printf 'stowage.reader { name = "own", gives = "graph", begins = "sizes beside", read = function(input, graph)
  for _, name in ipairs { "%s", "none" } do
    if input:beside(name) then fail(nil, "%%s is there", name) end end
  graph:buffer { name = "a", size = 1, first = 0, last = 0 } end }' "$long" >own.lua
run plan main.own --reader own.lua
check "nothing has a name that is too long" exits 0
printf 'a\nb\n' >sizes.own
printf 'stowage.reader { name = "own", gives = "graph", begins = "sizes beside", read = function(input, graph)
  local one, other = input:beside("sizes.own"), input:beside("sizes.own")
  one:lines()()
  one:at(2)
  if other:at() ~= 2 then fail(nil, "these are two") end
  graph:buffer { name = "a", size = 1, first = 0, last = 0 } end }' >own.lua
run plan main.own --reader own.lua
check "a file beside is opened once" exits 0
printf 'stowage.reader { name = "own", gives = "graph", begins = "sizes beside", read = function(input, graph)
  while true do input:beside("sizes.own") end end }' >own.lua
(
    [ "$SANITIZE" != none ] || ulimit -v 2000000
    "$STOWAGE" plan main.own --reader own.lua >"$tmp/out" 2>"$tmp/err" </dev/null
)
status=$?
check "a loop that opens one does not go on" exits 2
check "and says so" complains '.*own\.lua:2: the script (does not come to an end|takes too long)'
printf 'a 64\nb 32\n-a\n' >calls.own
printf 'stowage.reader { name = "own", gives = "requests", allocator = "bfc-arena", has = "a 64", read = function(input, requests)
  for line in input:lines() do
    local id, size = line:match("(%%a) (%%d+)")
    if id then requests:alloc { id = id, size = tonumber(size) } else requests:free(line:sub(2)) end end end }' >own.lua
run plan calls.own --reader own.lua --format json
check "requests" json '.planner == "bfc-arena" and .buffers == 2'
printf 'stowage.reader { name = "own", gives = "requests", allocator = "bfc-arena", has = "a 64", read = function(input, requests)
  requests:grow(1000)
  requests:grow(4096, 8192)
  local one, two = requests:give(8192, 64), requests:give(8448, 32)
  requests:drop(one)
  requests:origin(two, "main")
  note("%%s %%s", requests:find(one), requests:find("0x2100"))
  requests:give(16384, 256)
  requests:recorded { settings = "initial=4096", known = {{16384, 16640}}, windows = {{8192, 12288}, {16384, 16640}} }
  requests:done()
  requests:buffer { name = "weights", kind = "constant", size = 512 } end }' >own.lua
run plan calls.own --reader own.lua --format json
check "a recorded allocator" json '.details.reserved_elsewhere == 744 and (.placements | map({(.buffer): .offset}) | add) == {"0x2000": 0, "0x2100": 256, "0x4000": 4096}'
run plan calls.own --reader own.lua
check "what lives of it" says '^note: nil 2$'
printf 'stowage.reader { name = "own", gives = "trace", has = "a 64", read = function(input, trace)
  trace:tier { name = "ram" }
  note("two at most")
  for at, id, size in input:match("^(%%a) (%%d+)") do
    trace:alloc { id, size = tonumber(size), at = at }
    trace:decision { "place", buffer = id, tier = "ram", offset = id == "a" and 0 or 64, reason = "it is " .. id, at = at } end
  trace:free { "a" }
  trace:done { planner = "mine" } end }' >own.lua
run trace calls.own --reader own.lua
check "a decision trace" says '"reason":"it is b"'
run convert calls.own --reader own.lua -o calls.trace
check "with the planner and the note" grep -q '^{"stowage-trace":1,"planner":"mine","tiers":\[{"name":"ram"}\],"notes":\["two at most"\]}' calls.trace
check "which can be kept" grep -q '"decision":"place","buffer":"b".*"source":"line 2"' calls.trace
# Where the lines of a trace come from: a line of the input, what the script says, or a line of another file.
cat >own.lua <<'END'
stowage.reader { name = "own", gives = "trace", has = "a 64", read = function(_, trace)
  local row = { "a", size = 1, source = 'table "x"', line = 7 }
  for _ = 1, 3 do
    trace:buffer(row)
    row[1], row.line = row[1] .. "a", row.line + 1
  end
  trace:decision { "place", buffer = "a", source = "other", line = 12, at = 6 }
  trace:decision { "place", buffer = "aa", source = "said", at = false }
  trace:decision { "place", buffer = "aaa", at = 6 }
end }
END
run convert calls.own --reader own.lua -o where.trace
check "a line of a trace can come from a line of another file" same 'table "x" line 7,table "x" line 8,table "x" line 9,other line 12,said,line 2' \
    "$(jq -r 'select(.buffer or .decision) | .source' where.trace | paste -sd,)"
while IFS='|' read -r row why; do
    printf 'stowage.reader { name = "own", gives = "trace", has = "a 64", read = function(_, trace) trace:buffer { "a", size = 1, %s } end }' "$row" >own.lua
    refuses "$row" convert calls.own --reader own.lua -o none.trace because ".*own\\.lua.*$why"
done <<'END'
source = {}, line = 1|string expected, got table
source = "x", line = 1.5|number has no integer representation
line = 3|'line' is one of another file, which 'source' names
lines = 3, source = "x"|unknown option lines, did you mean line
END
check "and nothing is written" [ ! -e none.trace ]

# What every reader has: the end of a line in a pattern, and names that are unique.
printf 'one 12\ntwo 12 \nthree 12x\n\n' >ends.own
cat >own.lua <<'END'
stowage.reader { name = "own", gives = "graph", has = "one 12", read = function(input, graph)
  for _ in input:lines(true) do
    local word, number = input:read("%w %n%e")
    note("%s %s %s %s", word, number, input:at(), input:read("%s%e") or "no end")
  end
  local one, other = unique(), unique()
  note("%s", table.concat({ one "x", one "x", one "y", one "y", one "x#2", one "", other "x", other "x", one "x" }, " "))
  for i = 1, 3 do graph:buffer { name = one "b", size = i, first = 0, last = 0 } end
end }
END
run plan ends.own --reader own.lua
grep '^note: ' "$tmp/out" | cut -d' ' -f2- >ends.notes
check "the end of a line, and what is before it" same 'one 12 7 true|nil nil 14 true|nil nil 24 no end|nil nil 26 true' \
    "$(head -4 ends.notes | paste -sd'|')"
check "unique names" grep -qFx 'x x#2 y y#3 x#2#4 #5 x x#2 x#6' ends.notes
run plan ends.own --reader own.lua --format json
check "of buffers" json '[.placements[].buffer] == ["b", "b#7", "b#8"]'
printf 'stowage.reader { name = "own", gives = "graph", has = "one 12", read = function() local a = unique()() end }' >own.lua
refuses "a name that is none" plan ends.own --reader own.lua because '.*own\.lua.*string expected, got no value'
printf 'stowage.reader { name = "own", gives = "graph", has = "one 12", read = function() while true do unique()(("x"):rep(100000)) end end }' >own.lua
refuses "unique names without end" plan ends.own --reader own.lua because '.*own\.lua:1: the script (does not come to an end|takes too long|needs too much memory)'
printf 'stowage.reader { name = "own", has = "a 64", gives = GIVES, read = function(input, out)
  note(("long "):rep(1000) .. "note")
  if GIVES == "trace" then
    out:alloc { "a", size = 64 }
    out:done { planner = "mine" }
  else
    out:buffer { name = "a", size = 64, first = 0, last = 1 }
  end
end }' >long.lua
sed 's/GIVES/"trace"/' long.lua >long-trace.lua
run convert calls.own --reader long-trace.lua -o long.trace
check "a note of 5,004 bytes on a decision trace is whole" grep -Eq '"notes":\["(long ){1000}note"\]' long.trace
sed 's/GIVES/"graph"/' long.lua >long-graph.lua
run plan calls.own --reader long-graph.lua
check "and one on a graph" says '(long ){1000}note'
finish
