--- Randomly wired networks (Xie et al. 2019): stages of nodes wired by Watts and Strogatz' model, 32 nodes with
--- 4 neighbors each, rewired with probability 0.75. A node is a weighted sum, ReLU, depthwise and 1x1 convolution.
--- Operators stand as a framework records them, node by node; in another order much less memory is enough:
---     stowage plan scripts/models/randwire.lua -p order
local nn, cores, cells = require "nn", require "cores", require "nn_cells"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", weights = false, size = 224, classes = 1000, seed = { 1, min = 0 },
  regime = { "small", choices = { "small", "regular" } }, channels = { 0, min = 0, max = 4096 },
  nodes = { 32, min = 3, max = 1024 }, neighbors = { 4, min = 2, max = 64 }, rewired = { 0.75, min = 0.0, max = 1.0 },
  cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "randwire", dtype = arg.dtype, fused = false, weights = arg.weights }
local channels = arg.channels > 0 and arg.channels or arg.regime == "small" and 78 or 109

-- Numbers of its own, so that a seed gives the same wires everywhere (Lehmer, by Park and Miller).
local state = arg.seed % 2147483646 + 1
local function random(below)
  state = state * 48271 % 2147483647
  return state % below
end

--- The nodes that each node reads from, all of lower number.
local function wire(nodes)
  local near = math.min(arg.neighbors, (nodes - 1) // 2 * 2) // 2
  local tied, reads = {}, {}
  local function key(a, b) return math.min(a, b) * nodes + math.max(a, b) end
  for a = 0, nodes - 1 do
    for step = 1, near do tied[key(a, (a + step) % nodes)] = true end
  end
  for step = 1, near do
    for a = 0, nodes - 1 do
      local b, other = (a + step) % nodes, random(nodes)
      if random(1000000) < arg.rewired * 1000000 and other ~= a and tied[key(a, b)] and not tied[key(a, other)] then
        tied[key(a, b)], tied[key(a, other)] = nil, true
      end
    end
  end
  for a = 0, nodes - 1 do
    reads[a] = {}
    for b = 0, a - 1 do
      if tied[key(a, b)] then table.insert(reads[a], b) end
    end
  end
  return reads
end

local function stage(name, x, width, nodes)
  local reads, outs, read = wire(nodes), {}, {}
  for a = 0, nodes - 1 do
    local own, list, stride = ("%s_n%d"):format(name, a), {}, 1
    for _, b in ipairs(reads[a]) do
      list[#list + 1], read[b] = outs[b], true
    end
    if #list == 0 then list, stride = { x }, 2 end
    local y = #list > 1 and cells.weighted_sum(net, own .. "_sum", list) or list[1]
    outs[a] = cells.separable(net, own, y, width, { kernel = 3, stride = stride })
  end
  local last = {}
  for a = 0, nodes - 1 do
    if not read[a] then last[#last + 1] = outs[a] end
  end
  return #last > 1 and cells.weighted_sum(net, name .. "_out", last) or last[1]
end

local x = net:input("data", { arg.batch, 3, arg.size, arg.size })
x = net:conv("conv1", x, math.max(channels // 2, 1), { kernel = 3, stride = 2, pad = "same" })
if arg.regime == "small" then
  x = net:conv("conv2", x, channels, { kernel = 3, stride = 2, pad = "same" })
else
  x = stage("s2", x, channels, math.max(arg.nodes // 2, 3))
end
for i = 3, 5 do
  x = stage("s" .. i, x, channels << (arg.regime == "small" and i - 3 or i - 2), arg.nodes)
end
x = net:conv("conv6", net:activation("conv6_relu", x, "relu"), 1280)
x = net:global_avg_pool("pool", net:activation("pool_relu", x, "relu"))
return cores.split(net:graph { net:dense("fc", net:flatten(x), arg.classes) }, arg)
