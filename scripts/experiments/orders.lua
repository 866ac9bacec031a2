-- order-genetic against first-fit, best-fit and random-order, at equal evaluations: the peak, and how many
-- evaluations it takes to reach the best peak that any planner found. A run that never reaches it counts as
-- needing more than any other.
--   stowage run scripts/experiments/orders.lua models=mobilenet_v1 cores=4 seeds=5 evaluations=120
local words = require("words")

local MODELS = "resnet50,mobilenet_v1,mobilenet_v2,inception_v3,googlenet,densenet121"
-- On many cores an evaluation costs a hundred times as much: so many fit into three minutes.
local EVALUATIONS = {[1] = 2000, [4] = 2000, [16] = 120}
local function population_of(evaluations) return evaluations < 600 and 20 or 60 end

local function median(list)
  local sorted = {}
  for i, value in ipairs(list) do sorted[i] = value end
  table.sort(sorted)
  local low, high = sorted[(#sorted + 1) // 2], sorted[#sorted // 2 + 1]
  return (low + high) / 2
end

-- The best so far after `at` evaluations.
local function value_at(curve, at)
  local value = curve[1][2]
  for _, gain in ipairs(curve) do
    if gain[1] > at then break end
    value = gain[2]
  end
  return value
end

-- How many runs reach the best peak, and the median of the evaluations to it; nil when half do not.
local function reach(group, planner)
  local reached, needed = 0, {}
  for i, run in ipairs(group.runs) do
    local last = run[planner][#run[planner]]
    needed[i] = last[2] == group.best and last[1] or math.huge
    reached = reached + (last[2] == group.best and 1 or 0)
  end
  local middle = median(needed)
  return reached, middle < math.huge and middle or nil
end

-- A plain planner with a lower peak than any order tried; else by the medians; where those are level or
-- missing, by peaks seed by seed; else it is a tie.
local function verdict(group)
  if math.min(group.first_fit, group.best_fit) < group.best then
    return group.first_fit == group.best_fit and "both fits" or group.first_fit < group.best_fit and "first-fit"
           or "best-fit"
  end
  local genetic, random = group.median_genetic or math.huge, group.median_random or math.huge
  if genetic ~= random then return genetic < random and "order-genetic" or "random-order" end
  local balance = 0
  for _, run in ipairs(group.runs) do
    local a, b = run.genetic[#run.genetic][2], run.random[#run.random][2]
    balance = balance + (a < b and 1 or a > b and -1 or 0)
  end
  return balance > 0 and "order-genetic" or balance < 0 and "random-order" or "tie"
end

local function finish(group)
  group.best = math.huge
  for _, run in ipairs(group.runs) do
    for _, planner in ipairs{"genetic", "random"} do
      group.best = math.min(group.best, run[planner][#run[planner]][2])
    end
  end
  local function over(peak) return 100 * (peak / group.bound - 1) end
  group.over_first, group.over_best_fit, group.over = over(group.first_fit), over(group.best_fit), over(group.best)
  group.reached_genetic, group.median_genetic = reach(group, "genetic")
  group.reached_random, group.median_random = reach(group, "random")
  group.verdict = verdict(group)
end

-- The mean over the networks of value(group, evaluations), at so many evaluations.
local function mean_of(groups, cores, value, at)
  local sum, count = 0, 0
  for _, group in ipairs(groups) do
    if group.cores == cores then
      sum, count = sum + 100 * (value(group, at) / group.bound - 1), count + 1
    end
  end
  return {at, sum / count}
end

local function points_of(groups, cores, most, value)
  local points, at = {}, 1
  while at <= most do
    points[#points + 1] = mean_of(groups, cores, value, at)
    at = at < most and math.min(math.max(at + 1, at * 3 // 2), most) or most + 1
  end
  return points
end

local function draw(groups, cores, most, out)
  local function by_planner(planner)
    return function(group, at)
      local values = {}
      for i, run in ipairs(group.runs) do values[i] = value_at(run[planner], at) end
      return median(values)
    end
  end
  local function level(name)
    local function value(group) return group[name] end
    return {mean_of(groups, cores, value, 1), mean_of(groups, cores, value, most)}
  end
  out:plot(string.format("orders_%d.svg", cores), {
    title = string.format("Orders on %d core%s", cores, cores == 1 and "" or "s"),
    subtitle = "mean over the networks of the median over the seeds", log_x = true, x = "evaluations",
    y = "best peak so far, % over the bound", series = {
      {name = "order-genetic", points = points_of(groups, cores, most, by_planner("genetic"))},
      {name = "random-order", points = points_of(groups, cores, most, by_planner("random"))},
      {name = "first-fit", points = level("first_fit")},
      {name = "best-fit", points = level("best_fit")},
    }})
end

return {
  name = "orders",
  cases = function(args)
    local list = {}
    for cores in words(args.cores or "1,4,16") do
      for model in words(args.models or MODELS) do
        local wanted = args.evaluations or EVALUATIONS[tonumber(cores)] or 200
        local population = population_of(wanted)
        for seed = 1, args.seeds or 20 do
          list[#list + 1] = {model = model, cores = tonumber(cores), seed = seed, population = population,
                             generations = math.max(wanted // population - 1, 1)}
        end
      end
    end
    return list
  end,
  run = function(case)
    local graph = stowage.load(case.model, {args = {cores = case.cores}})
    local evaluations = case.population * (case.generations + 1)
    local genetic = graph:plan{planner = "order-genetic", seed = case.seed,
                               set = {choices = "plain", population = case.population, generations = case.generations, patience = 1000000}}
    local random = graph:plan{planner = "random-order", seed = case.seed, set = {evaluations = evaluations}}
    local row = {model = case.model, cores = case.cores, seed = case.seed, bound = genetic.lower_bound,
                 genetic = genetic.curve, random = random.curve, evaluations = evaluations}
    if case.seed == 1 then
      row.first_fit = graph:plan{planner = "first-fit"}.peak
      row.best_fit = graph:plan{planner = "best-fit"}.peak
    end
    return row
  end,
  report = function(rows, out)
    local groups, counts, plain = {}, {}, {}
    for _, row in ipairs(rows) do
      local group = groups[#groups]
      if not group or group.model ~= row.model or group.cores ~= row.cores then
        group = {model = row.model, cores = row.cores, bound = row.bound, first_fit = row.first_fit,
                 best_fit = row.best_fit, evaluations = row.evaluations, runs = {}}
        groups[#groups + 1] = group
      end
      if counts[#counts] ~= row.cores then counts[#counts + 1] = row.cores end
      table.insert(group.runs, row)
      for _, planner in ipairs{"genetic", "random"} do
        for _, gain in ipairs(row[planner]) do
          plain[#plain + 1] = {model = row.model, cores = row.cores, planner = planner, seed = row.seed,
                               evaluation = gain[1], peak = gain[2]}
        end
      end
    end
    for _, group in ipairs(groups) do finish(group) end
    out:text(string.format("%d seeds; peaks in percent over the lower bound:\n", #groups[1].runs))
    out:markdown(groups, {
      "model", "cores", "evaluations", {"bound", title = "lower bound", bytes = true}, {"over_first", title = "first-fit", digits = 1},
      {"over_best_fit", title = "best-fit", digits = 1}, {"over", title = "best found", digits = 1},
      {"reached_genetic", title = "order-genetic reaches it"}, {"median_genetic", title = "median evaluations", digits = 1},
      {"reached_random", title = "random-order reaches it"}, {"median_random", title = "median evaluations", digits = 1},
      {"verdict", title = "ahead"}})
    out:csv("orders.csv", plain, {"model", "cores", "planner", "seed", "evaluation", "peak"})
    for _, cores in ipairs(counts) do
      local most = 0
      for _, group in ipairs(groups) do
        if group.cores == cores then most = math.max(most, group.evaluations) end
      end
      draw(groups, cores, most, out)
    end
  end,
}
