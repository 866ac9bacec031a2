-- Messages that memory ran out, of programs that say no more than a few figures. What each says is a row of WORDINGS.
--
--     Out of memory allocating 805,306,368 bytes (allocated so far: 536,870,912 bytes, limit set to: 1,073,741,824 bytes).
--     Cannot allocate 98.000244MB memory on GPU 0, 6.000000GB memory has been allocated and available memory is only 12.750000MB.
--     ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9866.00 MiB on device 1: cudaMalloc failed: out of memory
--     ggml_gallocr_reserve_n: failed to allocate CUDA1 buffer of size 10345253120
--
-- A message may go on over some lines, broken at blanks or anywhere.
local SHIFTS <const> = { b = 0, k = 10, m = 20, g = 30, t = 40 }
local LOOKED_AT <const> = 4 -- lines of a message, at most
local SIZE <const> = " ?(%d[%d.,]*) ?([kKMGTbB]i?[bBy]?[yte]*s?)"

-- `size` is what was asked for; `exact`: it once more, without a unit; `total`: what is reserved, and the size on top; `taken`: what of the device
-- is not free, of all processes; the others are figures of a moment.
local WORDINGS <const> = {
  { of = "CuPy", begins = "ut of memory allocating %d", size = "memory allocating" .. SIZE, reserved = "allocated so far:" .. SIZE, limit = "limit set to:" .. SIZE },
  { of = "CuPy", begins = "ut of memory to allocate %d", size = "memory to allocate" .. SIZE, total = "%(total" .. SIZE, limit = "limit set to" .. SIZE },
  { of = "PaddlePaddle", begins = "annot allocate %d", size = "annot allocate" .. SIZE .. " memory on [GXN]PU", device_name = "memory on ([GXN]PU ?%d+)", taken = "," .. SIZE .. " memory has been allocated",
    device_free = "available memory is only" .. SIZE },
  { of = "ggml", begins = "allocating %d[%d.,]* Mi?B on device", size = "allocating" .. SIZE .. " on device", exact = "failed to allocate [%w_]+ buffer of size (%d+)%f[^%w]",
    device_name = "failed to allocate ([%w_]+) buffer of size" },
  { of = "ggml", begins = "failed to allocate [%w_]+ buffer of size %d", exact = "failed to allocate [%w_]+ buffer of size (%d+)%f[^%w]",
    device_name = "failed to allocate ([%w_]+) buffer of size" },
  { of = "ggml", begins = "Device memory allocation of size %d+ failed", exact = "memory allocation of size (%d+) failed" },
  { of = "ggml", begins = "insufficient memory %(attempted to allocate", size = "%(attempted to allocate" .. SIZE .. "%)" },
  { of = "ggml", begins = "failed to allocate buffer, size = *%d", size = "failed to allocate buffer, size =" .. SIZE },
  { of = "PyTorch", begins = "you tried to allocate %d", size = "you tried to allocate" .. SIZE },
  { of = "RMM", begins = "failed to allocate %d[%d.]* ?[KMGT]?i?B%)", size = "%(failed to allocate" .. SIZE .. "%)" },
  { of = "TensorRT", begins = "Requested amount of GPU memory %(%d", size = "GPU memory %(" .. SIZE .. "%) could not" },
  { of = "NumPy", begins = "Unable to allocate %d[%d.]* [KMGTP]?i?B for an array", size = "Unable to allocate" .. SIZE .. " for an array" },
}

