--- The network of DARTS' second genotype (Liu et al. 2019): cells of four nodes, each the sum of two operations on
--- earlier ones. By default the network for CIFAR-10: 20 cells of 36 channels.
local nn, cores, cells = require "nn", require "cores", require "nn_cells"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", weights = false, size = 32, classes = 10, channels = { 36, min = 2, max = 4096 },
  cells = { 20, min = 3, max = 200 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "darts", dtype = arg.dtype, fused = false, weights = arg.weights }

-- Pairs of operations and of what they read: 0 and 1 are the cells before, 2 to 5 the nodes.
local NORMAL = { { "sep", 0 }, { "sep", 1 }, { "sep", 0 }, { "sep", 1 }, { "sep", 1 }, { "skip", 0 }, { "skip", 0 },
                 { "dil", 2 } }
local REDUCE = { { "pool", 0 }, { "pool", 1 }, { "skip", 2 }, { "pool", 1 }, { "pool", 0 }, { "skip", 2 },
                 { "skip", 2 }, { "pool", 1 } }

local function operation(name, kind, x, width, stride)
  if kind == "sep" then
    return cells.separable(net, name, x, width, { kernel = 3, stride = stride, twice = true })
  elseif kind == "dil" then
    return cells.separable(net, name, x, width, { kernel = 3, stride = stride, dilation = 2 })
  elseif kind == "pool" then
    return net:max_pool(name, x, { kernel = 3, stride = stride, pad = 1 })
  end
  return stride > 1 and cells.halve(net, name, x, width) or x
end

local function cell(name, before, x, width, reduces)
  local first = before.shape[3] > x.shape[3] and cells.halve(net, name .. "_pre0", before, width)
                or cells.squeeze(net, name .. "_pre0", before, width)
  local states = { [0] = first, cells.squeeze(net, name .. "_pre1", x, width) }
  local plan = reduces and REDUCE or NORMAL
  for node = 2, 5 do
    local sum = {}
    for side = 1, 2 do
      local kind, from = table.unpack(plan[2 * (node - 2) + side])
      sum[side] = operation(("%s_n%d_%d"):format(name, node, side), kind, states[from], width,
        reduces and from < 2 and 2 or 1)
    end
    states[node] = net:add(("%s_n%d"):format(name, node), sum[1], sum[2])
  end
  return net:concat(name, { states[2], states[3], states[4], states[5] })
end

local x = net:conv("stem", net:input("data", { arg.batch, 3, arg.size, arg.size }), 3 * arg.channels,
  { kernel = 3, pad = "same" })
local before, width = x, arg.channels
for i = 0, arg.cells - 1 do
  local reduces = i == arg.cells // 3 or i == 2 * arg.cells // 3
  width = reduces and 2 * width or width
  before, x = x, cell("c" .. i, before, x, width, reduces)
end
return cores.split(net:graph { net:dense("fc", net:flatten(net:global_avg_pool("pool", x)), arg.classes) }, arg)
