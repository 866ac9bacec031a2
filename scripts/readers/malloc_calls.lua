-- Calls of malloc and free as tracing tools print them, a call a line:
--
--     --4711-- malloc(24) = 0x4A42040                  valgrind --trace-malloc=yes
--     --4711-- memalign(al 64, size 200) = 0x4A42200
--     4711 x USER 0x28404040 = malloc(24)              jemalloc with opt.utrace, and FreeBSD's kdump of it
--     prog->malloc(24)                 = 0x55a39fdb64a0    ltrace
--
-- So a line is looked through for the name of a function and what stands in its parentheses; the address that the call gave stands behind an
-- equals sign, or before one. Everything else in the line, and lines without a call, are the tool's or the program's own words.
local MOST_BYTES <const>, MOST_ARGUMENTS <const> = stowage.most_bytes, 3
local LONGEST <const> = 20 -- bytes of a name: more than any below has

-- What a function does with its arguments, and how many it has at least.
local FUNCTIONS <const> = {
  malloc = { "gives", 1 }, calloc = { "gives product", 2 }, realloc = { "resizes", 2 }, free = { "takes", 1 },
  memalign = { "gives second", 2 }, aligned_alloc = { "gives second", 2 }, valloc = { "gives", 1 },
  _Znwm = { "gives", 1 }, _Znam = { "gives", 1 }, _Znwj = { "gives", 1 }, _Znaj = { "gives", 1 }, -- operator new
  _ZdlPv = { "takes", 1 }, _ZdaPv = { "takes", 1 }, _ZdlPvm = { "takes", 1 }, _ZdaPvm = { "takes", 1 },
}

stowage.reader {
  name = "malloc-calls",
  summary = "calls of malloc, realloc and free as Valgrind, jemalloc, kdump and ltrace print them; time is the number of the event",
  extensions = ".calls",
  has = {"alloc(%n)%s=%s%n", "alloc(%n,%s%n)%s=%s%n", "memalign(al %n, size %n)%s=%s%n", "aligned_alloc(al %n, size %n)%s=%s%n", "_Znwm(%n)%s=%s%n", "_Znam(%n)%s=%s%n", "_Znwj(%n)%s=%s%n", "_Znaj(%n)%s=%s%n", "0x%w ... = malloc(%n)", "0x%w ... = calloc(%n", "0x%w ... = realloc(%n", "0x%w ... = aligned_alloc(%n"},
  looks = "calls of malloc",
  near = {"-- malloc(", "-- calloc(", "-- realloc(", "-- free(0x%w", "->malloc(%d", "->free(0x%w", " USER malloc_init()", " USER free(0x%w"},
  paste = "whole lines, with their addresses",
  gives = "requests",
  allocator = "free-list",
  any_bytes = true,

  read = function(input, requests)
    local odd, cut_line = 0, nil

    -- A number as these tools write it: 24, 0x18, (nil).
    local function take_number()
      local number = input:read("%x") or input:word("(nil)") and 0 or input:read("%n")
      return number and number >= 0 and number
    end

    -- "24)", "0x4A420A0,100)", "al 64, size 200)".
    local function take_arguments(least)
      local arguments = {}
      while #arguments < MOST_ARGUMENTS do
        input:read("%s")
        if input:word("al ") or input:word("size ") then input:read("%s") end
        local number = take_number()
        if not number then return end
        arguments[#arguments + 1] = number
        input:read("%s")
        if input:word(")") then return #arguments >= least and arguments end
        if not input:word(",") then return end
      end
    end

    -- "0x28404040 = " before the name.
    local function result_before(line, begin, name)
      local from, text, behind = line:sub(1, name - 1):match("^.-()([%w_()]*) *= *()$")
      if not from then return end
      local then_at = input:at()
      input:at(begin + from - 1)
      local number = take_number()
      local whole = number and input:at() == begin + from - 1 + #text
      input:at(then_at)
      return whole and number
    end

    -- The last call of the line: a program's own words may stand before it. True: there is one that lacks something.
    local function find_call(line, begin)
      local call, lacks, at = nil, false, 1
      while true do
        local open = line:find("(", at, true)
        if not open then return call, lacks and not call end
        at = open + 1
        local name = line:sub(math.max(open - LONGEST, 1), open - 1):match("[%w_]*$")
        local what = FUNCTIONS[name]
        if what then
          input:at(begin + open)
          local before = result_before(line, begin, open - #name)
          local arguments = take_arguments(what[2])
          local result = before
          if arguments and not before and input:read("%s=%s") then result = take_number() end
          if arguments and (result or what[1] == "takes") then
            call = { what = what[1], arguments = arguments, result = result }
          else
            lacks = true
          end
          at = input:at() - begin + 1
        end
      end
    end

    local function give(address, size)
      if address == 0 or size > MOST_BYTES or size < 0 then
        requests:refuse(math.ult(size, MOST_BYTES) and size or MOST_BYTES)
      else
        requests:give(address, size)
      end
    end

    local function take(address)
      if address ~= 0 then requests:take(address) end -- free(NULL) does nothing
    end

    local function resize(old, size, fresh)
      if size == 0 then -- frees
        take(old)
        if fresh ~= 0 then give(fresh, 0) end
      elseif fresh == 0 then -- one that fails leaves the block alone
        give(0, size)
      elseif fresh == old then -- it is grown where it lies
        take(old)
        give(fresh, size)
      else -- the old block is given back when the new one is there
        give(fresh, size)
        take(old)
      end
    end

    local function product(a, b)
      return (a == 0 or b <= MOST_BYTES // a) and a * b or MOST_BYTES + 1
    end

    local function serve(call)
      local what, arguments = call.what, call.arguments
      if what == "gives" then
        give(call.result, arguments[1])
      elseif what == "gives product" then
        give(call.result, product(arguments[1], arguments[2]))
      elseif what == "gives second" then
        give(call.result, arguments[2])
      elseif what == "resizes" then
        resize(arguments[1], arguments[2], call.result)
      else
        take(arguments[1])
      end
    end

    for line, begin, cut in input:lines() do
      if cut then
        cut_line = input:line()
      else
        local call, lacks = find_call(line, begin)
        odd = odd + (lacks and 1 or 0)
        if call then serve(call) end
      end
    end
    requests:done()
    if odd > 0 then note("%d line%s left out, where a call lacks its end or what it gave", odd, odd == 1 and " is" or "s are") end
    if cut_line then note("the last line, %d, is cut and is left out", cut_line) end
  end,
}
