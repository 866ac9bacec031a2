---@meta
-- The types of what readers are given, for editors with LuaLS. No script requires this file. See ../readers/README.md.

---@alias reader.At integer|reader.Json|false|nil a byte from 1, a value of JSON, the file as a whole; nil: the cursor

---@class reader.Spec
---@field name string
---@field summary? string
---@field extensions? string ".log .txt"; the first is the usual one
---@field gives "plan"|"graph"|"requests"|"moment"|"trace"
---@field allocator? string of requests: the planner that stands for it
---@field begins? string|string[] the text begins so; a blank in front: after blanks and empty lines
---@field has? string|string[] a line has it
---@field members? string[] a JSON object with all these keys
---@field any_bytes? boolean it need not be UTF-8
---@field read fun(input: reader.Input, output: reader.Graph|reader.Requests|reader.Trace)

stowage.most_tiers = 0
stowage.most_bytes = 0
---@param spec reader.Spec
function stowage.reader(spec) end

--- The input is refused, with a message at a place.
---@param at reader.At
---@param format string
---@param ... any
function fail(at, format, ...) end
--- A note on what was read.
---@param format string
---@param ... any
function note(format, ...) end
--- A number as notes have it.
---@param bytes integer
---@return string
function count(bytes) end
--- A name of the input as messages show it.
---@param name string
---@return string
function quote(name) end
--- The beginning of a text, with no character cut in two.
---@param text string
---@param most integer bytes
---@return string
function cut(text, most) end
--- Names that must be unique: the function gives a name, or with a number behind it where it gave it before.
---@return fun(name: string): string
function unique() end
--- When this reader returns, the reader of that name reads the input.
---@param name string
function instead(name) end

---@class reader.Input
---@field name string of the file
---@field length integer bytes
local Input = {}
---@param lengths? boolean their lengths in place of their texts
---@return fun(): any, integer?, boolean? line or its length, where it begins, whether it has no end
function Input:lines(lengths) end
---@param pattern string of Lua
---@return fun(): integer?, ... where the line begins, and the captures
function Input:match(pattern) end
---@return fun(): table<string, string>?, table<string, integer>? a row by the names of its columns, and their places
function Input:rows() end
---@param place? integer
---@return integer
function Input:at(place) end
---@return integer
function Input:line() end
---@param text string
---@return boolean
function Input:word(text) end
---@param text string
---@return boolean
function Input:past(text) end
---@param text? string
---@return string
function Input:upto(text) end
---@param text string
---@return integer?
function Input:find(text) end
---@param pattern string %n a number, %x a hexadecimal one, %w a word, %s blanks
---@return any ... nil where it does not go on
function Input:read(pattern) end
---@param pattern string of Lua, at the cursor
---@return any ... its captures, or what it matches
function Input:take(pattern) end
---@param parts table[] {pattern, message} or {what, lowest, highest}
---@return any ... the captures and numbers of all
function Input:expect(parts) end
---@param at? integer
---@param length? integer
---@return string
function Input:bytes(at, length) end
---@param at integer
---@param length integer
---@return integer
function Input:little(at, length) end
---@param at integer
---@param length integer
---@return integer
function Input:big(at, length) end
---@param no_nulls? boolean null stands for nothing
---@return reader.Json
function Input:json(no_nulls) end
---@param name string of a file in the same folder
---@return reader.Input?
function Input:beside(name) end
---@param text? string
---@return integer? bytes of the shape of HLO at the cursor, or of the text
function Input:shape_size(text) end
---@return string? lines name{index}:first-last of a scheduled module of HLO
function Input:live_ranges() end
---@param at reader.At
---@param format string
---@param ... any
function Input:fail(at, format, ...) end

---@class reader.Json
local Json = {}
---@param key? string
---@return any
function Json:get(key) end
---@param key string
---@return reader.Json?
function Json:member(key) end
---@param key? string
---@return "object"|"list"|"text"|"integer"|"number"|"boolean"|"null"|nil
function Json:type(key) end
---@param keys string[] no others are there
---@return reader.Json
function Json:only(keys) end
---@return reader.Json
function Json:object() end
---@param ... string keys that are there
---@return reader.Json
function Json:need(...) end
---@param key? string
---@param lowest? integer
---@param highest? integer
---@return integer?
function Json:integer(key, lowest, highest) end
---@param key? string
---@return integer?
function Json:bytes(key) end
---@param key? string
---@return number?
function Json:number(key) end
---@param key? string
---@return string?
function Json:text(key) end
---@param key? string
---@return boolean
function Json:flag(key) end
---@param key? string
---@return fun(): reader.Json?
function Json:items(key) end
---@param key? string
---@return integer
function Json:count(key) end
---@return string[]
function Json:keys() end
---@param key string?
---@param format string
---@param ... any
function Json:fail(key, format, ...) end

