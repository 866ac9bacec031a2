--- A detector on two units: the CPU prepares and decodes in float32, the NPU, which takes only int8 with
--- channels in sixteens, runs backbone and head. Pseudo-quantise operators stand after every layer of the
--- NPU, so token-sharing stores its tensors in a quarter of the bytes; tensors between the units have one id.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, size = 96, classes = { 20, min = 1, max = 4096 },
  quantised = { "int8", choices = { "int4", "int8", "int16" } }, dedicated = true,
  alignment = { 64, choices = { 1, 16, 32, 64, 128, 256 } }, multiple = { 16, min = 1, max = 1024 },
  cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "cpu_npu", dtype = arg.dtype, fused = arg.fused }

local function layer(name, x, width, options)
  options.norm, options.act, options.pad, options.dtype = true, "relu6", "same", arg.dtype
  return net:fake_quantize(name .. "_q", net:conv(name, x, width, options), arg.quantised)
end

local function separable(name, x, width, stride)
  x = layer(name .. "_dw", x, x.shape[2], { kernel = 3, stride = stride, groups = x.shape[2] })
  return layer(name .. "_pw", x, width, {})
end

local image = net:input("image", { arg.batch, 3, arg.size, arg.size }, "uint8")
local x = net:within("prepare", function()
  local y = net:op("normalize", "normalize", { image }, {
    out = { { "normalize", image.shape, arg.dtype } }, ways = nn.pointwise(image.shape, 1),
  })
  return net:fake_quantize("image_q", y, arg.quantised)
end)

local low, high
net:within("backbone", function()
  x = layer("conv1", x, 16, { kernel = 3, stride = 2 })
  x = separable("b1", x, 32, 1)
  x = separable("b2", x, 64, 2)
  low = separable("b3", x, 64, 1)
  x = separable("b4", low, 128, 2)
  high = separable("b5", x, 128, 1)
end)

-- The NPU cannot resize: the CPU brings the coarse features up and joins the fine ones.
local joined = net:within("merge", function()
  local up = net:resize("up", high, 2, "bilinear")
  return net:fake_quantize("merge_q", net:concat("merge", { low, up }), arg.quantised)
end)

local boxes, scores
net:within("head", function()
  local y = separable("h1", joined, 96, 1)
  boxes = layer("boxes", y, 4, {})
  scores = layer("scores", y, arg.classes, {})
end)

local found = net:within("decode", function()
  local places = joined.shape[3] * joined.shape[4]
  local by_place = net:transpose("scores_t", scores, { 1, 3, 4, 2 })
  local prob = net:softmax("prob", net:reshape(by_place, { arg.batch, places, arg.classes }))
  return (net:op("select_boxes", "found", { boxes, prob }, {
    out = { { "found", { arg.batch, math.min(places, 100), 6 }, arg.dtype } },
    scratch = nn.bytes(arg.batch * places, "int32"),
  }))
end)

local graph = net:graph { found }
graph.units = {
  { name = "cpu", dedicated = false },
  {
    name = "npu", dedicated = arg.dedicated, dtype = arg.quantised, alignment = arg.alignment,
    channel_multiple = arg.multiple,
  },
}
graph.functions = {
  { name = "prepare", unit = "cpu" }, { name = "backbone", unit = "npu" }, { name = "merge", unit = "cpu" },
  { name = "head", unit = "npu" }, { name = "decode", unit = "cpu" },
}
return cores.split(graph, arg)
