--- MobileNetV2 (Sandler et al. 2018): inverted residuals; the first block does not expand.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, size = 224, classes = 1000,
  alpha = { 1.0, min = 0.125, max = 4.0 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "mobilenet_v2", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }

--- Channels are multiples of 8, and never less than 90 % of what was asked for.
local function width(channels)
  local wanted = channels * arg.alpha
  local rounded = math.max(8, (math.floor(wanted + 4) // 8) * 8)
  return rounded < 0.9 * wanted and rounded + 8 or rounded
end

local function block(name, x, expand, channels, stride)
  local y = x
  if expand > 1 then
    y = net:conv(name .. "_expand", y, expand * x.shape[2], { norm = true, act = "relu6" })
  end
  y = net:conv(name .. "_dw", y, y.shape[2], {
    kernel = 3, stride = stride, pad = "same", groups = y.shape[2], norm = true, act = "relu6",
  })
  y = net:conv(name .. "_project", y, channels, { norm = true })
  if stride == 1 and channels == x.shape[2] then
    y = net:add(name .. "_add", y, x)
  end
  return y
end

local x = net:input("data", { arg.batch, 3, arg.size, arg.size })
x = net:conv("conv1", x, width(32), { kernel = 3, stride = 2, pad = "same", norm = true, act = "relu6" })
local stages = { -- expansion, channels, blocks, stride of the first
  { 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 }, { 6, 96, 3, 1 }, { 6, 160, 3, 2 },
  { 6, 320, 1, 1 },
}
for s, stage in ipairs(stages) do
  for i = 1, stage[3] do
    x = block(("block%d_%d"):format(s, i), x, stage[1], width(stage[2]), i == 1 and stage[4] or 1)
  end
end
x = net:conv("conv_last", x, math.max(1280, width(1280)), { norm = true, act = "relu6" })
x = net:dense("fc", net:flatten(net:global_avg_pool("pool", x)), arg.classes)
return cores.split(net:graph { net:softmax("prob", x) }, arg)