---@class reader.Tier
---@field name string
---@field capacity? integer
---@field bandwidth? number
---@field latency? number
---@field at? reader.At

---@class reader.Buffer
---@field name string
---@field size? integer
---@field kind? string
---@field dtype? string
---@field first? integer
---@field last? integer
---@field pieces? integer[][] {first, last, lo, hi}
---@field tier? string
---@field tiers? string[]
---@field offset? integer
---@field alignment? integer
---@field output? boolean
---@field origin? string
---@field at? reader.At

---@class reader.Row of a finished plan; both times are inside
---@field name? string
---@field first integer
---@field last integer
---@field offset integer
---@field size integer
---@field tier? string
---@field kind? string
---@field dtype? string
---@field alignment? integer
---@field at? reader.At

---@class reader.Operator
---@field name string
---@field kind? string
---@field inputs? string[]
---@field outputs? string[]
---@field scratch? string[]
---@field after? string[]
---@field inplace? boolean results may be written over any argument
---@field pairs? string[][] {argument, result}
---@field macs? integer
---@field at? reader.At

---@class reader.Graph a graph, or a plan
local Graph = {}
---@param row reader.Row
function Graph:row(row) end
---@param word "none"|"same life"|"same start"|"any" which rows may have bytes in common
function Graph:share(word) end
---@param tier? string
---@return integer
function Graph:peak(tier) end
---@param tier reader.Tier
function Graph:tier(tier) end
---@param buffer reader.Buffer
function Graph:buffer(buffer) end
---@param operator reader.Operator
function Graph:operator(operator) end
---@param name string
function Graph:title(name) end
---@param buffer string
---@param name string
---@param lo integer
---@param hi integer
function Graph:part(buffer, name, lo, hi) end
---@param a string
---@param b string
---@param at? reader.At
function Graph:apart(a, b, at) end
---@param tier string
---@param lo integer
---@param hi integer
---@param at? reader.At
function Graph:reserve(tier, lo, hi, at) end

---@class reader.Requests
local Requests = {}
---@param alloc {id: string, size: integer, address: integer?, stream: integer?, origin: string?, at: reader.At}
---@return integer number of the buffer
function Requests:alloc(alloc) end
---@param id string|integer
---@param stream? integer
---@return boolean was it there?
function Requests:free(id, stream) end
---@param address integer
---@param size integer
---@param origin? string
---@return integer number of the buffer
function Requests:give(address, size, origin) end
---@param address integer
function Requests:take(address) end
---@param id string|integer
---@return integer? number
---@return boolean? others an older one of the same id is alive, too
function Requests:find(id) end
---@param id string|integer
function Requests:drop(id) end
---@param id string|integer
---@param text string
function Requests:origin(id, text) end
---@param size integer
function Requests:refuse(size) end
function Requests:empty() end
---@param size integer
---@param address? integer
function Requests:grow(size, address) end
---@param size integer
---@param address? integer
function Requests:shrink(size, address) end
---@param what {settings: string?, partial: boolean?, known: integer[][]?, windows: integer[][]?}
function Requests:recorded(what) end
---@param buffer reader.Buffer
function Requests:buffer(buffer) end
function Requests:done() end

---@class reader.Trace
---@field null userdata
local Trace = {}
---@param line table
function Trace:alloc(line) end
---@param line table
function Trace:free(line) end
---@param line table
function Trace:decision(line) end
---@param line table
function Trace:candidate(line) end
---@param line table
function Trace:state(line) end
---@param line table
function Trace:group(line) end
---@param line table
function Trace:operator(line) end
---@param line table
function Trace:buffer(line) end
---@param tier reader.Tier
function Trace:tier(tier) end
---@param run {planner: string?, model: string?, cut: boolean?, no_addresses: boolean?}
function Trace:done(run) end
