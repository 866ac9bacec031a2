-- What TensorFlow logs of tensors (LOG_MEMORY, with TF_CPP_MAX_VLOG_LEVEL=1 or more), where the lines of its allocators are missing:
--
--     ... __LOG_MEMORY__ MemoryLogTensorAllocation { step_id: 2 kernel_name: "mul" tensor { ... allocation_description { requested_bytes: 4000
--         allocated_bytes: 4096 allocator_name: "gpu_bfc" allocation_id: 4 ... ptr: 1108332548096 } } }
--     ... __LOG_MEMORY__ MemoryLogTensorDeallocation { allocation_id: 3 allocator_name: "gpu_bfc" }
--
-- Several tensors can share what was allocated once; that is one request. A tensor takes what was allocated for it, which the allocator had
-- rounded up. MemoryLogRawAllocation is memory without a tensor. Of several allocators the one with the most bytes is read.
local shown = require "shown"

local FLAVOR <const> = "flavor=tensorflow"

local function clean(text)
  if not utf8.len(text) then text = text:gsub("[\x80-\xff]", "?") end
  return shown(text)
end

local function integer(text)
  local number = text and #text <= 19 and math.tointeger(tonumber(text))
  return number and number <= stowage.most_bytes and number or nil
end

stowage.reader {
  name = "tensorflow-tensors",
  summary = "what TensorFlow logs of tensors (__LOG_MEMORY__), where its allocators log nothing; time is the number of the event",
  extensions = ".log .txt",
  has = {"MemoryLogTensorAllocation {", "MemoryLogTensorDeallocation {", "MemoryLogRawAllocation {", "MemoryLogRawDeallocation {"},
  looks = "TensorFlow's log of tensors",
  near = {"__LOG_MEMORY__", "log_memory.cc:", "MemoryLogTensor", "MemoryLogRaw", "allocation_description {"},
  paste = "lines with __LOG_MEMORY__ to their ends",
  gives = "requests",
  allocator = "bfc-arena",
  any_bytes = true,

  read = function(input, requests)
    local sums, counts, names = {}, {}, {} -- of each allocator, by its name
    local living, strange, again = {}, 0, 0

    -- What is allocated ("alloc") or given back ("free"): by which allocator, its number there, bytes, what asked for it.
    local function read_event(line)
      local of, kind = line:match("MemoryLog(%a+)(%u%l+allocation) {")
      if not of then of, kind = line:match("MemoryLog(%a-)(Allocation) {") end
      if not of or (of ~= "Tensor" and of ~= "Raw") then return end
      local name, number = line:match('allocator_name: "([^"]*)"'), line:match("allocation_id: (%d+)[ }]")
      if not name or not number then
        strange = strange + 1
      elseif kind == "Deallocation" then
        return "free", name, number
      else
        local bytes = integer(line:match("allocated_bytes: (%d+)[ }]") or line:match("num_bytes: (%d+)[ }]") or line:match("requested_bytes: (%d+)[ }]"))
        if bytes then return "alloc", name, number, bytes, line:match('kernel_name: "([^"]*)"') or line:match('operation: "([^"]*)"') end
      end
    end

    local function each(call)
      for line in input:lines() do
        if line:find("MemoryLog", 1, true) then
          local kind, name, number, bytes, origin = read_event(line)
          if kind then call(kind, name, number, bytes, origin) end
        end
      end
    end

    each(function(kind, name, _, bytes)
      if not sums[name] then
        names[#names + 1], sums[name], counts[name] = name, 0, 0
      end
      if kind == "alloc" then
        sums[name], counts[name] = sums[name] + bytes // 256 + 1, counts[name] + 1 -- the sum of bytes could pass 2^63
      end
    end)
    strange = 0
    local chosen = names[1]
    for _, name in ipairs(names) do
      if sums[name] > sums[chosen] then chosen = name end
    end

    each(function(kind, name, number, bytes, origin)
      if name ~= chosen then return end
      local buffer = living[number]
      if kind == "free" then
        requests:free(buffer or 0)
        living[number] = nil
      elseif buffer then
        again = again + 1
      elseif bytes > 0 then
        local id = origin and origin ~= "" and origin ~= "Unknown" and clean(origin) or "tensor " .. number
        living[number] = requests:alloc { id = id, size = bytes, origin = origin and origin ~= "" and clean(origin) or nil }
      end
    end)
    requests:recorded { settings = FLAVOR, partial = false, known = {}, windows = {} }
    requests:done()
    for _, name in ipairs(names) do
      if name == chosen then
        note("this is the allocator %s", quote(clean(name)))
      elseif counts[name] > 0 then
        note("the allocator %s is left out: it has fewer bytes, in %d allocations", quote(clean(name)), counts[name])
      end
    end
    note("sizes are those of what was allocated, which the allocator had rounded up")
    if again > 0 then note("%d more tensor%s what was allocated before", again, again == 1 and " shares" or "s share") end
    if strange > 0 then note("%d line%s cut, or mixed with others, and left out", strange, strange == 1 and " is" or "s are") end
  end,
}
