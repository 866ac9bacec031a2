--- Small enough to follow by hand: two branches that meet, one residual block, a classifier.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "int8", fused = true, size = 16, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "teaching", dtype = arg.dtype, fused = arg.fused }

local x = net:input("data", { arg.batch, 1, arg.size, arg.size })
x = net:conv("conv1", x, 8, { kernel = 3, pad = "same", act = "relu" })
local left = net:conv("left", x, 8, { kernel = 1, act = "relu" })
local right = net:conv("right", x, 16, { kernel = 3, stride = 2, pad = "same", act = "relu" })
left = net:max_pool("pool1", left, { kernel = 2, stride = 2 })
x = net:concat("join", { left, right })
local y = net:conv("conv2", x, 24, { kernel = 3, pad = "same", act = "relu" })
x = net:add("sum", x, y)
x = net:global_avg_pool("pool2", x)
return cores.split(net:graph { net:softmax("prob", net:dense("fc", net:flatten(x), 4)) }, arg)
