-- Problems of dsa-solver, JSON schema version 1: pools, buffers with several live intervals each, and constraints between buffers.
--
-- A pool is a tier. Buffers that must share an address (colocations, in any number) are one buffer here, as large as the largest, with the
-- others as parts of it; it holds at any time as many bytes as the largest of them that is alive. Objectives other than the peak have no
-- meaning here and are left out.

local LARGEST_ID <const>, LARGEST_ALIGNMENT <const> = (1 << 32) - 1, 1 << 30
local LEAST_TIME <const>, MOST_TIME <const> = -(1 << 62), 1 << 62

local function read_id(item, key)
  return item:need(key):integer(key, 0, LARGEST_ID)
end

local function read_bytes(item, key)
  return item:need(key):bytes(key)
end

-- Nil: it is more than `most`.
local function common_multiple(a, b, most)
  local x, y = a, b
  while y ~= 0 do
    x, y = y, x % y
  end
  local multiple = a // x * b
  return multiple <= most and multiple or nil
end

stowage.reader {
  name = "dsa-json",
  summary = "problems of dsa-solver: live intervals begin at lower and end before upper",
  extensions = ".json",
  members = {"problem", "schema_version"},
  gives = "graph",

  read = function(input, graph)
    local buffer_name, pool_name = unique(), unique()
    local pools, pool_of, buffers, buffer_of = {}, {}, {}, {}
    local first, last = math.maxinteger, math.mininteger -- of everything
    local colocated, exclusions, banks, exclusive, holes = 0, 0, 0, 0, 0

    local function read_pool(item)
      item:only { "id", "name", "capacity", "reserved_ranges", "bank_geometry" }
      local id = read_id(item, "id")
      local name = item:need("name"):text("name")
      local capacity = item:type("capacity") ~= "null" and item:bytes("capacity") or nil
      local ranges = item:items("reserved_ranges")
      if pool_of[id] then item:fail("id", "two pools have the number %d", id) end
      local pool = { id = id, name = pool_name(name ~= "" and name or "pool " .. id) }
      pools[#pools + 1], pool_of[id] = pool, pool
      banks = banks + (item:type("bank_geometry") and 1 or 0)
      graph:tier { name = pool.name, capacity = capacity, at = item }
      for range in ranges do
        range:only { "begin", "end" }
        local from, to = read_bytes(range, "begin"), read_bytes(range, "end")
        if from > to then range:fail("end", "a reserved range ends before it begins") end
        if from < to then graph:reserve(pool.name, from, to, item) end
      end
    end

    local function read_intervals(item)
      local list = {}
      local intervals = item:need("live_intervals"):items("live_intervals")
      if item:count("live_intervals") == 0 then item:fail("live_intervals", "a buffer without a live interval") end
      for interval in intervals do
        interval:only { "lower", "upper" }:need("lower", "upper")
        local lower = interval:integer("lower", LEAST_TIME, MOST_TIME - 1)
        local upper = interval:integer("upper", LEAST_TIME, MOST_TIME)
        if upper <= lower then
          interval:fail("upper", "the interval ends at %d, not after its begin at %d", upper, lower)
        end
        first, last = math.min(first, lower), math.max(last, upper - 1)
        list[#list + 1] = { lower, upper - 1 }
      end
      return list
    end

    local function read_allowed(item)
      local allowed = {}
      local list = item:need("allowed_pools"):items("allowed_pools")
      if item:count("allowed_pools") == 0 then item:fail("allowed_pools", "a buffer that may lie in no pool") end
      for one in list do
        local id = one:integer(nil, 0, LARGEST_ID)
        if not pool_of[id] then one:fail(nil, "there is no pool %d", id) end
        allowed[id] = true
      end
      return allowed
    end

    local function read_buffer(item)
      item:only { "id", "name", "size", "alignment", "live_intervals", "allowed_pools" }
      local buffer = { at = item, number = #buffers + 1, id = read_id(item, "id") }
      local name = item:text("name")
      buffer.size = read_bytes(item, "size")
      buffer.alignment = item:need("alignment"):integer("alignment", 1, LARGEST_ALIGNMENT)
      buffer.intervals = read_intervals(item)
      buffer.pools = read_allowed(item)
      buffer.name = buffer_name(name and name ~= "" and name or "b" .. buffer.id)
      buffer.lead = buffer
      buffers[#buffers + 1] = buffer
    end

    local function index_buffers()
      local twice
      for _, buffer in ipairs(buffers) do
        if not buffer_of[buffer.id] then
          buffer_of[buffer.id] = buffer
        elseif not twice or buffer.id < twice.id then
          twice = buffer
        end
      end
      if twice then fail(twice.at, "two buffers have the number %d", twice.id) end
    end

    local function find_buffer(item, key)
      local id = read_id(item, key)
      return buffer_of[id] or item:fail(key, "there is no buffer %d", id)
    end

    -- The first of those it shares its address with.
    local function lead_of(buffer)
      while buffer.lead ~= buffer do
        buffer.lead = buffer.lead.lead
        buffer = buffer.lead
      end
      return buffer
    end

    local function read_pair(item)
      item:only { "first", "second", "reasons" }
      local a, b = find_buffer(item, "first"), find_buffer(item, "second")
      if a == b then item:fail("second", "a buffer is paired with itself") end
      return lead_of(a), lead_of(b)
    end

    local function read_constraints(item)
      item:only { "colocations", "separations", "temporal_exclusions", "pinned_allocations" }
      for pair in item:need("colocations"):items("colocations") do
        local x, y = read_pair(pair)
        if x ~= y then
          colocated = colocated + 1
          if x.number > y.number then x, y = y, x end
          y.lead = x
        end
      end
      for pair in item:need("separations"):items("separations") do
        local x, y = read_pair(pair)
        if x == y then pair:fail("second", "buffers that must share an address cannot be kept apart") end
        graph:apart(x.name, y.name, pair)
      end
      for pair in item:need("temporal_exclusions"):items("temporal_exclusions") do
        exclusions = exclusions + 1
        read_pair(pair)
      end
      for pin in item:need("pinned_allocations"):items("pinned_allocations") do
        pin:only { "buffer", "pool", "offset", "exclusive_for_all_time" }
        local buffer = find_buffer(pin, "buffer")
        local id, offset, alone = read_id(pin, "pool"), read_bytes(pin, "offset"), pin:flag("exclusive_for_all_time")
        buffer = lead_of(buffer)
        if not pool_of[id] then pin:fail("pool", "there is no pool %d", id) end
        if buffer.pool and (buffer.pool ~= id or buffer.offset ~= offset) then
          pin:fail("offset", "%s is pinned to another place already", buffer.name)
        end
        buffer.pool, buffer.offset, buffer.exclusive = id, offset, buffer.exclusive or alone
      end
    end

    -- The pools that all of a group may lie in.
    local function list_tiers(lead, group)
      local tiers = {}
      for _, pool in ipairs(pools) do
        local all = not lead.pool or lead.pool == pool.id
        for _, part in ipairs(group) do
          all = all and part.pools[pool.id]
        end
        if all then tiers[#tiers + 1] = pool.name end
      end
      if #tiers == 0 then fail(lead.at, "%s has no pool that its pin and all that share its address allow", lead.name) end
      return tiers
    end

    local function list_pieces(lead, group, size)
      local pieces = {}
      for _, part in ipairs(group) do
        for _, interval in ipairs(part.size > 0 and part.intervals or {}) do
          pieces[#pieces + 1] = { interval[1], interval[2], 0, part.size }
        end
        holes = holes + (#part.intervals > 1 and 1 or 0)
      end
      if lead.exclusive then -- no other buffer may ever have the place
        exclusive = exclusive + 1
        return { { first, last, 0, size } }
      end
      return pieces
    end

    local function add_buffer(lead, group)
      local size, alignment = 0, 1
      for _, part in ipairs(group) do
        size = math.max(size, part.size)
        alignment = alignment and common_multiple(alignment, part.alignment, LARGEST_ALIGNMENT)
      end
      if not alignment then fail(lead.at, "%s and those that share its address have no common alignment up to 2^30", lead.name) end
      local tiers = list_tiers(lead, group)
      local pieces = list_pieces(lead, group, size)
      local one = #tiers == 1
      local alive = #pieces == 0 and lead.intervals[1] or {} -- no bytes: it lives all the same
      graph:buffer { name = lead.name, size = size, alignment = alignment, offset = lead.offset, tier = one and tiers[1] or nil,
                     tiers = not one and tiers or nil, pieces = pieces, first = alive[1], last = alive[2], at = lead.at }
      for _, part in ipairs(group) do
        if part ~= lead then graph:part(lead.name, part.name, 0, part.size) end
      end
    end

    -- Groups in the order of their first buffers.
    local function add_buffers()
      local groups = {}
      for _, buffer in ipairs(buffers) do
        local lead = lead_of(buffer)
        if lead == buffer then
          lead.group = {}
          groups[#groups + 1] = lead
        end
        lead.group[#lead.group + 1] = buffer
      end
      for _, lead in ipairs(groups) do
        add_buffer(lead, lead.group)
      end
    end

    local root = input:json()
    root:only { "schema_version", "profile", "instance", "problem", "relaxed_from", "relaxed_features", "metadata" }
    root:need("problem", "schema_version")
    local version = root:integer("schema_version", -(1 << 31), (1 << 31) - 1)
    local instance = root:text("instance")
    if version ~= 1 then root:fail("schema_version", "version %d of dsa-solver's problems is not known", version) end
    if instance and instance ~= "" then graph:title(instance) end

    local problem = root:member("problem")
    problem:only { "pools", "buffers", "constraints", "cost_model", "pypto_structure", "objective" }
    for item in problem:need("pools"):items("pools") do
      read_pool(item)
    end
    for item in problem:need("buffers"):items("buffers") do
      read_buffer(item)
    end
    index_buffers()
    read_constraints(problem:need("constraints"):member("constraints"))
    local prices = problem:member("cost_model")
    local penalties = prices and prices:count("reuse_penalties") or 0
    local objective = problem:member("objective")
    objective = objective and objective:type("terms") == "list" and objective:items("terms")()
    add_buffers()

    note("live intervals begin at lower and end before upper")
    if holes > 0 then note("buffers that live in several intervals, with free bytes between: %d", holes) end
    if colocated > 0 then note("buffers that must share the address of another, and are parts of it: %d", colocated) end
    if exclusive > 0 then note("pinned places that no other buffer may ever use: %d", exclusive) end
    if exclusions > 0 then
      note("left out: %d pairs that are never alive together though their intervals meet; they are kept apart, which is safe but may cost bytes",
        exclusions)
    end
    if penalties + banks > 0 then
      note("left out: prices of %d reuses and the banks of %d pools, for only the peak counts here", penalties, banks)
    end
    if objective and objective:type() == "text" and not objective:text():find("peak", 1, true) then
      note("the file's own first aim, %.40s, is not the peak", objective:text())
    end
  end,
}
