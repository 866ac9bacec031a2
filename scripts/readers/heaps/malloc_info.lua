-- What glibc's malloc_info() writes: for each arena the free chunks by size, their sums, and what the arena has from the system.
--
--     <heap nr="0">
--     <sizes>
--       <size from="17" to="32" total="96" count="3"/>
--       <unsorted from="113" to="113" total="113" count="1"/>
--     </sizes>
--     <total type="fast" count="3" size="96"/>
--     <total type="rest" count="2" size="65649"/>
--     <system type="current" size="135168"/>
--     <system type="max" size="135168"/>
--     </heap>
--
-- Fast bins tell a range of 15 bytes (7 where pointers have 32 bits) that ends with the size of all their chunks. In the others the sizes have
-- the flags of malloc in their lowest three bits, also in sums. The rest has the chunk at the top, since glibc 2.29.
local byte_count = require("heap_sizes").bytes
local known_sizes = require("heap_sizes").known

local FLAGS <const> = 7

stowage.reader {
  name = "malloc-info",
  summary = "glibc's malloc_info(): free chunks by size and sums of each arena: a moment, without times",
  extensions = ".xml .log .txt",
  has = {"<heap nr=\"%d", "<system type=\"current\" size=\"%d", "<total type=\"rest\" count=\"%d", "<total type=\"mmap\" count=\"%d"},
  looks = "the XML of glibc's malloc_info()",
  near = {"<malloc version=", "<heap nr=", "<sizes>", "<unsorted from=", "<aspace type=", "<system type=", "<total type=", "<size from=", "</malloc>"},
  paste = "from <malloc version=\"1\"> to </malloc>",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local heaps, heap = {}, nil
    local mmap, most -- what is mapped alone; the sum of what arenas had at most
    local all = {}   -- the sums that stand behind the arenas
    local unknown, several = 0, 0

    local function attributes(tag)
      local from, to, total, number = tag:match 'from="(%d+)" to="(%d+)" total="(%d+)" count="(%d+)"'
      if from then return { from = byte_count(from), to = byte_count(to), total = byte_count(total), count = byte_count(number) } end
      local values = {}
      for key, value in tag:gmatch '(%w+)%s*=%s*"([^"]*)"' do values[key] = key == "type" and value or byte_count(value) end
      return values
    end

    local function new_heap(number)
      heap = { name = "arena " .. number, bins = {}, sums = {}, chunks = 0, bytes = 0 }
      heaps[#heaps + 1] = heap
    end

    local function read_bin(is_unsorted, of)
      if not (of.from and of.to and of.total and of.count) or of.count == 0 then return end
      if not heap then new_heap "?" end
      local bin = { count = of.count, total = of.total, from = of.from, to = of.to }
      if not is_unsorted and (of.to - of.from) & FLAGS == FLAGS then
        bin.from = of.to
        heap.bins[#heap.bins + 1] = bin
        return
      end
      heap.chunks, heap.bytes = heap.chunks + of.count, heap.bytes + of.total
      bin.from, bin.to = of.from & ~FLAGS, of.to & ~FLAGS
      -- The flags of one arena's free chunks are alike: what lies before a free chunk is in use.
      bin.total = of.from & FLAGS == of.to & FLAGS and of.total - of.count * (of.from & FLAGS) or nil
      heap.bins[#heap.bins + 1] = bin
    end

    local function read_tag(name, tag)
      local of = attributes(tag)
      if name == "heap" then
        new_heap(of.nr or "?")
      elseif name == "/heap" then
        heap = nil
        all = {}
      elseif name == "malloc" then
        several = several + (#heaps > 0 and 1 or 0)
        heaps, heap, mmap, most, all = {}, nil, nil, nil, {}
      elseif name == "size" or name == "unsorted" then
        read_bin(name == "unsorted", of)
      elseif (name == "total" or name == "system") and of.type and of.size then
        local sums = heap and heap.sums or all
        sums[name .. " " .. of.type] = of
        if not heap and of.type == "mmap" then mmap = of end
        if not heap and of.type == "max" then most = of.size end
      end
    end

    for line in input:lines() do
      for name, tag in line:gmatch "<([/%a]+)([^<>]*)>" do read_tag(name, tag) end
    end

    local free, reserved, used = 0, 0, 0
    local told, tops = #heaps > 0, true

    local function add_heap(of)
      local current, fast, rest = of.sums["system current"], of.sums["total fast"], of.sums["total rest"]
      local segment = current and moment:segment { size = current.size, allocator = of.name }
      local flags = 0
      for _, bin in ipairs(of.bins) do
        local sizes, left = known_sizes(bin.count, bin.total, bin.from, bin.to)
        for _, known in ipairs(sizes) do moment:block { size = known[1], count = known[2], state = "free", segment = segment } end
        unknown = unknown + left
      end
      if not (current and fast and rest and rest.count) then
        told = false
        return
      end
      for _, bin in ipairs(of.bins) do flags = flags + (bin.total and 0 or bin.count) end
      local top = rest.size - of.bytes
      if rest.count == of.chunks + 1 and top > 0 then
        moment:block { size = top, state = "free", name = "top", segment = segment }
      else
        tops = false
      end
      local in_bins = 0
      for _, bin in ipairs(of.bins) do in_bins = in_bins + (bin.total or 0) end
      local bytes = flags == 0 and in_bins + (rest.count == of.chunks + 1 and top or 0) or fast.size + rest.size
      free, reserved, used = free + bytes, reserved + current.size, used + current.size - bytes
    end

    if #heaps == 0 then -- only the sums at the end
      heaps[1] = { name = nil, bins = {}, sums = all, chunks = 0, bytes = 0 }
      local rest, fast = all["total rest"], all["total fast"]
      if rest and fast then moment:tell { figure = "free", bytes = fast.size + rest.size } end
      local current = all["system current"]
      if current then moment:segment { size = current.size } end
      tops = false
    else
      for _, of in ipairs(heaps) do add_heap(of) end
    end
    if mmap then
      moment:segment { size = mmap.size, allocator = "mapped alone" }
      reserved, used = reserved + mmap.size, used + mmap.size
    end
    if told then
      moment:tell { figure = "free", bytes = free }
      if tops and used >= 0 then moment:tell { figure = "in_use", bytes = used } end
    end
    if told and tops then
      note("in use is what the arenas have and is not free, with headers and the chunks that threads keep for themselves (tcache)")
    elseif told then
      note("the chunk at the top of an arena is not told (before glibc 2.29): it is neither free nor in use here")
    end
    if unknown > 0 then note("of %s free chunk%s only the range of sizes is told", count(unknown), unknown == 1 and "" or "s") end
    if most then note("each arena at its own time, the arenas had %s bytes from the system at most", count(most)) end
    if several > 0 then note("the text has %d more such report%s: the last one counts", several, several == 1 and "" or "s") end
    moment:about { what = "what glibc's malloc_info() wrote" }
  end,
}
