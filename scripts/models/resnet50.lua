--- ResNet50 (He et al. 2015). version=1.5 has the stride of a stage in the 3x3, version=1 in the first 1x1.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, size = 224, classes = 1000,
  version = { 1.5, choices = { 1, 1.5 } }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "resnet50", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }
local late = arg.version == 1.5 -- stride in the 3x3, and the shortcut computed after the branch

local function shortcut(name, x, width, stride)
  return net:conv(name .. "_down", x, 4 * width, { stride = stride, norm = true })
end

local function block(name, x, width, stride, first)
  local side = first and not late and shortcut(name, x, width, stride) or x
  local y = net:conv(name .. "_conv1", x, width, { stride = late and 1 or stride, norm = true, act = "relu" })
  y = net:conv(name .. "_conv2", y, width, {
    kernel = 3, stride = late and stride or 1, pad = 1, norm = true, act = "relu",
  })
  y = net:conv(name .. "_conv3", y, 4 * width, { norm = true })
  if first and late then
    side = shortcut(name, x, width, stride)
  end
  return net:add(name .. "_add", y, side, { act = "relu" })
end

local x = net:input("data", { arg.batch, 3, arg.size, arg.size })
x = net:conv("conv1", x, 64, { kernel = 7, stride = 2, pad = 3, norm = true, act = "relu" })
x = net:max_pool("pool1", x, { kernel = 3, stride = 2, pad = 1 })
for stage, blocks in ipairs { 3, 4, 6, 3 } do
  for i = 0, blocks - 1 do
    x = block(("layer%d_%d"):format(stage, i), x, 32 << stage, (i == 0 and stage > 1) and 2 or 1, i == 0)
  end
end
x = net:dense("fc", net:flatten(net:global_avg_pool("pool5", x)), arg.classes)
return cores.split(net:graph { net:softmax("prob", x) }, arg)
