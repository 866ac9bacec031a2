-- What logs of BFC allocators (best fit with coalescing: TensorFlow's, and ONNX Runtime's arenas) have in common: several allocators print
-- into one log, of which one is read, and they get regions of memory at addresses that they tell.
local lower_bound = require "lower_bound"

local MOST <const> = 64 -- allocators that are told apart; those beyond count as one
local MOST_BYTES <const> = stowage.most_bytes

-- Ranges of addresses by address, in which those that overlap (or touch, where `touching`) are one.
local function merged(ranges, touching)
  local list = {}
  table.sort(ranges, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  for _, range in ipairs(ranges) do
    local last = list[#list]
    if last and (range[1] < last[2] or touching and range[1] == last[2]) then
      last[2] = math.max(last[2], range[2])
    else
      list[#list + 1] = { range[1], range[2] }
    end
  end
  return list
end

-- Do the bytes lie in none of the windows, which are in order?
local function is_stray(windows, address, size)
  local window = windows[lower_bound(windows, function(one) return not math.ult(address, one[2]) end)]
  return not window or address < window[1] or size > window[2] - address
end

-- Which of two regions of a size goes back first: the lowest, of those the latest.
local function goes_before(a, b)
  if a[1] ~= b[1] then return a[1] < b[1] end
  return a.number > b.number
end

-- A heap of regions. The first in it goes back first.
local function push(heap, region)
  local at = #heap + 1
  while at > 1 and goes_before(region, heap[at // 2]) do
    heap[at] = heap[at // 2]
    at = at // 2
  end
  heap[at] = region
end

local function pop(heap)
  local last, at = table.remove(heap), 1
  if #heap == 0 then return end
  while 2 * at <= #heap do
    local below = 2 * at
    if below < #heap and goes_before(heap[below + 1], heap[below]) then below = below + 1 end
    if goes_before(last, heap[below]) then break end
    heap[at] = heap[below]
    at = below
  end
  heap[at] = last
end

return function(input, requests)
  local arenas, number_of = {}, {} -- name, requests
  local regions, placed = {}, {}   -- from, to, live; address, size, place of all that was asked for
  local youngest = {}              -- regions by where they begin
  local of_size = {}               -- heaps of regions, by their size, with `live`: how many of them are
  local got = 0                    -- bytes of regions that are live
  local elsewhere = 0              -- of regions that the log does not show
  local most_elsewhere = 0         -- the most that those ever were
  local guessed_regions = 0        -- that were given back, one of several of that size
  local unplaced = false           -- not all requests and regions have addresses
  local log = {
    line = nil,  -- the present one, and where it begins
    begin = 1,
    chosen = 1,
    strange = 0, -- lines cut, or mixed with others
    about = 0,   -- `total` is exact to so many bytes
    total = nil, -- what all regions come to with the next one, as the log says
  }

  -- ---- words ----

  -- Line after line; is it cut?
  function log.lines()
    local next_line = input:lines()
    return function()
      local line, begin, cut = next_line()
      if line then
        log.line, log.begin = line, begin
      end
      return line, cut
    end
  end

  -- The place of the cursor in the line.
  function log.here()
    return input:at() - log.begin + 1
  end

  -- An address in hexadecimal, with 0x or without; 0 for what stands for none: 0, (nil), (null). Nil: there is none.
  function log.address()
    input:read("%s")
    if input:word("(nil)") or input:word("(null)") then return 0 end
    if not input:word("0x") then input:word("0X") end
    local zeros, digits = input:take("(0*)(%x*)")
    input:at(input:at() - math.max(#digits - 16, 0))
    digits = digits:sub(1, 16)
    local address = digits == "" and 0 or tonumber(digits, 16)
    return #zeros + #digits > 0 and address ~= -1 and address or nil
  end

  function log.bytes()
    local number = input:read("%s%n")
    return number and number >= 0 and number <= MOST_BYTES and number or nil
  end

  -- What stands before a blank or a character.
  function log.name(ends)
    return input:take("[^ " .. ends .. "]*")
  end

  -- The number of the allocator of that name, which is new if it was not met before.
  function log.arena(name)
    if not number_of[name] and #arenas < MOST then
      arenas[#arenas + 1] = { name = name, requests = 0 }
      number_of[name] = #arenas
    end
    return number_of[name] or MOST
  end

  function log.count(arena)
    arenas[arena].requests = arenas[arena].requests + 1
  end

  -- Choose one, after all requests have been counted.
  function log.choose()
    for i, arena in ipairs(arenas) do
      if arena.requests > arenas[log.chosen].requests then log.chosen = i end
    end
  end

  -- ---- requests ----

  -- Something was asked for, and lies at the address (nil: not told). `id` nil: it is called after its address, and what lay there before
  -- is freed. Its number.
  function log.alloc(id, size, address)
    unplaced = unplaced or not address
    placed[#placed + 1] = { address, size, log.begin }
    return id and requests:alloc { id = id, size = size, address = address, at = log.begin } or requests:give(address or -1, size)
  end

  local function shrink_elsewhere(bytes)
    elsewhere = elsewhere - bytes
    if bytes > 0 then requests:shrink(bytes) end
  end

  -- All regions together come to what the log says: the rest of it is in regions that it does not show.
  local function settle_total(size)
    local sum, total = got + size + elsewhere, log.total
    log.total = nil
    if not total or total <= sum + log.about and sum <= total + log.about then return end
    if total > sum then
      elsewhere = elsewhere + total - sum
      most_elsewhere = math.max(most_elsewhere, elsewhere)
      requests:grow(total - sum)
    else
      shrink_elsewhere(math.min(sum - total, elsewhere))
    end
  end

  -- "0x7fb912c00000 to 0x7fb912e00000": where it begins.
  function log.region()
    local from = log.address()
    local to = from and input:past("to ") and log.address()
    if not to then
      log.strange = log.strange + 1
      return
    end
    if math.ult(MOST_BYTES, to) or not math.ult(from, to) or got > MOST_BYTES - (to - from) then
      log.strange, unplaced = log.strange + 1, true
      return from
    end
    settle_total(to - from)
    got = got + to - from
    youngest[from] = { from, to, live = true, before = youngest[from] }
    regions[#regions + 1] = youngest[from]
    youngest[from].number = #regions
    of_size[to - from] = of_size[to - from] or { live = 0 }
    of_size[to - from].live = of_size[to - from].live + 1
    push(of_size[to - from], youngest[from])
    requests:grow(to - from, from)
    return from
  end

  -- What still lives in it was freed before, which the log does not tell. Was there something?
  local function give_back(region)
    local from, size = region[1], region[2] - region[1]
    local living = requests:find(("0x%x"):format(from))
    region.live, got = false, got - size
    of_size[size].live = of_size[size].live - 1
    if living then requests:free(living) end
    requests:shrink(size, from)
    return living ~= nil
  end

  function log.region_gone(from)
    local region = youngest[from]
    while region and not region.live do
      region = region.before
    end
    youngest[from] = region -- what has gone is not looked at again
    if region then give_back(region) end
  end

  function log.region_gone_of_size(size)
    local heap = of_size[size]
    if not heap or heap.live == 0 then return shrink_elsewhere(math.min(size, elsewhere)) end
    guessed_regions = guessed_regions + (heap.live > 1 and 1 or 0)
    while not heap[1].live do
      pop(heap)
    end
    return give_back(heap[1])
  end

  -- ---- the end ----

  -- Requests outside of all regions lie in regions from before the log, of which it shows so much: stretches of memory that are there at
  -- the beginning, and less is elsewhere.
  local function find_strays(windows)
    local strays = {}
    for _, block in ipairs(placed) do
      local address, size = block[1], block[2]
      if is_stray(windows, address, size) then
        local stop = address + (size + 255) // 256 * 256
        if math.ult(stop, address) or math.ult(MOST_BYTES, stop) then fail(block[3], "what lies at 0x%x would end above 2^61", address) end
        strays[#strays + 1] = { address, stop }
      end
    end
    return merged(strays, true)
  end

  -- Where each region and each request has its address the requests are recorded ones, and the regions lie one behind the other in the
  -- order of their addresses.
  function log.build(settings, partial)
    local windows, strays, stray_bytes = {}, {}, 0
    if not unplaced and #regions > 0 then
      windows = merged(regions, false)
      strays = find_strays(windows)
      for _, stray in ipairs(strays) do
        stray_bytes = stray_bytes + stray[2] - stray[1]
        windows[#windows + 1] = stray
      end
      windows = merged(windows, false)
    end
    requests:recorded { settings = settings, partial = partial, known = strays, windows = windows }
    requests:done()
    for i, arena in ipairs(arenas) do
      if i == log.chosen then
        note("this is the allocator %s", quote(arena.name))
      elseif arena.requests > 0 then
        note("the allocator %s%s is left out: it has no more requests, %d", quote(arena.name), i == MOST and " and what follows it" or "",
          arena.requests)
      end
    end
    local bytes = math.max(most_elsewhere, stray_bytes)
    if bytes > 0 then
      note("%s bytes of the arena are in regions from before the log%s: what they hold is not in it%s", count(bytes),
        log.about > 0 and most_elsewhere > stray_bytes and " (as exactly as it says)" or "", stray_bytes > 0 and (", but for %s bytes"):format(count(stray_bytes)) or "")
    end
    if guessed_regions > 0 then
      note("%d time%s the log does not say which of several regions of one size went back", guessed_regions,
        guessed_regions == 1 and "" or "s")
    end
    if log.strange > 0 then
      note("%d line%s cut, or mixed with others, and left out", log.strange, log.strange == 1 and " is" or "s are")
    end
  end

  return log
end
