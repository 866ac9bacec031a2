-- What GCC and clang write with -fstack-usage, a .su file for each object: a line for each function, its fields separated by tabs.
--
--     main.c:12:5:main	48	static
--     src/op.cc:40:6:void op(const char*)	1040	dynamic,bounded
--     arena.c:7:fill	16	dynamic
--
-- A frame takes memory only while its function runs, so that nothing here says how much is in use at any moment. The figure of a dynamic frame is
-- the part that is fixed, unless it is bounded: then it is the most that there can be.
local byte_count = require("heap_sizes").bytes
local shown = require "shown"

local LARGEST <const> = 5
local KINDS <const> = { static = 1, dynamic = 2, ["dynamic,bounded"] = 3, ["static,ignoring_inline_asm"] = 1, ["dynamic,bounded,ignoring_inline_asm"] = 3,
  ["dynamic,ignoring_inline_asm"] = 2 }

stowage.reader {
  name = "stack-usage",
  summary = "frames of functions that GCC and clang write with -fstack-usage: a moment, without times",
  extensions = ".su .txt",
  has = {":%d ... \t%d\tstatic", ":%d ... \t%d\tdynamic"},
  looks = "frames that -fstack-usage writes",
  near = {"\tstatic", "\tdynamic", "\tbounded", "dynamic,bounded"},
  paste = "whole lines, with their tabs",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local functions, numbers, largest = 0, { 0, 0, 0 }, {} -- the largest frames, those of the same size as they come
    local strange = 0

    for line, _, cut in input:lines() do
      if not utf8.len(line) then line = line:gsub("[\x80-\xff]", "?") end
      local place_and_name, size, kind = line:match "^%s*(%S.-)\t(%d+)\t([%a_,]+)%s*$"
      local known = place_and_name and KINDS[kind]
      size = size and byte_count(size)
      local place, name = (place_and_name or ""):match "^(.-:%d+:%d+):(.+)$"
      if not place then place, name = (place_and_name or ""):match "^(.-:%d+):(.+)$" end
      if known and size and place and not (cut and kind ~= "static") then
        functions, numbers[known] = functions + 1, numbers[known] + 1
        local rank = #largest + 1
        while rank > 1 and largest[rank - 1][1] < size do rank = rank - 1 end
        if rank <= LARGEST then table.insert(largest, rank, { size, name, place }) end
        largest[LARGEST + 1] = nil
        moment:block { size = size, state = "untold", name = shown(name), origin = shown(place) }
      elseif line:find "%S" then
        strange = strange + 1
      end
    end
    for i, frame in ipairs(largest) do
      note("%s frame: %s bytes, %s of %s", i == 1 and "the largest" or "the next", count(frame[1]), quote(frame[2]), quote(frame[3]))
    end
    if numbers[2] > 0 then note("%s of %s frames %s dynamic and not bounded: only their fixed part is told", count(numbers[2]), count(functions),
      numbers[2] == 1 and "is" or "are") end
    note("a frame takes memory only while its function runs: sums of them say nothing")
    if strange > 0 then note("%d line%s no function, and left out", strange, strange == 1 and " is" or "s are") end
    moment:about { what = "a list of the stack frames of functions" }
  end,
}
