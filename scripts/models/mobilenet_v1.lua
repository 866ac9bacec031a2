--- MobileNetV1 (Howard et al. 2017): depthwise and pointwise convolutions in turn.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, size = 224, classes = 1000,
  alpha = { 1.0, min = 0.125, max = 4.0 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "mobilenet_v1", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }

local function width(channels)
  return math.max(8, math.floor(channels * arg.alpha))
end

local x = net:input("data", { arg.batch, 3, arg.size, arg.size })
x = net:conv("conv1", x, width(32), { kernel = 3, stride = 2, pad = "same", norm = true, act = "relu6" })
local layers = {
  { 64, 1 }, { 128, 2 }, { 128, 1 }, { 256, 2 }, { 256, 1 }, { 512, 2 }, { 512, 1 }, { 512, 1 }, { 512, 1 },
  { 512, 1 }, { 512, 1 }, { 1024, 2 }, { 1024, 1 },
}
for i, layer in ipairs(layers) do
  local name = "conv" .. i + 1
  x = net:conv(name .. "_dw", x, x.shape[2], {
    kernel = 3, stride = layer[2], pad = "same", groups = x.shape[2], norm = true, act = "relu6",
  })
  x = net:conv(name .. "_pw", x, width(layer[1]), { norm = true, act = "relu6" })
end
x = net:dense("fc", net:flatten(net:global_avg_pool("pool", x)), arg.classes)
return cores.split(net:graph { net:softmax("prob", x) }, arg)
