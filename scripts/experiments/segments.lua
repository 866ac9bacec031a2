-- segment-genetic against farthest-next-use over memory sizes: bytes moved in and out while a small CNN
-- trains, beside what no plan can save.
--   stowage run scripts/experiments/segments.lua model=train_cnn from=60 to=100 by=20 seeds=2
return {
  name = "segments",
  cases = function(args)
    local list = {}
    for part = args.from or 30, args.to or 100, args.by or 10 do
      list[#list + 1] = {model = args.model or "train_cnn", part = part, seeds = args.seeds or 5}
    end
    return list
  end,
  run = function(case)
    local graph = stowage.load(case.model)
    local size = graph.lower_bound * case.part // 100
    local bounded = graph:with{capacity = size}
    local reference = bounded:plan{planner = "farthest-next-use"}
    local row = {model = case.model, part = case.part, size = size, seeds = case.seeds,
                 bound = reference.migration_bound, reference = reference.migration_bytes, found = {}}
    for seed = 1, case.seeds do
      local result = bounded:plan{planner = "segment-genetic", seed = seed}
      if result.feasible then row.found[#row.found + 1] = result.migration_bytes end
    end
    return row
  end,
  report = function(rows, out)
    local function over(row, value)
      if value and row.reference and row.reference > 0 then return value / row.reference end
    end
    local bound, reference, best = {}, {}, {}
    for _, row in ipairs(rows) do
      table.sort(row.found)
      row.best, row.median = row.found[1], row.found[(#row.found + 1) // 2]
      row.times = over(row, row.median)
      row.fits = #row.found .. " of " .. row.seeds
      if row.bound then bound[#bound + 1] = {row.size, row.bound} end
      if row.reference then reference[#reference + 1] = {row.size, row.reference} end
      if row.median then best[#best + 1] = {row.size, row.median} end
    end
    local columns = {{"part", title = "memory, % of bound"}, {"size", title = "memory", bytes = true},
                     {"bound", title = "least possible", bytes = true},
                     {"reference", title = "farthest-next-use", bytes = true},
                     {"best", title = "segment-genetic, best", bytes = true},
                     {"median", title = "median", bytes = true}, {"times", title = "median over farthest", digits = 2},
                     {"fits", title = "found a plan"}}
    out:text("Bytes moved for " .. rows[1].model .. ", by memory size:\n")
    out:markdown(rows, columns)
    out:text("\nfarthest-next-use counts bytes as if no place ever had to be in one piece; segment-genetic gives addresses.")
    out:csv("segments.csv", rows, {"model", "part", "size", "bound", "reference", "best", "median"})
    out:plot("segments.svg", {title = "Bytes moved, by memory size", subtitle = rows[1].model, x = "memory",
                              y = "bytes moved", bytes_x = true, bytes_y = true, series = {
      {name = "segment-genetic, median", points = best}, {name = "farthest-next-use", points = reference},
      {name = "least possible", points = bound}}})
  end,
}
