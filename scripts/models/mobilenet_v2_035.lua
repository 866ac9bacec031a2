--- MobileNetV2 (Sandler et al. 2018), a third of the width, as an int8 model of TensorFlow Lite Micro has it: `stowage fit`
--- can cut it into strips. At 224 rows: --arg size=224; at full width: --arg alpha=1.0 besides.
local nn, cores, micro, mobile = require "nn", require "cores", require "micro", require "mobile"
local arg = require("args")(..., {
  batch = 1, dtype = "int8", fused = true, weights = false, size = 144, classes = 10,
  alpha = { 0.35, min = 0.125, max = 4.0 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "mobilenet_v2_035", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }
local x = mobile.v2(net, net:input("image", { arg.batch, 3, arg.size, arg.size }), arg.alpha)
return cores.split(micro.graph(net:graph { mobile.classify(net, x, arg.classes) }), arg)
