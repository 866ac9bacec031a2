---@meta
-- The types of what scripts are given, for editors with LuaLS. No script requires this file.

---@class stowage.Tier
---@field id integer from 1
---@field name string
---@field capacity integer? bytes; nil: no end
---@field bandwidth number bytes per cycle
---@field latency number cycles per access
---@field conflict number

---@class stowage.Buffer
---@field id integer from 1
---@field name string
---@field kind "input"|"output"|"constant"|"intermediate"|"scratch"
---@field dtype string?
---@field size integer bytes
---@field alignment integer
---@field first integer the first step of its life
---@field last integer the last one
---@field planned boolean
---@field accesses integer[] steps
---@field shape integer[]
---@field tier string? the tier it is fixed to
---@field tiers string[] those it may live in

---@class stowage.Operator
---@field id integer from 1
---@field step integer
---@field name string
---@field kind string?
---@field core string?
---@field inputs string[]
---@field outputs string[]
---@field scratch string[]
---@field window? {kernel: integer[], stride: integer[], dilation: integer[], pad: integer[], axis: integer} none: not known
---@field macs integer multiply-adds
---@field live? integer bytes alive at its step; none on several cores

---@class stowage.Problem
---@field name string
---@field steps integer
---@field lower_bound integer bytes
---@field bound_step integer
---@field naive integer bytes
---@field buffers stowage.Buffer[]
---@field operators stowage.Operator[]
---@field tiers stowage.Tier[]

---@class stowage.Decision
---@field step integer from 1
---@field kind string
---@field buffer string?
---@field other string?
---@field tier string?
---@field offset integer?
---@field size integer
---@field time integer? a step of time
---@field group integer?
---@field amount integer
---@field peak integer
---@field peak_before integer
---@field live integer
---@field bound integer
---@field cost number?
---@field candidates integer
---@field reason string?
---@field action string?
---@field forced boolean

---@class stowage.Place
---@field buffer string
---@field tier string
---@field offset integer
---@field size integer
---@field first integer
---@field last integer

---@class stowage.Space
---@field lo integer
---@field hi integer? nil: no end
---@field start integer lo, aligned for the buffer that asked

---@alias stowage.Which string|integer|table a name, an id, or the table itself

---@class stowage.Layout
local Layout = {}
---@param buffer stowage.Which
---@param step integer?
---@return stowage.Place?
function Layout:at(buffer, step) end
---@param tier stowage.Which
---@param step integer
---@return stowage.Place[]
function Layout:blocks(tier, step) end
---@param buffer stowage.Which
---@param tier stowage.Which
---@param first integer?
---@param last integer?
---@return stowage.Space[]
function Layout:free(buffer, tier, first, last) end
---@param tier stowage.Which?
---@return integer bytes
function Layout:peak(tier) end
---@return stowage.Place[]
function Layout:placements() end
---@param step integer
---@return {buffer: string, tier: string, offset: integer, size: integer, write: boolean}[]
function Layout:accesses(step) end
---@return {buffer: string, step: integer, from: string?, to: string?}[]
function Layout:transfers() end
---@return stowage.Problem
function Layout:problem() end

-- In experiments, for `stowage run`.

---@class stowage.GraphOptions
---@field capacity? integer of tier 0
---@field tiers? table[] {name, capacity, bandwidth, latency, conflict}
---@field inplace? "off"|"safe"|boolean
---@field order? string[] the names of all operators, as they are to run
---@field moves? stowage.Move[] in that order

---@class stowage.Move
---@field kind "strips"|"order"
---@field first? string of strips: an operator
---@field last? string another, behind it; first
---@field strips? integer from 2 on
---@field way? "discard"|"pad" how padding stays right; discard
---@field mode? "halo"|"keep"|"loop" rows that two strips need are computed twice, or kept; or strips run in a loop
---@field padded? string[] operators that are padded; with way "pad" all where it is missing
---@field kept? string[] operators that keep their rows; all where it is missing
---@field backwards? boolean from the last strip to the first
---@field ends? integer[] where strips of unequal length end
---@field lead? integer rows before a loop
---@field rows? integer of each round
---@field operators? string[] of an order: all operators, as they are to run

---@class stowage.Model
---@field head integer bytes that are planned
---@field bound integer no plan has less
---@field arena integer with what lies outside of the plan
---@field macs integer
---@field operators integer
---@field work number multiply-adds, over those of the graph
---@field moves stowage.Move[]
---@field by? string which of the script's own moves has chosen them
---@field cost? number

