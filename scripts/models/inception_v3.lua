--- Inception v3 (Szegedy et al. 2015), 299x299.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, size = 299, classes = 1000, cores = 1,
  split = "rows", sync = "data",
})
local net = nn.net { name = "inception_v3", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }

local function conv(name, x, channels, kernel, stride, pad)
  return net:conv(name, x, channels, {
    kernel = kernel, stride = stride, pad = pad or "same", norm = true, act = "relu",
  })
end

local row, column = { 1, 7 }, { 7, 1 }

local function reduce(name, x)
  return net:max_pool(name, x, { kernel = 3, stride = 2 })
end

local function pooled(name, x, channels)
  return conv(name .. "_proj", net:avg_pool(name .. "_pool", x, { kernel = 3, pad = 1 }), channels, 1)
end

local function block_a(name, x, channels)
  local a = conv(name .. "_1x1", x, 64, 1)
  local b = conv(name .. "_5x5", conv(name .. "_5x5r", x, 48, 1), 64, 5)
  local c = conv(name .. "_3x3a", conv(name .. "_3x3r", x, 64, 1), 96, 3)
  c = conv(name .. "_3x3b", c, 96, 3)
  return net:concat(name .. "_out", { a, b, c, pooled(name, x, channels) })
end

local function reduction_a(name, x)
  local a = conv(name .. "_3x3", x, 384, 3, 2, "valid")
  local b = conv(name .. "_3x3a", conv(name .. "_3x3r", x, 64, 1), 96, 3)
  b = conv(name .. "_3x3b", b, 96, 3, 2, "valid")
  return net:concat(name .. "_out", { a, b, reduce(name .. "_pool", x) })
end

local function block_b(name, x, mid)
  local a = conv(name .. "_1x1", x, 192, 1)
  local b = conv(name .. "_1x7a", conv(name .. "_7ar", x, mid, 1), mid, row)
  b = conv(name .. "_7x1a", b, 192, column)
  local c = conv(name .. "_7x1b", conv(name .. "_7br", x, mid, 1), mid, column)
  c = conv(name .. "_1x7b", c, mid, row)
  c = conv(name .. "_7x1c", c, mid, column)
  c = conv(name .. "_1x7c", c, 192, row)
  return net:concat(name .. "_out", { a, b, c, pooled(name, x, 192) })
end

local function reduction_b(name, x)
  local a = conv(name .. "_3x3a", conv(name .. "_3x3r", x, 192, 1), 320, 3, 2, "valid")
  local b = conv(name .. "_1x7", conv(name .. "_7r", x, 192, 1), 192, row)
  b = conv(name .. "_7x1", b, 192, column)
  b = conv(name .. "_3x3b", b, 192, 3, 2, "valid")
  return net:concat(name .. "_out", { a, b, reduce(name .. "_pool", x) })
end

local function block_c(name, x)
  local a = conv(name .. "_1x1", x, 320, 1)
  local b = conv(name .. "_3ar", x, 384, 1)
  local b1 = conv(name .. "_1x3a", b, 384, { 1, 3 })
  local b2 = conv(name .. "_3x1a", b, 384, { 3, 1 })
  local c = conv(name .. "_3x3", conv(name .. "_3br", x, 448, 1), 384, 3)
  local c1 = conv(name .. "_1x3b", c, 384, { 1, 3 })
  local c2 = conv(name .. "_3x1b", c, 384, { 3, 1 })
  return net:concat(name .. "_out", { a, b1, b2, c1, c2, pooled(name, x, 192) })
end

local x = net:input("data", { arg.batch, 3, arg.size, arg.size })
x = conv("conv1", x, 32, 3, 2, "valid")
x = conv("conv2", x, 32, 3, 1, "valid")
x = conv("conv3", x, 64, 3)
x = reduce("pool1", x)
x = conv("conv4", x, 80, 1)
x = conv("conv5", x, 192, 3, 1, "valid")
x = reduce("pool2", x)
for i, channels in ipairs { 32, 64, 64 } do
  x = block_a("a" .. i, x, channels)
end
x = reduction_a("ra", x)
for i, mid in ipairs { 128, 160, 160, 192 } do
  x = block_b("b" .. i, x, mid)
end
x = reduction_b("rb", x)
for i = 1, 2 do
  x = block_c("c" .. i, x)
end
x = net:dense("fc", net:flatten(net:global_avg_pool("pool3", x)), arg.classes)
return cores.split(net:graph { net:softmax("prob", x) }, arg)
