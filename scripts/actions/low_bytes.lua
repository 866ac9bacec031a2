--- Segments that begin where few bytes are alive: what the steps before have made is nearly used up there, so a choice
--- on one side of the cut says little about the other. A cut is made at each step with fewer bytes alive than the steps
--- beside it.

return {
  name = "low bytes",

  boundaries = function(problem)
    local steps = {}
    for i = 2, problem.steps - 1 do
      local before, here, after = problem.operators[i - 1], problem.operators[i], problem.operators[i + 1]
      if here.live < before.live and here.live <= after.live then
        steps[#steps + 1] = here.step
      end
    end
    return steps
  end,
}
