-- tt-mlir's decision trace, FUNCTION_decision_trace.json, version 3: how the layouts of operators were chosen, and which results were thrown
-- out of L1 after that.
--
-- Three passes leave their marks. The forward pass tries layouts for each operator and keeps the best few; the backward pass settles
-- operators with several readers; the spill pass walks through the schedule and counts the bytes in L1. None of them tells an address, so
-- that nothing has a place here: the decisions are shown in their own words, and what is in L1 lives from `live_added` to `dead_removal` or
-- `eviction`.
local shown = require "shown"

local LARGEST_RANK <const> = (1 << 31) - 1
local LONGEST <const> = 100 -- bytes of an operator's name

-- The numbers and truths of an object, in the order of the file.
local function figures_of(object, into)
  for _, key in ipairs(object and object:type() == "object" and object:keys() or {}) do
    local kind = object:type(key)
    if kind == "integer" or kind == "number" then
      into[#into + 1] = { key, object:get(key) }
    elseif kind == "boolean" then
      into[#into + 1] = { key, object:get(key) and 1 or 0 }
    end
  end
  return into
end

stowage.reader {
  name = "tt-mlir",
  summary = "tt-mlir's FUNCTION_decision_trace.json, version 3: layouts and spills, without addresses",
  extensions = ".json",
  members = {"beamWidth", "forwardPass", "finalChoices"},
  gives = "trace",

  read = function(input, trace)
    local name_of, latest = unique(), {} -- latest: by the text of the operator
    local said = "" -- a reason on its way
    local budget, replaced, strangers = 0, 0, 0

    local function say(between, text)
      if text ~= "" then said = said .. (said ~= "" and between or "") .. text end
    end

    local function take_said()
      local text = said ~= "" and said or nil
      said = ""
      return text
    end

    local function figures_or_nil(list)
      return #list > 0 and list or nil
    end

    -- The members of a score in a sentence, behind `before`: "coreCount 32, isL1, not isSharded".
    local function say_score(score, before)
      local any = said == ""
      for _, key in ipairs(score and score:type() == "object" and score:keys() or {}) do
        local kind, value = score:type(key), score:get(key)
        if kind == "integer" or kind == "number" or kind == "boolean" then
          said = said .. (any and (said ~= "" and ", " or "") or before) .. (value == false and "not " or "") .. key ..
            (kind == "integer" and (" %d"):format(value) or kind == "number" and (" %g"):format(value) or "")
          any = true
        end
      end
    end

    local function say_names(item, key, before)
      local first = true
      for one in item:items(key) do
        local text = one:type() == "text" and one:get() or ""
        if first then
          say("; ", text ~= "" and before or "")
          said = said .. text
        else
          say(", ", text)
        end
        first = false
      end
    end

    local function put_table(name, columns, rows)
      if #rows > 0 then trace:state { name, columns = columns, rows = rows, at = false } end
    end

    -- ---- the forward pass ----

    local function read_evaluation(item)
      item:object()
      local hint, valid = item:text("hint") or "", item:flag("valid")
      local failure, output = item:text("failureReason") or "", item:text("output") or ""
      say("; ", failure)
      say("; ", output)
      say_names(item, "inputs", "inputs ")
      say_score(item:member("score"), "; ")
      trace:candidate { hint, verdict = valid and "fits" or "refused", reason = take_said(), at = false }
    end

    local function read_beam(item)
      local rank = item:object():integer("rank", 0, LARGEST_RANK) or 0
      local layout = item:text("outputLayout") or ""
      said = "rank " .. rank .. " of the beam"
      say_score(item:member("score"), ": ")
      trace:candidate { layout, verdict = rank == 0 and "chosen" or "fits", reason = take_said(), at = false }
    end

    -- One row of a table: operand, how many from where, and which.
    local function read_inputs(item)
      item:object()
      local row = {}
      for i, key in ipairs { "operandIndex", "fromProducerBeam", "fromReshard" } do
        row[i] = item:integer(key, 0, math.maxinteger) or 0
      end
      say_names(item, "candidates", "")
      row[4] = take_said() or ""
      return row
    end

    local function read_operator(item)
      local rows, best = {}, ""
      item:object()
      local name, location = item:text("opName") or "", item:text("opLocation") or ""
      for one in item:items("evaluations") do
        read_evaluation(one)
      end
      for one in item:items("beam") do
        read_beam(one)
      end
      local first = item:items("beam")()
      if first and first:type("outputLayout") == "text" then best = first:text("outputLayout") end
      say("", name)
      say(" at ", location)
      say(": ", best)
      local figures = figures_of(item:member("outputHints"), figures_of(item, {}))
      trace:decision { "layout", reason = take_said(), figures = figures_or_nil(figures), at = item }
      for one in item:items("inputCandidateSets") do
        rows[#rows + 1] = read_inputs(one)
      end
      put_table("input candidates", { "operand", "from the beam", "from reshards", "layouts" }, rows)
    end

    local function read_edge(item)
      item:object()
      local reshard, layout, row = item:flag("hasReshard"), item:text("reshardLayout") or "", {}
      for i, key in ipairs { "producerOpIndex", "producerResultIndex", "consumerOpIndex", "operandIndex" } do
        row[i] = item:integer(key) or trace.null
      end
      row[5], row[6] = reshard, layout
      return row
    end

    -- ---- the backward pass, and what came of both ----

    local function read_fork(item)
      item:object()
      local name, location = item:text("opName") or "", item:text("opLocation") or ""
      local readers = item:items("consumerOpIndices")
      say("", name)
      say(" at ", location)
      local between = "; read by "
      for one in readers do
        say("", between)
        say("", ("%d"):format(one:type() == "integer" and one:get() or 0))
        between = ", "
      end
      trace:decision { "resolve fork", reason = take_said(), figures = figures_or_nil(figures_of(item, {})), at = item }
    end

    local function read_choice(item)
      item:object()
      local name, layout = item:text("opName") or "", item:text("chosenLayout") or ""
      say("", name)
      say(": ", layout)
      trace:decision { "final choice", reason = take_said(), figures = figures_or_nil(figures_of(item, {})), at = item }
    end

    -- ---- the spill pass ----

    -- An operator's text is all of it as MLIR prints it, of many lines: the name is the beginning of the first.
    local function make_name(text)
      local line = text:match("^[^\n]*")
      if #line > LONGEST then
        local stop = LONGEST
        while stop > 0 and line:byte(stop + 1) & 0xc0 == 0x80 do
          stop = stop - 1
        end
        line = line:sub(1, stop)
      end
      return name_of(text == "" and "?" or shown(line))
    end

    local function find_live(text)
      local found = latest[text]
      return found and found.live and found or nil
    end

    local function put_free(buffer, item)
      trace:free { buffer.id, at = item }
      buffer.live = false
    end

    -- The result of an operator is in L1 from now on.
    local function add_live(text, size, item)
      local old = find_live(text)
      if old then
        replaced = replaced + 1
        put_free(old, item)
      end
      local fresh = { id = make_name(text), live = true }
      latest[text] = fresh
      trace:alloc { fresh.id, size = size, at = item }
      return fresh
    end

    local function read_event(item)
      item:object():need("action")
      local action, name, victim = item:text("action"), item:text("opName") or "", item:text("victimName") or ""
      local details, usage = item:text("details") or "", item:bytes("opL1Usage") or 0
      local before, after = item:bytes("occupiedL1Before") or 0, item:bytes("occupiedL1After") or 0
      local evicts, of = action == "eviction", nil
      if action == "live_added" then
        of = add_live(name, usage, item)
      elseif evicts or action == "dead_removal" then
        of = find_live(evicts and victim ~= "" and victim or name)
        if of then
          put_free(of, item)
        else
          strangers = strangers + 1
        end
      else
        of = find_live(name)
      end
      say("", of and "" or name)
      say("; ", details)
      if victim ~= "" and not (of and evicts) then
        say("; ", "victim ")
        said = said .. victim
      end
      trace:decision { action ~= "" and action or "?", buffer = of and of.id, reason = take_said(),
                       figures = figures_or_nil(figures_of(item, {})), at = item }
      trace:state { "L1", columns = { "occupied before", "occupied after", "budget" }, kinds = { "bytes", "bytes", "bytes" },
                    rows = { { before, after, budget } }, at = false }
    end

    local function read_spills(spills)
      local rows = {}
      budget = spills:object():bytes("budget") or 0
      if spills:count("events") > 0 then trace:group { "spill management", at = false } end
      for item in spills:items("events") do
        read_event(item)
      end
      for _, key in ipairs(spills:keys()) do
        if spills:type(key) == "integer" then rows[#rows + 1] = { key, spills:get(key) } end
      end
      put_table("spill management", { "figure", "value" }, rows)
    end

    -- ---- the whole ----

    local root = input:json():object()
    local model = root:text("functionName") or ""
    if root:get("version") ~= 3 or root:type("version") ~= "integer" then
      root:fail("version", "this is version 3 of tt-mlir's trace, and the file has another")
    end
    local spills, backward = root:member("spillManagement"), root:member("backwardPass")
    local events = spills and spills:type() == "object" and spills:count("events") or 0
    if events == 0 then -- without events there is no time but that of the operators
      for item in root:items("forwardPass") do
        local name = item:type() == "object" and item:type("opName") == "text" and item:text("opName") or ""
        trace:operator { name_of(name == "" and "?" or shown(name)), at = item }
      end
    end
    if root:count("forwardPass") > 0 then trace:group { "forward pass", at = false } end
    for item in root:items("forwardPass") do
      read_operator(item)
    end
    local rows = {}
    for item in root:items("edges") do
      rows[#rows + 1] = read_edge(item)
    end
    put_table("edges", { "producer", "result", "consumer", "operand", "reshard", "layout" }, rows)
    if backward then
      if backward:type() ~= "object" then root:fail("backwardPass", "backwardPass must be an object") end
      if backward:count("forkResolutions") > 0 then trace:group { "backward pass", at = false } end
      for item in backward:items("forkResolutions") do
        read_fork(item)
      end
    end
    if root:count("finalChoices") > 0 then trace:group { "final choices", at = false } end
    for item in root:items("finalChoices") do
      read_choice(item)
    end
    if spills then read_spills(spills) end

    note("tt-mlir's trace has no addresses, so that nothing has a place; bytes are per core")
    if budget > 0 then
      note("the budget of L1 is %d bytes a core; occupied, by its own count, is what the table L1 has", budget)
    end
    if events == 0 then
      note("the pass that spills did not run, or left nothing: what is in L1, and when, is not known")
    else
      note("what is in L1 lives from live_added to dead_removal or eviction; its size is what L1 holds of it")
    end
    if replaced > 0 then
      note("%d time%s what is in L1 is added again: the schedule was walked once more, and the older one ends there", replaced,
        replaced == 1 and "" or "s")
    end
    if strangers > 0 then note("%d removal%s of what was not added", strangers, strangers == 1 and "" or "s") end
    trace:done { model = model ~= "" and model or nil, no_addresses = true }
  end,
}
