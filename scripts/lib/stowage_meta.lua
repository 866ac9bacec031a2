---@meta
-- The table `stowage` and the reports of experiments, for editors with LuaLS; nobody requires it.

---@class stowage.Tier
---@field name string
---@field capacity? integer bytes; none: no end
---@field bandwidth? number bytes per cycle
---@field latency? number cycles per access
---@field conflict? number

---@class stowage.GraphOptions
---@field capacity? integer of tier 0
---@field tiers? stowage.Tier[]
---@field inplace? "off"|"safe"|boolean

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
---@field problem fun(self: stowage.Graph): table

---@alias stowage.Column string|{key: string, title?: string, digits?: integer, bytes?: boolean}

---@class stowage.Plot
---@field title? string
---@field subtitle? string
---@field x? string
---@field y? string
---@field names? string[] of x = 1, 2, 3 ...
---@field log_x? boolean
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

---@class stowage
---@field version string
---@field load fun(path: string, options?: stowage.LoadOptions): stowage.Graph
---@field graph fun(graph: table, options?: stowage.GraphOptions): stowage.Graph
stowage = {}
