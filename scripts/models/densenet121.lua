--- DenseNet121 (Huang et al. 2016): every layer reads all before it, through concatenations. Ends in logits.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, size = 224, classes = 1000,
  growth = { 32, min = 1, max = 1024 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "densenet121", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }

local function layer(name, x)
  local y = net:norm(name .. "_bn", x, { act = "relu" })
  y = net:conv(name .. "_conv1", y, 4 * arg.growth, { norm = true, act = "relu" })
  y = net:conv(name .. "_conv2", y, arg.growth, { kernel = 3, pad = 1 })
  return net:concat(name .. "_cat", { x, y })
end

local x = net:input("data", { arg.batch, 3, arg.size, arg.size })
x = net:conv("conv1", x, 2 * arg.growth, { kernel = 7, stride = 2, pad = 3, norm = true, act = "relu" })
x = net:max_pool("pool1", x, { kernel = 3, stride = 2, pad = 1 })
for block, layers in ipairs { 6, 12, 24, 16 } do
  for i = 1, layers do
    x = layer(("d%d_%d"):format(block, i), x)
  end
  if block < 4 then
    local name = "t" .. block
    x = net:norm(name .. "_bn", x, { act = "relu" })
    x = net:conv(name .. "_conv", x, x.shape[2] // 2)
    x = net:avg_pool(name .. "_pool", x, { kernel = 2, stride = 2 })
  end
end
x = net:norm("bn_last", x, { act = "relu" })
x = net:global_avg_pool("pool5", x)
return cores.split(net:graph { net:dense("fc", net:flatten(x), arg.classes) }, arg)
