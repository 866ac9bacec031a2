--- GoogLeNet, Inception v1 (Szegedy et al. 2014). Pooling rounds up; ceil=false rounds down.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, size = 224, classes = 1000, ceil = true,
  cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "googlenet", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }

local function conv(name, x, channels, kernel, stride)
  return net:conv(name, x, channels, { kernel = kernel, stride = stride, pad = kernel // 2, act = "relu" })
end

local function reduce(name, x)
  return net:max_pool(name, x, { kernel = 3, stride = 2, ceil = arg.ceil })
end

--- Channels: 1x1, before 3x3, 3x3, before 5x5, 5x5, after the pool.
local function inception(name, x, c)
  local a = conv(name .. "_1x1", x, c[1], 1)
  local b = conv(name .. "_3x3", conv(name .. "_3x3r", x, c[2], 1), c[3], 3)
  local d = conv(name .. "_5x5", conv(name .. "_5x5r", x, c[4], 1), c[5], 5)
  local p = net:max_pool(name .. "_pool", x, { kernel = 3, pad = 1 })
  return net:concat(name .. "_out", { a, b, d, conv(name .. "_proj", p, c[6], 1) })
end

local x = net:input("data", { arg.batch, 3, arg.size, arg.size })
x = reduce("pool1", conv("conv1", x, 64, 7, 2))
x = net:lrn("norm1", x)
x = conv("conv2", conv("conv2r", x, 64, 1), 192, 3)
x = reduce("pool2", net:lrn("norm2", x))
x = inception("i3a", x, { 64, 96, 128, 16, 32, 32 })
x = inception("i3b", x, { 128, 128, 192, 32, 96, 64 })
x = reduce("pool3", x)
x = inception("i4a", x, { 192, 96, 208, 16, 48, 64 })
x = inception("i4b", x, { 160, 112, 224, 24, 64, 64 })
x = inception("i4c", x, { 128, 128, 256, 24, 64, 64 })
x = inception("i4d", x, { 112, 144, 288, 32, 64, 64 })
x = inception("i4e", x, { 256, 160, 320, 32, 128, 128 })
x = reduce("pool4", x)
x = inception("i5a", x, { 256, 160, 320, 32, 128, 128 })
x = inception("i5b", x, { 384, 192, 384, 48, 128, 128 })
x = net:dense("fc", net:flatten(net:global_avg_pool("pool5", x)), arg.classes)
return cores.split(net:graph { net:softmax("prob", x) }, arg)
