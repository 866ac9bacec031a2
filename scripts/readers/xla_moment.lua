-- What XLA says of a program that found no memory, or of its allocations alone: one moment, the program's peak.
--
--     Out of memory while trying to allocate 6291456 bytes.
--     BufferAssignment stats:
--                      total allocation:   12.00MiB
--     Peak buffers:
--     	Buffer 1:
--     		Size: 6.00MiB
--     		Operator: op_name="jit(concatenate)/..."
--     		XLA Label: concatenate
--     		Shape: f32[4096,128,3]
--
-- On TPUs "Largest program allocations in hbm:" with tiled shapes and what they take unpadded; of a buffer assignment that is pasted in part,
-- "allocation 3: size 64, preallocated-temp:". Sizes are rounded for people; the shape beside one tells the exact one where it rounds to it.
local rounded_bytes = require "rounded_bytes"
local shown = require "shown"

local MOST_BYTES <const> = stowage.most_bytes
local LONGEST <const> = 80 -- of a name, in bytes
local LONG <const> = 8000 -- no line with a figure is so long
local STATS <const> = { ["total allocation"] = "total", ["total fragmentation"] = "fragmentation" }
-- "Out of memory while trying to allocate 6291456 bytes", "Failed to allocate request for 1.5GiB (1610612736B) on device ordinal 0"
local REQUESTS <const> = { "of memory while trying to allocate (%d[%d.]* ?%a*)", "[Oo]ut of memory allocating (%d+ bytes)",
  "[Ff]ailed to allocate request for [%d.]+%a* %((%d+B)%)", "[Ff]ailed to allocate [%d.]+%a* %((%d+ bytes)%) from device" }

local function integer(text)
  local number = text and #text <= 19 and math.tointeger(tonumber(text))
  return number and number <= MOST_BYTES and number or nil
end

local function clean(text)
  if text and not utf8.len(text) then text = text:gsub("[\x80-\xff]", "?") end
  return text and text ~= "" and shown(text) or nil
end

