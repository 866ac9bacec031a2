-- What TensorFlow Lite Micro prints of its arena beside the rows of the memory plan: what its RecordingMicroAllocator took, and the request that
-- found no room.
--
--     [RecordingMicroAllocator] Arena allocation head 40 bytes
--     [RecordingMicroAllocator] 'TfLiteEvalTensor data' used 120 bytes with alignment overhead (requested 120 bytes for 10 allocations)
--     Failed to allocate tail memory. Requested: 60, available 12, missing: 48
--
-- The head holds tensors and grows up, the tail holds all that stays and grows down; what is between them is free. How large the arena is it
-- does not print.
local shown = require "shown"

local ALIGNMENT <const> = 16 -- of the arena's ends

local function integer(text)
  text = text and text:gsub(",", "")
  local number = text and #text <= 19 and math.tointeger(tonumber(text))
  return number and number <= stowage.most_bytes and number or nil
end

stowage.reader {
  name = "tflm-moment",
  summary = "the arena of TensorFlow Lite Micro: what its RecordingMicroAllocator took, or the request that found no room; no times",
  extensions = ".log .txt",
  has = {"[RecordingMicroAllocator] '", "Arena allocation total %d bytes", "Arena allocation head %d bytes", "Arena allocation tail %d bytes", "' used %d bytes with alignment overhead", "Failed to resize buffer. Requested:", "Failed to allocate tail memory. Requested:", "Failed to allocate temp memory. Requested:", "Failed to allocate memory. Requested:", "Arena size is too small for %w ... . Needed %d", "Needed %d but only %d was available"},
  looks = "what TensorFlow Lite Micro prints of its arena",
  near = {"RecordingMicroAllocator", "Arena allocation ", "AllocateTensors() failed", "AllocateTensors failed", "micro_allocator.cc", "arena_allocator", "Failed to resize buffer", "tail memory. Requested", "temp memory. Requested"},
  paste = "what RecordingMicroAllocator::PrintAllocations() prints, or the message with its numbers",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local sums, sections, reports = {}, {}, 0 -- the last report
    local failed, failures, strange = nil, 0, 0
    local before = "" -- a line that ends before its figures

    local function new_report()
      reports = reports + 1
      sums, sections = {}, {}
    end

    local function read_sum(line, cut)
      local part, bytes = line:match("Arena allocation (%a+) (%d+)(.?)")
      bytes = integer(bytes)
      if not bytes or (cut and line:find("%d$")) then return end
      if reports == 0 or sums[part] or (part == "total" and next(sums)) then new_report() end
      sums[part] = bytes
    end

    local function read_section(line)
      local name, used, asked, number, what = line:match("' *(.-)' used (%d+) bytes.*%(requested (%d+) bytes for (%d+) ([^)]*)%)")
      used, asked = integer(used), integer(asked)
      if not used or not asked or not integer(number) then
        strange = strange + 1
        return
      end
      if reports == 0 then new_report() end
      if not utf8.len(name .. what) then name, what = name:gsub("[\x80-\xff]", "?"), what:gsub("[\x80-\xff]", "?") end
      if used > 0 then sections[#sections + 1] = { shown(name), used, asked, shown(number .. " " .. what) } end
    end

    local OF <const> = { ["resize buffer"] = "the head", ["allocate tail memory"] = "the tail", ["allocate temp memory"] = "temporary memory" }
    local function fail_request(of, asked, available)
      asked, available = integer(asked), integer(available)
      if not asked or not available then return end
      if available >= asked then available = nil end -- alignment alone passed the other end: a figure below 0 without its sign
      failures = failures + 1
      failed = { of = OF[of] or "the arena", size = asked, available = available }
    end

    local function read_failure(line, cut)
      local of, asked, available, behind = line:match("Failed to (%a+ ?%a* %a+)%. Requested:%s*([%d,]*%d),%s*available:?%s*([%d,]*%d)(.?)")
      if not of then
        of = "find room"
        asked, available, behind = line:match("Needed ([%d,]*%d) but only ([%d,]*%d)(.?)")
      end
      if of and not (cut and behind == "") then fail_request(of, asked, available) end
    end

    for line, _, cut in input:lines() do
      if line:find("Requested:%s*$") then
        before = line
      else
        line, before = before .. line, ""
        if line:find(" with alignment overhead", 1, true) or line:find("[RecordingMicroAllocator] '", 1, true) then
          read_section(line)
        elseif line:find("Arena allocation ", 1, true) then
          read_sum(line, cut)
        elseif line:find("Requested:", 1, true) or line:find("Needed ", 1, true) then
          read_failure(line, cut)
        end
      end
    end

    local of_tail = 0
    for _, section in ipairs(sections) do
      of_tail = of_tail + section[2]
      moment:block { name = section[1], size = section[2], requested = section[3], origin = section[4] }
    end
    if not sums.tail and sums.total and sums.head then sums.tail = sums.total - sums.head end
    if not sums.head and sums.total and sums.tail then sums.head = sums.total - sums.tail end
    if sums.head and sums.head > 0 then moment:block { name = "head", size = sums.head } end
    if sums.tail and sums.tail > of_tail then
      moment:block { name = of_tail > 0 and "tail, the rest" or "tail", size = sums.tail - of_tail }
    end
    if sums.total then moment:tell { figure = "in_use", bytes = sums.total } end
    if reports > 1 then note("the text has %d reports of the allocator: the last one counts", reports) end
    if sums.head and sums.tail then
      note("the arena takes %s bytes: head %s, tail %s%s", count(sums.head + sums.tail), count(sums.head), count(sums.tail),
        of_tail > 0 and (", of which %s are in its sections"):format(count(of_tail)) or "")
    end
    if failed then
      local way
      if failed.available then
        moment:tell { figure = "free", bytes = failed.available }
        moment:tell { figure = "largest_free", bytes = failed.available }
        local more = (failed.size - failed.available + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        way = ("An arena that is %s bytes larger has room for this request, if not for what is asked for after it: %s bytes are missing, and its ends lie at multiples of %d.")
          :format(count(more), count(failed.size - failed.available), ALIGNMENT)
      end
      moment:failed { size = failed.size, about = 0, allocator = failed.of, way = way }
      if failures > 1 then note("the text has %d requests that failed: the last one counts", failures) end
    end
    moment:about { what = "what TensorFlow Lite Micro prints of its arena" }
    if strange > 0 then note("%d line%s cut, or mixed with others, and left out", strange, strange == 1 and " is" or "s are") end
  end,
}