-- Its bytes, and how far its rounding goes.
local function figure(number, unit)
  local digits = number and number:gsub(",", "")
  local value, shift = tonumber(digits), SHIFTS[(unit or "b"):sub(1, 1):lower()]
  if not value or not shift or #digits > 24 or value * 2.0 ^ shift >= 2.0 ^ 60 then return end
  if shift == 0 and math.type(value) == "integer" then return { bytes = value, about = 0 } end
  local decimals = digits:match "%.(%d+)$" or ""
  local about = shift == 0 and value == 0 and 0 or math.floor(2.0 ^ shift / 10 ^ #decimals / 2 + 0.5)
  return { bytes = math.floor(value * 2.0 ^ shift + 0.5), about = about }
end

-- What the text of a message tells by a wording, blanks in it or not, and how many figures.
local function read_message(wording, text)
  local said = { of = wording.of, device_name = wording.device_name and (text:match(wording.device_name) or ""):gsub(" ", "") }
  local figures = 0
  if said.device_name == "" then said.device_name = nil end
  for name, pattern in pairs(wording) do
    if not said[name] and name ~= "begins" and name ~= "device_name" then said[name] = figure(text:match(pattern)) end
    figures = figures + (said[name] and 1 or 0)
  end
  if said.exact and said.size and math.abs(said.exact.bytes - said.size.bytes) > said.size.about then said.exact = nil end -- of another one
  said.size = said.exact or said.size
  if said.total and said.size and said.total.bytes >= said.size.bytes then
    said.reserved = { bytes = said.total.bytes - said.size.bytes, about = said.total.about + said.size.about }
  end
  if said.taken and said.device_free and said.taken.bytes > 0 then
    said.device = { bytes = said.taken.bytes + said.device_free.bytes, about = said.taken.about + said.device_free.about }
  end
  return said.size and said, said.size and figures or 0
end

stowage.reader {
  name = "oom-message",
  summary = "a message that memory ran out: CuPy, PaddlePaddle, ggml, PyTorch on the host, RMM, TensorRT, NumPy; a moment, without times",
  extensions = ".log .txt",
  has = {"ut of memory allocating %d", "ut of memory to allocate %d", "annot allocate %d ... memory on ", "allocating %d ... MiB on device ", "failed to allocate %w ... buffer of size %d", "evice memory allocation of size %d failed", "insufficient memory (attempted to allocate %d", "failed to allocate buffer, size =%s%d", "you tried to allocate %d bytes", "(failed to allocate %d", "Requested amount of GPU memory (%d bytes)", "Unable to allocate %d ... for an array"},
  looks = "a message that memory ran out",
  near = {"OutOfMemoryError: ", "Out of memory error on GPU", "ErrorOutOfDeviceMemory", "model buffer size =", "KV buffer size =", "ggml_backend_cuda_buffer_type_alloc_buffer", "std::bad_alloc: out_of_memory", "_ArrayMemoryError", "(allocated so far:", "cudaMalloc failed"},
  paste = "the whole message, with its sizes",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local first, wording, window, messages = nil, nil, {}, 0
    local buffers = {} -- of ggml: what each device holds when the message comes

    local function end_message()
      local used = wording
      wording = nil
      if not used then return end
      local joined = {} -- the wording without blanks, for what is broken within a word
      for name, pattern in pairs(used) do joined[name] = name == "of" and pattern or pattern:gsub(" %??", "") end
      local said, figures = read_message(used, (table.concat(window, " "):gsub("%s+", " ")))
      local other, of_other = read_message(joined, (table.concat(window):gsub("%s+", "")))
      if of_other > figures then said = other end
      if said and not first then
        first = said
        local holds = said.device_name and buffers[said.device_name]
        if holds then
          said.in_use = holds
          note("in use are the %d buffers on %s that the text tells before", holds.number, said.device_name)
        end
      end
    end

    local function hold_buffer(line)
      local device, number = line:match "([%w_]+) [%a ]-buffer size = *(%d[%d.]*) MiB"
      local size = number and figure(number, "MiB")
      if not size or first or wording then return end
      local holds = buffers[device] or { bytes = 0, about = 0, number = 0 }
      buffers[device] = { bytes = holds.bytes + size.bytes, about = holds.about + size.about, number = holds.number + 1 }
    end

    for line, _, cut in input:lines() do
      if cut then line = line:gsub("[%w.,]+$", "") end
      hold_buffer(line)
      for _, known in ipairs(WORDINGS) do
        if line:find(known.begins) and not (wording and wording.of == "ggml" and not known.size and #window < LOOKED_AT) then
          end_message()
          wording, window, messages = known, {}, messages + 1
          break
        end
      end
      if wording and #window == LOOKED_AT then end_message() end
      if wording then window[#window + 1] = #line <= 4096 and line or line:sub(math.max((line:find(wording.begins) or 1) - 64, 1)):sub(1, 4096) end
    end
    end_message()

    if first then
      if first.device_name then note("the message is of %s", first.device_name) end
      if messages > 1 then note("%d messages stand in the text; the first one counts", messages) end
      for _, name in ipairs { "reserved", "in_use", "limit", "device", "device_free" } do
        local value = first[name]
        if value then moment:tell { figure = name, bytes = value.bytes, about = value.about } end
      end
      if first.total then note("the total in the text has the request in it, which is not reserved") end
      if first.device then note("what of the device is not free is of all processes") end
      moment:failed { size = first.size.bytes, about = first.size.about, pool = first.device_name }
    end
    moment:about { what = ("%s's message that memory ran out"):format(first and first.of or "a program") }
  end,
}
