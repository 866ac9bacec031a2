--- One training step of a small residual CNN: forward, backward, update. What the forward pass saves lives
--- until its gradient, so there is more than a small memory holds: try segment-genetic with --capacity.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 32, dtype = "float32", fused = true, size = 32, classes = 10, width = { 16, min = 1, max = 4096 },
  blocks = { 2, min = 1, max = 64 }, optimizer = { "momentum", choices = { "sgd", "momentum", "adam" } },
  update = { "late", choices = { "early", "late" } }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "train_cnn", dtype = arg.dtype, fused = arg.fused, training = true }

local function block(name, x, width, stride)
  local side = x
  local y = net:conv(name .. "_conv1", x, width, { kernel = 3, stride = stride, pad = 1, norm = true, act = "relu" })
  y = net:conv(name .. "_conv2", y, width, { kernel = 3, pad = 1, norm = true })
  if x.shape[2] ~= width or stride ~= 1 then
    side = net:conv(name .. "_down", x, width, { stride = stride })
  end
  return net:add(name .. "_add", y, side, { act = "relu" })
end

local x = net:input("data", { arg.batch, 3, arg.size, arg.size })
local labels = net:input("labels", { arg.batch }, "int32")
x = net:conv("conv1", x, arg.width, { kernel = 3, pad = 1, norm = true, act = "relu" })
for stage = 1, 3 do
  for i = 1, arg.blocks do
    x = block(("s%d_%d"):format(stage, i), x, arg.width << (stage - 1), (stage > 1 and i == 1) and 2 or 1)
  end
end
x = net:dense("fc", net:flatten(net:global_avg_pool("pool", x)), arg.classes)
local loss = net:cross_entropy("loss", x, labels)
return cores.split(net:graph(net:backward(loss, { optimizer = arg.optimizer, update = arg.update })), arg)
