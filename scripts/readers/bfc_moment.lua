-- What a BFC allocator (TensorFlow's, ONNX Runtime's) prints when memory ran out: every chunk of every region, and sums.
--
--     ... bfc_allocator.cc:1046] Next region of size 2097152
--     ... bfc_allocator.cc:1066] InUse at b11600000 of size 256 next 4
--     ... bfc_allocator.cc:1066] Free  at b11600200 of size 2096640 next 18446744073709551615
--     ... bfc_allocator.cc:1095] Sum Total of in-use chunks: 382.50MiB
--     ... bfc_allocator.cc:1101] Stats:  Limit: 4294967296  InUse: ...
--
-- The lines of a bin, "Size: 510.00MiB | Requested Size: ...", show chunks which the regions list again: they count where no region is told.
local SHIFTS <const> = { B = 0, K = 10, M = 20, G = 30, T = 40 }
local STATS <const> = {
  { "Limit", "limit" }, { "InUse", "in_use" }, { "TotalInUse", "in_use" }, { "MaxInUse", "peak_used" },
}

stowage.reader {
  name = "bfc-moment",
  summary = "the chunks of a BFC allocator (TensorFlow, ONNX Runtime) when memory ran out: a moment, without times",
  extensions = ".log .txt",
  has = {" Next region of size %d", "InUse at %w", "Free  at %w", "Sum Total of in-use chunks: ", "Summary of in-use Chunks by size"},
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local region, left -- the region whose chunks follow, and where it ends
    local begins       -- where it begins
    local shown, bins = 0, {}
    local strange = 0

    -- "510.00MiB" in bytes, and how far its rounding goes.
    local function rounded(text)
      local number, decimals, unit = text:match("^(%d+)%.?(%d*)%s?([KMGT]?)i?B")
      if not number then return end
      local shift = SHIFTS[unit ~= "" and unit or "B"]
      local value = tonumber(number .. "." .. (decimals == "" and "0" or decimals)) * 2.0 ^ shift
      if value >= 2.0 ^ 61 then return end
      return math.floor(value + 0.5), shift == 0 and 0 or math.ceil(2.0 ^ shift / 10 ^ #decimals / 2)
    end

    local function tell(figure, text, allocator)
      local bytes, about = rounded(text)
      if bytes then moment:tell { figure = figure, bytes = bytes, about = about, allocator = allocator } end
      return bytes
    end

    local function end_region()
      if region and begins then moment:segment { address = begins, size = region } end
      if region and not begins then moment:segment { size = region } end
      region, begins = nil, nil
    end

    local function read_chunk(state, line)
      local address, size = line:match(" at (%x+) of size (%d+)")
      if not address then address, size = line:match(" at 0x(%x+) of size (%d+)") end
      address = address and #address <= 16 and tonumber(address, 16)
      size = size and math.tointeger(tonumber(size))
      if not address or not size or size > stowage.most_bytes then
        strange = strange + 1
        return
      end
      if region and begins and (address < begins or address + size > begins + region) then end_region() end
      if region and not begins then begins = address end
      moment:block { address = address, size = size, state = state }
      shown = shown + 1
    end

    for line, _, cut in input:lines() do
      if line:find("InUse at ", 1, true) then
        read_chunk("used", line)
      elseif line:find("Free  at ", 1, true) or line:find("Free at ", 1, true) then
        read_chunk("free", line)
      elseif line:find("Next region of size ", 1, true) then
        end_region()
        region = math.tointeger(tonumber(line:match("Next region of size (%d+)")))
        if region and region > stowage.most_bytes then region = nil end
      elseif line:find("Requested Size: ", 1, true) then
        bins[#bins + 1] = line
      end
      local sum = line:match("Sum Total of in%-use chunks: (.*)")
      if sum then tell("in_use", sum) end
      local asked = line:match("trying to allocate (%d[%d.]*%s?[KMGT]?i?B)")
      local who = asked and line:match("Allocator %((.-)%) ran out of memory")
      if asked then
        local bytes, about = rounded(asked)
        if bytes then moment:failed { size = bytes, about = about, allocator = who } end
      end
      local plain = line:match("Failed to allocate memory for requested buffer of size (%d+)")
      if plain and math.tointeger(tonumber(plain)) and tonumber(plain) <= stowage.most_bytes then
        moment:failed { size = math.tointeger(tonumber(plain)), about = 0, rounded = (math.tointeger(tonumber(plain)) + 255) // 256 * 256 }
      end
      for _, stat in ipairs(STATS) do
        local value = line:match("%f[%a]" .. stat[1] .. ":%s+(%d+)%s*$")
        value = value and math.tointeger(tonumber(value))
        if value and value <= stowage.most_bytes then moment:tell { figure = stat[2], bytes = value } end
      end
      if cut then strange = strange + 1 end
    end
    end_region()
    for _, line in ipairs(shown == 0 and bins or {}) do
      local size, asked, used = line:match("Size: (.-) | Requested Size: (.-) | in_use: (%d)")
      local bytes, requested = size and rounded(size), asked and rounded(asked)
      if bytes then moment:block { size = bytes, requested = requested, state = used == "1" and "used" or "free" } end
    end
    moment:about { what = "a dump of a BFC allocator's chunks", planner = "bfc-arena" }
    if strange > 0 then note("%d line%s cut, or mixed with others, and left out", strange, strange == 1 and " is" or "s are") end
  end,
}
