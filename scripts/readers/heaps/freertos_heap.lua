-- FreeRTOS's HeapStats_t, which vPortGetHeapStats() fills, printed or shown by a debugger, whatever stands between name and number:
--
--     xAvailableHeapSpaceInBytes: 4280
--     xSizeOfLargestFreeBlockInBytes: 2048
--     xSizeOfSmallestFreeBlockInBytes: 24
--     xNumberOfFreeBlocks: 5
--     xMinimumEverFreeBytesRemaining: 3120
--
-- All sizes are those of blocks with their headers. configTOTAL_HEAP_SIZE, where the text has it, is what the heap was given.
local byte_count = require("heap_sizes").bytes
local known_sizes = require("heap_sizes").known

local NAMES <const> = { "xAvailableHeapSpaceInBytes", "xSizeOfLargestFreeBlockInBytes", "xSizeOfSmallestFreeBlockInBytes", "xNumberOfFreeBlocks",
  "xMinimumEverFreeBytesRemaining", "xNumberOfSuccessfulAllocations", "xNumberOfSuccessfulFrees" }

stowage.reader {
  name = "freertos-heap",
  summary = "FreeRTOS's vPortGetHeapStats(): free blocks of a heap: a moment, without times",
  extensions = ".log .txt",
  has = {"xAvailableHeapSpaceInBytes:%s%d", "xAvailableHeapSpaceInBytes%s=%s%d", "xAvailableHeapSpaceInBytes%s%d", "xSizeOfLargestFreeBlockInBytes:%s%d", "xSizeOfLargestFreeBlockInBytes%s=%s%d", "xSizeOfLargestFreeBlockInBytes%s%d", "xMinimumEverFreeBytesRemaining:%s%d", "xMinimumEverFreeBytesRemaining%s=%s%d", "xMinimumEverFreeBytesRemaining%s%d"},
  looks = "what FreeRTOS tells of its heap",
  near = {"xAvailableHeapSpaceInBytes", "xSizeOfLargestFreeBlockInBytes", "xSizeOfSmallestFreeBlockInBytes", "xNumberOfFreeBlocks", "xMinimumEverFreeBytesRemaining", "xNumberOfSuccessfulAllocations", "xNumberOfSuccessfulFrees", "configTOTAL_HEAP_SIZE"},
  paste = "the fields of HeapStats_t with their numbers",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local values, several = {}, 0
    local heap

    for line, _, cut in input:lines() do
      if cut then line = line:gsub("%w+$", "") end
      for name, text in line:gmatch "(x%u%a+)%s*[:=,]?%s*(%d+)" do
        for _, known in ipairs(NAMES) do
          if name == known then
            several = several + (values[name] and name == NAMES[1] and 1 or 0)
            values[name] = byte_count(text)
          end
        end
      end
      local total, of_kib = line:match "configTOTAL_HEAP_SIZE[%s:=(]*%(?s?i?z?e?_?t?[%s)(]*(%d+)%s*(%*?%s*%d*)"
      if total then
        heap = byte_count(total)
        local factor = of_kib:match "^%*%s*(%d+)$"
        if of_kib:find("*", 1, true) then heap = heap and factor and heap < 1 << 30 and #factor < 9 and heap * tonumber(factor) or nil end
      end
    end
    local free, largest, smallest, number = values[NAMES[1]], values[NAMES[2]], values[NAMES[3]], values[NAMES[4]]
    if heap and (not free or free <= heap) then moment:tell { figure = "reserved", bytes = heap } end
    if free then moment:tell { figure = "free", bytes = free } end
    if largest and largest > 0 then moment:tell { figure = "largest_free", bytes = largest } end
    local sizes, left = known_sizes(number or 0, free, smallest, largest)
    for _, known in ipairs(sizes) do
      if known[1] > 0 then moment:block { size = known[1], count = known[2], state = "free" } end
    end
    if left > 0 then note("of %s free block%s only the sum is told", count(left), left == 1 and "" or "s") end
    local least = values[NAMES[5]]
    if least then note("at the worst moment %s bytes were free", count(least)) end
    local given, freed = values[NAMES[6]], values[NAMES[7]]
    if given and freed and given >= freed then note("%s block%s in use: %s were given, %s came back", count(given - freed),
      given - freed == 1 and " is" or "s are", count(given), count(freed)) end
    if several > 0 then note("the text has %d more such report%s: the last one counts", several, several == 1 and "" or "s") end
    moment:about { what = "what FreeRTOS's vPortGetHeapStats() told" }
  end,
}
