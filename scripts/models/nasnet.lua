--- NASNet-A (Zoph et al. 2018), by default the mobile one, 4 @ 1056: cells of five sums over what the two cells before
--- left and what the cell made itself; what no sum reads is put side by side.
local nn, cores, cells = require "nn", require "cores", require "nn_cells"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", weights = false, size = 224, classes = 1000, repeats = { 4, min = 1, max = 100 },
  filters = { 44, min = 4, max = 4096 }, stem = { 32, min = 1, max = 4096 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "nasnet", dtype = arg.dtype, fused = false, weights = arg.weights }

-- Ten operations, two a sum, and what each reads: 0 the cell before, 1 the one before that, 2 to 6 the sums.
local NORMAL = { { "sep5", 0 }, { "sep3", 1 }, { "sep5", 1 }, { "sep3", 1 }, { "avg", 0 }, { "none", 1 }, { "avg", 1 },
                 { "avg", 1 }, { "sep3", 0 }, { "none", 0 } }
local REDUCE = { { "sep5", 0 }, { "sep7", 1 }, { "max", 0 }, { "sep7", 1 }, { "avg", 0 }, { "sep5", 1 }, { "none", 3 },
                 { "avg", 2 }, { "sep3", 2 }, { "max", 0 } }

local function operation(name, kind, x, width, stride)
  if kind:sub(1, 3) == "sep" then
    return cells.separable(net, name, x, width, { kernel = tonumber(kind:sub(4)), stride = stride, twice = true })
  elseif kind == "avg" then
    return net:avg_pool(name, x, { kernel = 3, stride = stride, pad = 1 })
  elseif kind == "max" then
    return net:max_pool(name, x, { kernel = 3, stride = stride, pad = 1 })
  end
  return x
end

local function cell(name, before, x, width, reduces)
  local old = before.shape[3] > x.shape[3] and cells.halve(net, name .. "_before", before, width)
              or cells.squeeze(net, name .. "_before", before, width)
  local states, read = { [0] = cells.squeeze(net, name .. "_begin", x, width), old }, {}
  local plan = reduces and REDUCE or NORMAL
  for sum = 1, 5 do
    local sides = {}
    for side = 1, 2 do
      local kind, from = table.unpack(plan[2 * (sum - 1) + side])
      read[from] = true
      sides[side] = operation(("%s_s%d_%d"):format(name, sum, side), kind, states[from], width,
        reduces and from < 2 and 2 or 1)
    end
    states[sum + 1] = net:add(("%s_s%d"):format(name, sum), sides[1], sides[2])
  end
  local list = {}
  for i = reduces and 2 or 0, 6 do
    if not read[i] or (i == 1 and not reduces) then list[#list + 1] = states[i] end
  end
  return net:concat(name, list)
end

local x = net:conv("stem", net:input("data", { arg.batch, 3, arg.size, arg.size }), arg.stem,
  { kernel = 3, stride = 2, pad = "valid" })
local before = x
local width = arg.filters
for i = 1, 2 do
  before, x = x, cell("stem" .. i, before, x, math.max(width // (i == 1 and 4 or 2), 1), true)
end
for stack = 1, 3 do
  if stack > 1 then
    width = width * 2
    before, x = x, cell("reduce" .. stack, before, x, width, true)
  end
  for i = 1, arg.repeats do
    before, x = x, cell(("s%d_%d"):format(stack, i), before, x, width, false)
  end
end
x = net:global_avg_pool("pool", net:activation("last_relu", x, "relu"))
return cores.split(net:graph { net:dense("fc", net:flatten(x), arg.classes) }, arg)
