-- What a BFC allocator (TensorFlow's, or an arena of ONNX Runtime) prints when memory ran out: every chunk of every region, and sums.
--
--     ... bfc_allocator.cc:1046] Next region of size 2097152
--     ... bfc_allocator.cc:1066] InUse at b11600000 of size 256 next 4
--     ... bfc_allocator.cc:1066] Free  at b11600200 of size 2096640 next 18446744073709551615
--     ... bfc_allocator.cc:1095] Sum Total of in-use chunks: 382.50MiB
--     ... bfc_allocator.cc:1101] Stats:
--     Limit:                  4294967296
--
-- Until 2019 TensorFlow calls a chunk in use "Chunk at 0x...", as ONNX Runtime does; that has no "Next region". From 1.14 to 2.1 it is
-- "InUse at 0x... next 30 of size 1536". What is cut off is left open:
-- a region without its line is a stretch of chunks; chunks that only the summary by size counts have no address. An allocator prints a dump
-- each time that memory runs out, so of each the last one counts.
local bfc_dumps = require "bfc_dumps"

stowage.reader {
  name = "bfc-moment",
  summary = "the chunks of a BFC allocator (TensorFlow, ONNX Runtime) when memory ran out, or its message: a moment, without times",
  extensions = ".log .txt",
  has = {" Next region of size %d", "InUse at %w", "Free  at %w", "Free at 0x%w", "Chunk at 0x%w", "Chunk at %w ... of size %d", "Sum Total of in-use chunks: ", "Chunks of size %d totalling ", " chunks of size %d. Total %d", "): %sTotal Chunks: %d, Chunks in use: %d", "Allocator memory summary: rounded request %d", "Total bytes in pool: %d memory_limit_: %d", ": Chunks %d/%d. Bytes %d/%d. Requested %d.", "total_region_allocated_bytes_: %d", "Allocator (%w ... ran out of memory trying to allocate", "an out of memory trying to allocate %n", "ailed to allocate %n ... bytes) from device", "OOM when allocating tensor with shape[", "Available memory of %d is smaller than requested bytes of", "Failed to allocate memory for requested buffer of size %d", "BFC Arena ran out of memory trying to allocate", "despite calling Extend. rounded_bytes=", "] Extended allocation by %d bytes.", "] Allocated memory at 0x%w ... to 0x%w", " BFC Arena shrunk by %d", "] Total allocated bytes: %d", " | Requested Size: ", "Current usage from device: "},
  looks = "a dump of a BFC allocator",
  near = {"BFCAllocator dump", "bfc_allocator.cc:", "bfc_arena.cc:", "Bin (%d", "Summary of in-use Chunks by size", "Chunk State:", "MaxAllocSize:", "MaxInUse:", "LargestFreeBlock:", "Current allocation summary follows", "Remaining %d nodes with ", "failed to allocate %w", "ResourceExhaustedError", "OOM when"},
  paste = "from \"BFCAllocator dump\" on",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local dumps = bfc_dumps(moment)
    local xla = false
    for line, _, cut in input:lines() do
      dumps.read(line, cut)
      xla = xla or line:find("Peak buffers:", 1, true) ~= nil or line:find("BufferAssignment stats:", 1, true) ~= nil or line:find("XLA [Ll]abel: ") ~= nil
        or line:find("Entry Parameter Subshape: ", 1, true) ~= nil or line:find("BufferAssignment OOM", 1, true) ~= nil
    end
    if xla and not dumps.shown() then return instead "xla-moment" end
    dumps.tell()
    if xla then note("XLA's account of a program, which the text has too, is left out: it is no state of this allocator") end
  end,
}
