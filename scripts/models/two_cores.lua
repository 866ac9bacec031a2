--- Two cores that work on halves of one tensor: 17 pairs of buffers conflict, the heaviest clique is 16.
--- Only its own core waits for conv_b, so D00 conflicts with D11 though they look apart in time.
--- With cores=N the same for N parts: split -> N convolutions -> N pools -> concat.
local arg = require("args")(..., { cores = { 2, min = 1, max = 26 } })
local n = arg.cores
local operators, buffers = {}, { { name = "D0", kind = "input", size = 4 * n } }

local function core(i)
  return string.char(("A"):byte() + i)
end

local function each(layer, size)
  local names = {}
  for i = 0, n - 1 do
    names[i + 1] = ("D%d%d"):format(layer, i)
    buffers[#buffers + 1] = { name = names[i + 1], size = size }
  end
  return names
end

local halves, convs, pools = each(0, 4), each(1, 4), each(2, 1)
buffers[#buffers + 1] = { name = "D2", kind = "output", size = n }

operators[1] = { name = "split", kind = "split", core = "A", inputs = { "D0" }, outputs = halves }
for i = 0, n - 1 do
  operators[#operators + 1] = {
    name = "conv_" .. core(i):lower(), kind = "conv2d", core = core(i), inputs = { halves[i + 1] },
    outputs = { convs[i + 1] }, after = i > 0 and { "split" } or {},
  }
end
local waits = {}
for i = 0, n - 1 do
  operators[#operators + 1] = {
    name = "pool_" .. core(i):lower(), kind = "max_pool", core = core(i), inputs = { convs[i + 1] },
    outputs = { pools[i + 1] },
  }
  waits[i] = i > 0 and operators[#operators].name or nil
end
operators[#operators + 1] = {
  name = "concat", kind = "concat", core = "A", inputs = pools, outputs = { "D2" }, after = waits,
}
return { name = "two_cores", operators = operators, buffers = buffers }
