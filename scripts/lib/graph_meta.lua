---@meta
--- The table that a model returns, for editors with a Lua language server. No script requires this file.
--- Sizes, offsets and times are integers. Keys that begin with `_` or `x-` are ignored.

---@class Graph
---@field name? string
---@field operators Operator[] in execution order; operator i is time step i - 1
---@field buffers Buffer[]
---@field alignment? integer of buffers that name none; 1
---@field tiers? Tier[] the nearest to the core first; none is one unbounded tier "memory"
---@field units? Unit[]
---@field functions? Function[]
---@field overlays? Overlay[]
---@field separate? string[][] pairs of buffers that never share bytes
---@field reserved? Reserved[]
---@field offsets? "pins"|"plan" what the offsets of buffers mean
---@field outside? integer bytes of the arena above the plan
---@field least_arena? integer bytes that the interpreter needs to start
---@field more_outside? boolean `outside` is at least that much

---@class Operator
---@field name string
---@field kind? string free text; reshape, tuple, get-item and fake_quantize have a meaning
---@field inputs? string[] names of buffers or overlays
---@field outputs? string[]
---@field scratch? string[]
---@field dtype? string
---@field core? string
---@field after? string[] operators listed before it that it waits for
---@field joined? boolean a part of the same operator as the one listed before it: in any order it runs right behind that one
---@field function? string
---@field inplace? boolean|string[][] true, or pairs {input, output}
---@field window? OpWindow none: it cannot be computed in strips of rows
---@field macs? integer multiply-adds of a run
---@field package _ways? table<string, Way>
---@field package _shapes? integer[][]
---@field package _window? OpWindow
---@field package _macs? integer

---@class OpWindow which rows and columns of its inputs an operator needs for one of its output
---@field kernel? integer[] {rows, columns}, {1, 1}
---@field stride? integer[] {1, 1}
---@field dilation? integer[] {1, 1}
---@field pad? integer[] {top, bottom, left, right}, zeros
---@field axis? integer the dimension of shapes that is rows, from 0; 1: batch, rows, columns, channels

---@alias BufferKind "input"|"output"|"constant"|"intermediate"|"scratch"

---@class Buffer
---@field name string
---@field kind? BufferKind intermediate
---@field output? boolean a result of the network, though its kind is another
---@field size? integer bytes; or shape and dtype
---@field shape? integer[]
---@field dtype? string
---@field alignment? integer
---@field tier? string it is fixed to
---@field tiers? string[] it may live in
---@field first? integer instead of what the operators imply
---@field last? integer inside
---@field pieces? Piece[]
---@field accesses? integer[]
---@field offset? integer
---@field package _axes? { rows: integer?, channels: integer? }

---@class Piece
---@field first integer
---@field last integer
---@field lo integer
---@field hi integer exclusive

---@class Tier
---@field name string
---@field capacity? integer unbounded without
---@field bandwidth? number bytes per cycle
---@field latency? number cycles per access
---@field conflict? number

---@class Unit
---@field name string
---@field dedicated? boolean its functions take only its dtype and alignment
---@field dtype? string
---@field alignment? integer
---@field channel_multiple? integer
---@field channel_axis? integer the dimension that is padded, from the front; 1 by default, -1 the last
---@field tiers? string[]

---@class Function
---@field name string
---@field unit? string

---@class Overlay
---@field of string
---@field name string
---@field lo integer
---@field hi integer exclusive

---@class Reserved
---@field tier string
---@field lo integer
---@field hi integer exclusive