---@alias stowage.Try fun(moves: stowage.Move[]): stowage.Model?, string? the model, or why there is none
---@alias stowage.Search fun(problem: stowage.Problem, try: stowage.Try, models: stowage.Model[])

---@class stowage.FitOptions
---@field capacity? integer
---@field capacity_of? "head"|"arena" arena
---@field max_macs? number so many times the graph's own
---@field max_operators? integer
---@field moves? ("strips"|stowage.Search|{name: string?, search: stowage.Search})[] all kinds
---@field cost? fun(model: stowage.Model): number what is better
---@field work? integer
---@field seed? integer

---@class stowage.Fit
---@field models stowage.Model[] as it is, then those that need less
---@field chosen integer of models
---@field fits boolean
---@field capacity? integer
---@field capacity_of "head"|"arena"
---@field least? integer no choice of the engine's strips needs less
---@field refused {operator: string, reason: string}[]
---@field stopped boolean

---@class stowage.Order: string[] names of operators, as they run
---@field live_peak integer bytes alive at most
---@field live_peak_before integer in the order of the graph
---@field bound integer every order needs as much
---@field proved boolean
---@field operator string it runs with held_bytes alive in every order
---@field held_bytes integer
---@field held {buffer: string, forced: boolean}[]
---@field moves {operator: string, from: integer, to: integer, undone_peak: integer?}[]

---@class stowage.LoadOptions: stowage.GraphOptions
---@field args? table<string, string|number|boolean> of a model in Lua

---@class stowage.PlanOptions: stowage.GraphOptions
---@field planner? string
---@field seed? integer
---@field set? table<string, string|number|boolean>
---@field work? integer

---@class stowage.Result
---@field planner string
---@field feasible boolean
---@field reason? string why not
---@field optimal boolean
---@field peak? integer none: not everything has a place
---@field tier_peaks? table<string, integer>
---@field lower_bound integer
---@field naive integer
---@field cost? number E
---@field migration_bytes? integer
---@field migration_bound? integer
---@field decisions integer
---@field work integer
---@field details table
---@field evaluations? integer
---@field curve? {[1]: integer, [2]: integer}[] evaluation, best so far

---@class stowage.Graph
---@field name string
---@field lower_bound integer
---@field naive integer
---@field plan fun(self: stowage.Graph, options?: stowage.PlanOptions): stowage.Result
---@field with fun(self: stowage.Graph, options: stowage.GraphOptions): stowage.Graph
---@field order fun(self: stowage.Graph, options?: {sets?: integer, arcs?: integer}): stowage.Order
---@field fit fun(self: stowage.Graph, options?: stowage.FitOptions): stowage.Fit
---@field problem fun(self: stowage.Graph): table

---@alias stowage.Column string|{key: string, title?: string, digits?: integer, bytes?: boolean}

---@class stowage.Plot
---@field title? string
---@field subtitle? string
---@field x? string
---@field y? string
---@field names? string[] of x = 1, 2, 3 ...
---@field log_x? boolean
---@field log_y? boolean
---@field bytes_x? boolean
---@field bytes_y? boolean
---@field series {name: string, points: number[][]}[]

---@class stowage.Out
---@field text fun(self: stowage.Out, line?: string)
---@field table fun(self: stowage.Out, rows: table[], columns?: stowage.Column[])
---@field markdown fun(self: stowage.Out, rows: table[], columns?: stowage.Column[])
---@field csv fun(self: stowage.Out, name: string, rows: table[], columns?: stowage.Column[])
---@field plot fun(self: stowage.Out, name: string, plot: stowage.Plot)

---@class stowage.Experiment
---@field name? string
---@field cases fun(args: table<string, string|number|boolean>): table[]
---@field run fun(case: table): table
---@field report fun(rows: table[], out: stowage.Out, cases: table[])

-- In the explorer and in --script FILE.lua.
---@class stowage
---@field version string
stowage = {}
---@param line string as at the prompt
---@return string status
function stowage.command(line) end
---@param step integer?
---@return stowage.Decision?
function stowage.decision(step) end
---@return stowage.Problem
function stowage.problem() end
---@return stowage.Layout good until the next command
function stowage.layout() end
---@return integer
function stowage.step() end
---@return integer
function stowage.known() end
---@return string
function stowage.digest() end

-- In experiments.
---@param path string
---@param options? stowage.LoadOptions
---@return stowage.Graph
function stowage.load(path, options) end
---@param graph table
---@param options? stowage.GraphOptions
---@return stowage.Graph
function stowage.graph(graph, options) end
