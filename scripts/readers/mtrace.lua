-- What glibc's mtrace() writes: a line for each call of malloc, realloc and free.
--
--     @ ./program:(name+0x1a)[0x11c0] + 0x55a39fdb64a0 0x64
--
-- `+` is an allocation, `-` a free, `<` and `>` what realloc was given and what it gave back, `!` a realloc that failed, and an allocation at
-- (nil) one that failed. The file begins with "= Start".
local MOST_BYTES <const> = stowage.most_bytes
local SIZED <const> = { ["+"] = true, [">"] = true, ["!"] = true, ["-"] = false, ["<"] = false }

stowage.reader {
  name = "mtrace",
  summary = "what glibc's mtrace() writes of malloc, realloc and free; time is the number of the event",
  extensions = ".mtrace",
  begins = "= Start\n",
  looks = "a trace of glibc's mtrace()",
  near = {"= Start", "= End", "] + 0x%w", "] - 0x%w", "] < 0x%w", "] > 0x%w"},
  paste = "the whole file, from its first line on",
  gives = "requests",
  allocator = "free-list",
  any_bytes = true,

  read = function(input, requests)
    local strange, cut_line = 0, nil

    -- A number as printf's %p and %#lx write it: 0x..., 0, or (nil), before a blank or the end of the line.
    local function take_number()
      input:read("%s")
      local number = input:read("%x") or (input:word("(nil)") or input:word("0")) and 0
      return number and (input:take("$") or input:take("%f[ ]")) and number
    end

    local function read_call(sign)
      local sized = SIZED[sign]
      local address = sized ~= nil and take_number()
      local size = address and (sized and take_number() or not sized and 0)
      if not size or not input:take("$") then
        strange = strange + 1
      elseif sign == "!" or sized and address == 0 or size > MOST_BYTES then -- which nothing could give
        requests:refuse(math.min(size, MOST_BYTES))
      else
        return address, size, sized
      end
    end

    for line, _, cut in input:lines() do
      -- Where the call was made: the text behind "@ ", which ends before the sign. Nothing in it is the sign of a call.
      local caller = input:take("@ (.*%]) ")
      if not caller then input:take("@ ") end
      local sign = input:take(".")
      if cut then
        cut_line = input:line()
      elseif sign ~= "=" and line ~= "" then -- = Start, = End
        local address, size, sized = read_call(sign)
        if sized then
          requests:give(address, size, caller)
        elseif address then
          requests:take(address)
        end
      end
    end
    requests:done()
    if strange > 0 then note("%d line%s left out, which mtrace does not write", strange, strange == 1 and " is" or "s are") end
    if cut_line then note("the last line, %d, is cut and is left out", cut_line) end
  end,
}
