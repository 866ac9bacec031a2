-- What does the order of the operators cost? For each network the most bytes alive in the order in which it is
-- written, and in the best order; the bound that every order needs; and what plans of both orders need.
--   stowage run scripts/experiments/schedules.lua models=randwire,darts seed=3
local words = require("words")

local MODELS = "resnet50,inception_v3,densenet121,unet,transformer_encoder,gpt_decoder,randwire,darts,nasnet," ..
               "train_cnn,train_transformer"

return {
  name = "schedules",
  cases = function(args)
    local list = {}
    for model in words(args.models or MODELS) do
      list[#list + 1] = {model = model, seed = model == "randwire" and args.seed or nil}
    end
    return list
  end,
  run = function(case)
    local graph = stowage.load(case.model, {args = {seed = case.seed}})
    local order = graph:order()
    local other = graph:with{order = order}
    local matters = order.moves[1]
    return {model = case.model, operators = #order, before = order.live_peak_before, best = order.live_peak,
            bound = order.bound, proved = order.proved, moved = #order.moves,
            planned_before = graph:plan().peak, planned = other:plan().peak,
            matters = matters and (matters.undone_peak or 0) > order.live_peak and matters.operator or nil}
  end,
  report = function(rows, out)
    local names, before, best = {}, {}, {}
    for i, row in ipairs(rows) do
      names[i] = row.model
      row.saved = 100 * (1 - row.best / row.before)
      before[i], best[i] = {i, 100}, {i, 100 * row.best / row.before}
    end
    out:text("The most bytes alive at a step, in the order as written and in the best one that was found:\n")
    out:markdown(rows, {
      "model", "operators", {"before", title = "as written", bytes = true}, {"best", title = "best order", bytes = true},
      {"saved", title = "saved, %", digits = 1}, {"proved", title = "no order needs less"}, "moved",
      {"matters", title = "the move that matters most"}, {"planned_before", title = "planned, as written", bytes = true},
      {"planned", title = "planned, best order", bytes = true},
    })
    out:csv("schedules.csv", rows, {"model", "operators", "before", "best", "bound", "proved", "moved", "planned_before",
                                    "planned"})
    out:plot("schedules.svg", {title = "What the order of the operators costs", y = "most bytes alive, % of as written",
                               names = names, series = {{name = "as written", points = before},
                                                        {name = "best order", points = best}}})
  end,
}