stowage.reader {
  name = "xla-moment",
  summary = "what XLA says of memory when it ran out (peak buffers, largest allocations, sums), or allocations without lifetimes",
  extensions = ".txt .log",
  has = {"BufferAssignment OOM Debugging", "BufferAssignment stats:", "Peak buffers:", "Largest program allocations in ", "of memory while trying to allocate %n", "Out of memory allocating %d bytes", "Failed to allocate request for %d", "Ran out of memory in memory space ", "allocation %d: size %d", "value: <%d ... (size=%d,offset=%d): ", "Entry Parameter Subshape: ", "XLA Label: ", "XLA label: ", "Unpadded size: %d", "Allocation type: HLO temp", " Used %n ... of %n ... hbm", "Attempting to allocate %n ... That was not possible", "Attempting to reserve %n ... That was not possible", "Scoped allocation with size %n", "TensorCore Hbm usage: %n ... exceeding available bytes: %n", "preallocated temp allocation: %s%d", " total allocation: %s%d"},
  looks = "what XLA prints when memory ran out",
  near = {"BufferAssignment OOM", "RESOURCE_EXHAUSTED", "Total hbm usage", "Program hbm requirement", "HLO temp  ", "Allocation type: ", "XLA Label", "Entry Parameter", "Total bytes allocated", "preallocated temp", "Peak buffers", "op_type=\"", "hbm capacity", "Operator: op_name=", "parameter allocation: ", "total fragmentation: ", "Used %d ... of %d ... hbm"},
  paste = "the whole message, from \"Out of memory\" or \"Ran out of memory\" on",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local lists, list, entry = {}, nil, nil     -- of peak buffers
    local allocations, of_number, allocation = {}, {}, nil -- of a buffer assignment
    local stats, told, failed = {}, {}, nil
    local tiled, unexact, others, unsized = false, 0, 0, 0
    local parts, sums, in_sums = {}, {}, false -- what the text itself says of the program's memory, word for word
    local space, reservable, failures = nil, nil, 0

    -- ---- peak buffers ----

    local function new_list()
      list, entry = {}, nil
      lists[#lists + 1] = list
    end

    local function new_entry(number)
      if not list or number <= #list then new_list() end -- the same list again, or another program's
      entry = { number = number }
      list[#list + 1] = entry
    end

    local function read_size(text)
      if not entry then new_entry(list and #list + 1 or 1) end
      entry.size, entry.about = rounded_bytes(text)
    end

    local function read_shape(text, label)
      if not entry and input:shape_size(text) then new_entry(list and #list + 1 or 1) end
      if not entry then return end
      entry.shape, entry.label = text, label or entry.label
    end

    local function read_entry_line(line)
      local number, size = line:match("(%d+)\\?%.%s+Size: (%d.*)")
      if number then
        new_entry(integer(number) or 1)
        read_size(size)
        entry.shape, entry.label = size:match(" Shape: (%S+)"), size:match(" Tag: (.*%S)") -- all in one line, as the newest versions have it
        return
      end
      number = line:match("Buffer (%d+):%s*$")
      if number then return new_entry(integer(number) or 1) end
      local word, text = line:match("^%s*([%a ]+): (.*)$")
      if word == "Size" then
        read_size(text)
      elseif word == "Shape" then
        read_shape(text)
      elseif word == "Entry Parameter Subshape" then
        read_shape(text, "parameter")
      elseif word == "Operator" and entry then
        entry.origin = text:match('op_name="([^"]*)') or text
      elseif word == "XLA Label" and entry then
        entry.label = text
      elseif word == "XLA label" then
        if not entry or entry.label then new_entry(list and #list + 1 or 1) end
        entry.label = text:match("^%%?(%S+) =") or text
      elseif word == "Unpadded size" and entry then
        entry.unpadded = rounded_bytes(text)
        tiled = true
      elseif line:find("==========", 1, true) then
        entry = nil
      end
    end

    -- ---- allocations ----

    -- "allocation 6: size 524288, preallocated-temp:", or with "size 512.0KiB" in a report of usage.
    local function read_allocation(number, text, cut)
      local size, behind = text:match("^(%d[%d.]*[KMGTPE]?i?B?)(.*)$")
      if not size or (cut and behind == "") then return end
      local bytes, about = integer(size), 0
      if not bytes then bytes, about = rounded_bytes(size) end
      if not bytes or bytes > MOST_BYTES then return end
      local shape = behind:match("[Ss]hape i?s? ?|([^|]*)|")
      local exact = shape and input:shape_size(shape)
      if about > 0 and exact and math.abs(exact - bytes) <= about then bytes, about = exact, 0 end
      local old = of_number[number]
      if old and old.size ~= bytes then -- another program's
        allocations, of_number, old, others = {}, {}, nil, others + 1
      end
      if not old then
        allocation = { number = number, size = bytes, about = about, role = behind:gsub("^,? ?", ""):gsub(":%s*$", "") }
        of_number[number] = allocation
        allocations[#allocations + 1] = allocation
      else
        allocation = old
      end
    end

    -- A value in an allocation of which the line is missing: it is at least as large.
    local function read_value(size, offset)
      if allocation or not integer(size) or not integer(offset) or integer(offset) > MOST_BYTES - integer(size) then return end
      told.missing = math.max(told.missing or 0, integer(size) + integer(offset))
    end

    -- ---- sums ----

    -- "Total hbm usage >= 17.60G:", "Program hbm requirement 17.08G:", and the lines below them.
    local function read_usage(line)
      local head = line:match("^%s*(Total %a+ usage >= %d[%d.]*[KMGTPE]?):") or line:match("^%s*(Program %a+ requirement %d[%d.]*[KMGTPE]?):")
      if head then
        in_sums = head
        sums[#sums + 1] = head
        return
      end
      local word, text = line:match("^%s+(%a[%a ]-)%s%s+(%w.*%S)")
      if in_sums and word and (text:find("^%d") or text:find("^unknown")) then
        sums[#sums + 1] = word .. " " .. text
        local bytes, about = rounded_bytes(text)
        if word == "arguments" and bytes then told.arguments = { bytes, about } end
      elseif line:find("%S") then
        in_sums = false
        local output = line:match("^%s*Output size (.*[^%s.])")
        if output then sums[#sums + 1] = "output " .. output end
      end
    end

    local function fail_request(one)
      if failed and failed.size ~= one.size then failures = failures + 1 end
      failed = failed or one
    end

    local function fail_rounded(text)
      local bytes, about = rounded_bytes(text)
      if bytes then fail_request { size = bytes, about = about } end
    end

    local function tell_rounded(figure, text)
      local bytes, about = rounded_bytes(text)
      if bytes then told[figure] = { bytes, about } end
    end

    -- "Attempting to reserve 6.48G at the bottom of memory. That was not possible. There are 6.78G free, 0B reserved, and 3.33G reservable."
    local function read_attempt(line)
      local asked, rest = line:match("Attempting to %a+ (%d[%d.]*[KMGTPE]?B?)(.-That was not possible.*)$")
      if not asked then return end
      fail_rounded(asked)
      tell_rounded("device_free", rest:match("There are (%d[%d.]*[KMGTPE]?B?) free") or "")
      reservable = rest:match("and (%d[%d.]*[KMGTPE]?B?) reservable") or reservable
    end

    -- "Scoped allocation with size 19.85M and limit 16.00M exceeded scoped vmem limit by 3.85M."
    local function read_scoped(line)
      local size, limit = line:match("Scoped allocation with size (%d[%d.]*[KMGTPE]?B?) and limit (%d[%d.]*[KMGTPE]?B?)")
      if not size then return end
      fail_rounded(size)
      tell_rounded("limit", limit)
    end

    -- The allocator's message, of the same request: "ran out of memory trying to allocate 1.97GiB (rounded to 2110783744)"
    local function read_allocator(line)
      local text = line:match("an out of memory trying to allocate (%d[^)]*%)?)")
      local bytes, about = rounded_bytes(text or "")
      if not bytes or line:find("this is not a failure", 1, true) then return end
      local rounded = integer(text:match("%(rounded to (%d+)%)"))
      if rounded and math.abs(rounded - bytes) <= about + 255 then bytes, about = rounded, math.min(about, 255) end
      told.refused = { size = bytes, about = about, rounded = rounded, allocator = clean(line:match("Allocator %(([^)]*)%)")) }
    end

    local function read_sums(line, cut)
      read_usage(line)
      read_attempt(line)
      read_scoped(line)
      read_allocator(line)
      space = space or line:match("memory space (%a+)") or line:match("Largest program allocations in (%a+)")
      told.stack = told.stack or line:match("while allocating on stack for %%?([%w_.%-]*[%w_])")
      local part, of = line:match("^%s*(%a[%a_ ]- allocation):%s+(%d%S*)$")
      if not part then part, of = line:match("^%s*(preallocated temp fragmentation):%s+(%d.-)%s*$") end
      if part and part ~= "total allocation" and #parts < 8 then parts[#parts + 1] = { part, of } end
      local word, text = line:match("(total %a+):%s+(%d.*)$")
      if STATS[word] then
        local bytes, about = rounded_bytes(text)
        if bytes then stats[STATS[word]] = { bytes, about } end
      end
      local total = integer(line:match("Total bytes used: (%d+) ") or line:match("Total bytes: (%d+) "))
      if total then told.total = total end
      -- "TPU TensorCore Hbm usage: 34.82G, SparseCore Hbm usage 174.10G, exceeding available bytes: 95.74G"
      local core, sparse, both = line:match("TensorCore Hbm usage:? (%d[%d.]*[KMGTPE]?B?), SparseCore Hbm usage:? (%d[%d.]*[KMGTPE]?B?), exceeding available bytes: (%d[%d.]*[KMGTPE]?B?)")
      local one, near = rounded_bytes(core or "")
      local other, about_other = rounded_bytes(sparse or "")
      local there, about_there = rounded_bytes(both or "")
      if one and other and there then
        told.used, told.device, space = { one + other, near + about_other }, { there, about_there }, "hbm"
        sums[#sums + 1] = ("TensorCore %s, SparseCore %s"):format(core, sparse)
      end
      local used, have = line:match("Used (%d[%d.]*[KMGTPE]?) of (%d[%d.]*[KMGTPE]?) ")
      if used then
        tell_rounded("used", used)
        tell_rounded("device", have)
      end
      local program = line:match("^%s*Program %a+ requirement (%d[%d.]*[KMGTPE]?)")
      if program then
        local bytes, about = rounded_bytes(program)
        if bytes then told.program = { bytes, about } end
      end
      for _, pattern in ipairs(REQUESTS) do
        local text = line:match(pattern) or ""
        local size, about = integer(text:match("^(%d+) bytes?$")), 0
        if not size then size, about = rounded_bytes(text) end
        if size then fail_request { size = size, about = about } end
      end
    end

    for line, _, cut in input:lines() do
      line = line:match("%.[cp][cy]:%d+%]%s?(.*)$") or line -- a logger's front
      local number, text = line:match("allocation (%d+): size (.*)$")
      if not number then number, text = line:match("allocation (%d+): 0x%x+, size (.*)$") end
      if number then
        read_allocation(integer(number) or 0, text, cut)
      elseif line:find("value: <", 1, true) then
        read_value(line:match("%(size=(%d+),offset=(%d+)%)"))
      elseif line:find("Peak buffers:", 1, true) then
        new_list()
      elseif line:find("BufferAssignment stats:", 1, true) then
        stats, parts = {}, {}
      elseif #line < LONG then
        if not (cut and line:find("[%w.]$")) then read_entry_line(line) end
        read_sums(line, cut)
      end
    end

    -- ---- the moment ----

    local best -- the longest list, of those the last
    for _, one in ipairs(lists) do
      if #one > 0 and (not best or #one >= #best) then best = one end
    end
    local labels, buffers, buffer_bytes = unique(), 0, 0
    for _, one in ipairs(best or {}) do
      local shape = one.shape and one.shape:match("^%s*(%S.-)%s*$")
      local exact = shape and input:shape_size(shape)
      local size, about = one.size, one.about
      if not size and exact and shape:sub(1, 1) ~= "(" then size, about = exact, 0 end
      if size and about > 0 and exact and math.abs(exact - size) <= about then size, about = exact, 0 end
      if size and size <= MOST_BYTES then
        unexact = unexact + (about > 0 and 1 or 0)
        local plain = one.unpadded and shape and input:shape_size((shape:gsub("{[^}]*}", "")))
        local name = clean(("%s %s"):format(one.label or "buffer " .. one.number, shape and shape:gsub("{[^}]*}", "") or ""):gsub("%s+$", "")) or "buffer"
        moment:block { name = labels(cut(name, LONGEST)), size = size, requested = one.unpadded and (plain or one.unpadded) or nil, origin = clean(one.origin) }
        buffers, buffer_bytes = buffers + 1, buffer_bytes + size
      else
        unsized = unsized + 1
      end
    end
    local listed = 0
    for _, one in ipairs(buffers == 0 and allocations or {}) do
      unexact = unexact + (one.about > 0 and 1 or 0)
      listed = listed + one.size
      moment:block { name = "allocation " .. one.number, size = one.size, origin = clean(cut(one.role, LONGEST)) }
    end
    if buffers == 0 and told.missing then
      moment:block { name = "allocation without its line", size = told.missing }
      note("the line of an allocation is missing: it takes at least %s bytes, where its last value ends", count(told.missing))
    end
    local total = stats.total or (told.total and { told.total, 0 }) or told.used
    if total then moment:tell { figure = "reserved", bytes = total[1], about = total[2] } end
    if stats.total and stats.fragmentation and stats.total[1] >= stats.fragmentation[1] then
      moment:tell { figure = "in_use", bytes = stats.total[1] - stats.fragmentation[1], about = stats.total[2] + stats.fragmentation[2] }
    end
    local arguments = told.arguments or { 0, 0 }
    if told.program then moment:tell { figure = "in_use", bytes = told.program[1] + arguments[1], about = told.program[2] + arguments[2] } end
    local limit = told.limit or (space ~= "hbm" and told.device)
    if limit then moment:tell { figure = "limit", bytes = limit[1], about = limit[2] } end
    if told.device and not limit then moment:tell { figure = "device", bytes = told.device[1], about = told.device[2] } end
    if told.device_free then moment:tell { figure = "device_free", bytes = told.device_free[1], about = told.device_free[2] } end
    failed = failed or told.refused
    if failed then moment:failed { size = failed.size, about = failed.about, rounded = failed.rounded, allocator = failed.allocator, origin = clean(told.stack) } end
    if unsized > 0 and buffers == 0 and not (failed or total or limit or #allocations > 0) then
      fail(false, "%d allocation%s of a program %s listed%s, and the size of none is told", unsized, unsized == 1 and "" or "s", unsized == 1 and "is" or "are",
        space and " in " .. space or "")
    end
    moment:about { what = "what XLA says of a program's memory" }
    if total then note("what is reserved is what the program would take: XLA lays it out before it runs") end
    if total and buffers > 0 then
      note("%d buffer%s, %s bytes, of %s%s in all: XLA lists the largest ones at its peak", buffers, buffers == 1 and "" or "s", count(buffer_bytes),
        total[2] > 0 and "about " or "", count(total[1]))
    end
    if #parts > 0 then
      local words = {}
      for i, part in ipairs(parts) do
        local bytes, about = rounded_bytes(part[2])
        local is_failed = failed and bytes and bytes > 0 and part[1]:find(" allocation$") and math.abs(bytes - failed.size) <= about + failed.about
        words[i] = part[1] .. " " .. part[2] .. (is_failed and ", as much as was asked for" or "")
      end
      note("the text says: %s", clean(table.concat(words, "; ")))
    end
    if #sums > 0 then note("the text says: %s", clean(cut(table.concat(sums, "; "), 600))) end
    if reservable then note("the text says: of what is free %s can be reserved at the bottom of memory", reservable) end
    if failures > 0 then note("%d request%s more failed: shown is the first one", failures, failures == 1 and "" or "s") end
    if unsized > 0 then note("the text lists %d more allocation%s without a size", unsized, unsized == 1 and "" or "s") end
    if told.limit and failed and failed.size > told.limit[1] then note("the limit is about %s bytes less than what was asked for", count(failed.size - told.limit[1])) end
    if told.used and told.device and told.used[1] > told.device[1] then
      note("the program needs about %s bytes more than there are", count(told.used[1] - told.device[1]))
    end
    if tiled then note("asked for: without what pads a buffer to whole tiles") end
    if listed > 0 then note("allocations stand beside each other for the whole program; when values live in them is not told") end
    if unexact > 0 then note("sizes that are rounded, as the text has them: %d", unexact) end
    if others > 0 then note("the text has allocations of %d more program%s: the last one counts", others, others == 1 and "" or "s") end
  end,
}
