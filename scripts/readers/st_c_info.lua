-- ST Edge AI's report on a network it generated code for, NAME_c_info.json, schema 2: memory pools, and in them buffers with addresses
-- and the epochs they live in.

local LEAST <const>, MOST <const> = -(1 << 62), (1 << 62) - 1
local LARGEST_ALIGNMENT <const> = 1 << 30
local RANKS <const> = { LOW = 0, MID = 1, HIGH = 2 } -- else 3: not known
local USES <const> = { "input", "output", "scratch" } -- the first that a buffer has is its kind
local DTYPES <const> = {
  STAI_FORMAT_FLOAT = { [16] = "float16", [32] = "float32", [64] = "float64" },
  STAI_FORMAT_S8 = { [8] = "int8" }, STAI_FORMAT_U8 = { [8] = "uint8" },
  STAI_FORMAT_S16 = { [16] = "int16" }, STAI_FORMAT_U16 = { [16] = "uint16" },
  STAI_FORMAT_S32 = { [32] = "int32" }, STAI_FORMAT_U32 = { [32] = "uint32" },
  STAI_FORMAT_S64 = { [64] = "int64" }, STAI_FORMAT_BOOL = { [8] = "bool" },
}

stowage.reader {
  name = "st-c-info",
  summary = "ST Edge AI's NAME_c_info.json: the epochs start and end are both inside",
  extensions = ".json",
  members = {"memory_pools", "json_schema_version"},
  gives = "plan",

  read = function(input, plan)
    local pools, pool_of, uses = {}, {}, {}
    local weights, weight_bytes, unplaced = 0, 0, 0
    plan:share("any")

    -- freq_ratio: how many cycles of the processor one of the memory takes.
    local function read_attributes(item, pool)
      item:object()
      local word = item:type("latency") == "text" and item:text("latency")
      pool.rank = word and RANKS[word] or 3
      pool.latency = not word and item:number("latency") or 0
      local width, ratio = item:number("byte_width") or 0, item:number("freq_ratio") or 0
      if width > 0 and ratio > 0 and width / ratio < 1e12 then pool.bandwidth = width / ratio end
    end

    local function read_pool(item)
      item:object():need("id", "name")
      local pool = { at = item, rank = 3, bandwidth = 0, latency = 0, held = 0, number = #pools + 1 }
      local id = item:integer("id", LEAST, MOST)
      pool.name = item:text("name")
      pool.size, pool.used = item:integer("size_bytes", LEAST, MOST) or -1, item:integer("used_size_bytes", LEAST, MOST) or -1
      local attributes = item:member("attributes")
      if attributes then read_attributes(attributes, pool) end
      pool.composite = item:count("subpools") > 0
      if pool.name == "" then item:fail("name", "the name is empty") end
      if pool_of[id] then item:fail("id", "two memory pools have the id %d", id) end
      pools[#pools + 1], pool_of[id] = pool, pool
    end

    local function add_uses(item, key, use)
      for id in item:items(key) do
        if id:type() == "integer" then uses[id:get()] = math.min(use, uses[id:get()] or use) end
      end
    end

    local function read_graph(graph)
      graph:object()
      add_uses(graph, "inputs", 1)
      add_uses(graph, "outputs", 2)
      for node in graph:items("nodes") do
        add_uses(node:object(), "scratchs", 3)
      end
    end

    local function read_epochs(item)
      item:need("epochs")
      local epochs = item:member("epochs"):object():need("start", "end")
      local first, last = epochs:integer("start", LEAST, MOST), epochs:integer("end", LEAST, MOST)
      if last < first then epochs:fail("end", "epoch %d comes before the start, %d", last, first) end
      return first, last
    end

    -- Where it lies; nothing when the tool did not say.
    local function read_place(item)
      local id, offset = item:integer("mpool_id", LEAST, MOST) or -1, item:integer("offset_start", LEAST, MOST) or -1
      if id < 0 or offset < 0 then return end
      local pool = pool_of[id] or item:fail("mpool_id", "there is no memory pool %d", id)
      pool.held = pool.held + 1
      return pool, offset
    end

    local function read_buffer(item)
      local weight = item:object():flag("is_param")
      item:need("name", "size_bytes")
      local id, name, size = item:integer("id", LEAST, MOST) or -1, item:text("name"), item:bytes("size_bytes")
      if weight then
        weights, weight_bytes = weights + 1, weight_bytes + size
        if math.ult(weight_bytes, size) then item:fail("size_bytes", "the weights add up past 2^64 bytes") end
        return
      end
      local alignment, bits = item:integer("alignment", 0, LARGEST_ALIGNMENT) or 0, item:integer("nbits", LEAST, MOST) or 0
      local pool, offset = read_place(item)
      if not pool then
        unplaced = unplaced + 1
        return
      end
      local format = item:type("format") == "text" and item:text("format")
      local first, last = read_epochs(item)
      plan:row { name = name, size = size, tier = pool.name, offset = offset, alignment = alignment, first = first, last = last,
                 kind = USES[uses[id]] or "intermediate", dtype = (DTYPES[format] or {})[bits], at = item }
    end

    local function add_tiers()
      local idle = 0
      table.sort(pools, function(a, b)
        if a.rank ~= b.rank then return a.rank < b.rank end
        return a.number < b.number
      end)
      for _, pool in ipairs(pools) do
        if pool.held == 0 then
          idle = idle + 1
        else
          plan:tier { name = pool.name, capacity = pool.size >= 0 and pool.size or nil, bandwidth = pool.bandwidth, latency = pool.latency,
                      at = pool.at }
          local peak = plan:peak(pool.name)
          if pool.composite then
            note("pool %s is made of other pools; that their buffers stay clear of its own is not checked", pool.name)
          end
          if pool.used >= 0 and pool.used ~= peak then
            note("the file says pool %s uses %s bytes; its activations end at %s", pool.name, count(pool.used), count(peak))
          end
        end
      end
      if idle > 0 then note("memory pools without activations, left out: %d", idle) end
    end

    local root = input:json(true):object()
    local version = root:text("json_schema_version")
    if version and version:sub(1, 2) ~= "2." then
      root:fail("json_schema_version", "schema version %s is not known; 2.0 is", version)
    end
    root:need("memory_pools", "buffers")
    for item in root:items("memory_pools") do
      read_pool(item)
    end
    for item in root:items("graphs") do
      read_graph(item)
    end
    for item in root:items("buffers") do
      read_buffer(item)
    end
    note("epochs: start and end are both inside; pools stand in the order of their latency, which the file has in words")
    if weights > 0 then note("weights and other parameters (%d, %s bytes) are left out", weights, count(weight_bytes)) end
    if unplaced > 0 then note("buffers that have no place in a pool, left out: %d", unplaced) end
    add_tiers()
  end,
}
