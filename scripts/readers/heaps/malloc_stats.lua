-- glibc's malloc_stats(): what each arena has of the system, and what of that is in use.
--
--     Arena 0:
--     system bytes     =     135168
--     in use bytes     =       1712
--     Total (incl. mmap):
--     system bytes     =     135168
--     in use bytes     =       1712
--     max mmap regions =          0
--     max mmap bytes   =          0
--
-- It counts with 32 bits: above 4 GiB its figures begin again at 0, and what is in use may be more than there is.
local byte_count = require("heap_sizes").bytes

stowage.reader {
  name = "malloc-stats",
  summary = "glibc's malloc_stats(): sums of its arenas: a moment, without times",
  extensions = ".log .txt",
  has = {"system bytes     =%s%d", "in use bytes     =%s%d", "max mmap bytes   =%s%d"},
  looks = "glibc's malloc_stats()",
  near = {"Total (incl. mmap):", "system bytes     =", "in use bytes     =", "max mmap regions =", "max mmap bytes   ="},
  paste = "from \"Arena 0:\" to \"max mmap bytes\"",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local arenas, order, of = {}, {}, "" -- "": the text begins within an arena, of which the number is cut off
    local total, mapped, several, wrapped = nil, nil, 0, false

    for line, _, cut in input:lines() do
      if cut then line = line:gsub("%d+$", "") end
      local arena = line:match "Arena (%d+):"
      if arena then
        if arenas[arena] or (arena == "0" and total) then -- another report
          arenas, order, total, mapped, several = {}, {}, nil, nil, several + 1
        end
        of = arena
      elseif line:find("Total (incl. mmap)", 1, true) then
        total, of = {}, "total"
      end
      local name, number = line:match "(%l[%l ]-%l bytes)%s+= *(%d+)"
      number = byte_count(number)
      local key = number and (name:find "system bytes$" and "system" or name:find "in use bytes$" and "used")
      if number and line:find("max mmap bytes", 1, true) then mapped = number end
      if key and of == "total" then
        total[key] = number
      elseif key then
        if not arenas[of] then
          arenas[of] = {}
          order[#order + 1] = of
        end
        arenas[of][key] = number
      end
    end

    local sums, whole = { system = 0, used = 0 }, #order > 0
    local function tell(sum, pool)
      if sum.system then moment:tell { figure = "reserved", bytes = sum.system, pool = pool } end
      if sum.used then moment:tell { figure = "in_use", bytes = sum.used, pool = pool } end
      if sum.system and sum.used and sum.used <= sum.system then
        moment:tell { figure = "free", bytes = sum.system - sum.used, pool = pool }
      end
      wrapped = wrapped or (sum.system and sum.used and sum.used > sum.system)
    end
    for _, name in ipairs(order) do
      local arena = arenas[name]
      whole = whole and arena.system and arena.used
      sums.system, sums.used = sums.system + (arena.system or 0), sums.used + (arena.used or 0)
      if #order > 1 or total then tell(arena, name == "" and "unnumbered arena" or "arena " .. name) end
    end
    if total then
      tell(total)
    elseif whole then
      tell(sums)
      if #order > 1 then note("the sums are those of the %d arenas in the text: what is mapped beside them it does not tell", #order) end
    end
    if total and whole and not wrapped and total.system and total.used and (total.system < sums.system or total.used < sums.used) then wrapped = true end
    if wrapped then note("malloc_stats() counts with 32 bits: some figures have lost multiples of 4 GiB") end
    if mapped and mapped > 0 then note("at most %s bytes were mapped apart from the arenas", count(mapped)) end
    if several > 0 then note("the text has %d more such report%s: the last one counts", several, several == 1 and "" or "s") end
    moment:about { what = "what glibc's malloc_stats() wrote" }
  end,
}
