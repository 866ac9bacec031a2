--- Arguments of a model or an experiment.
---
---     local arg = require("args")(..., {
---       batch = 1,                                  -- an integer
---       fused = true,                               -- a flag
---       alpha = { 1.0, min = 0.1, max = 2.0 },      -- a number within a range
---       version = { 1.5, choices = { 1, 1.5 } },    -- one of these
---     })
---
--- The type of the default is the type of the argument. What the user gave is checked: an unknown name, a
--- wrong type or a value out of range is an error that says what is known. Reading a name that was not
--- declared is an error too.

---@alias ArgValue integer|number|boolean|string

---@class ArgRule a default with its limits
---@field [1] ArgValue
---@field min? number
---@field max? number
---@field choices? ArgValue[]

--- Limits of names that mean the same in every script; they hold when only a default is given.
---@type table<string, { min: integer?, max: integer?, choices: ArgValue[]? }>
local common = {
  batch = { min = 1, max = 65536 },
  cores = { min = 1, max = 64 },
  size = { min = 1, max = 65536 },
  classes = { min = 1, max = 1 << 24 },
  split = { choices = { "rows", "channels" } },
  sync = { choices = { "data", "step" } },
  dtype = {
    choices = { "int4", "int8", "uint8", "int16", "int32", "float8", "float16", "bfloat16", "float32", "float64" },
  },
}

---@param list any[]
---@return string
local function listing(list)
  local words = {}
  for i, value in ipairs(list) do
    words[i] = tostring(value)
  end
  return table.concat(words, ", ")
end

---@param declared table<string, any>
---@return string[]
local function sorted_names(declared)
  local names = {}
  for name in pairs(declared) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

---@param default ArgValue
---@return string
local function type_of(default)
  return math.type(default) or type(default)
end

--- The value as the type of the default, or nil.
---@param value any
---@param wanted string
local function convert(value, wanted)
  if wanted == "integer" then
    return math.type(value) and math.tointeger(value) or nil
  elseif wanted == "float" then
    return math.type(value) and value + 0.0 or nil
  elseif wanted == "string" and math.type(value) then
    return tostring(value)
  end
  if type(value) == wanted then
    return value
  end
  return nil
end

---@param name string
---@param value ArgValue
---@param rule table
local function check_limits(name, value, rule)
  if rule.choices then
    for _, choice in ipairs(rule.choices) do
      if choice == value then
        return
      end
    end
    error(("argument %s: %s is none of %s"):format(name, tostring(value), listing(rule.choices)), 0)
  end
  if type(value) ~= "number" then
    return
  end
  if value ~= value or (rule.min and value < rule.min) or (rule.max and value > rule.max) then
    error(("argument %s: %s is not in %s..%s"):format(name, tostring(value), tostring(rule.min or ""),
      tostring(rule.max or "")), 0)
  end
end

---@param given table<string, ArgValue>? what the user gave
---@param declared table<string, ArgValue|ArgRule>
---@return table<string, any>
return function(given, declared)
  given = given or {}
  if type(given) ~= "table" or type(declared) ~= "table" then
    error("args: it is called as require(\"args\")(..., {name = default}), with two tables", 0)
  end
  local names, values = sorted_names(declared), {}
  for _, name in ipairs(sorted_names(given)) do
    if declared[name] == nil then
      error(("unknown argument %s; known are %s"):format(tostring(name), listing(names)), 0)
    end
  end
  for _, name in ipairs(names) do
    local rule = declared[name]
    local default = type(rule) == "table" and rule[1] or rule
    if type(rule) ~= "table" then
      rule = common[name] or {}
    end
    local value = default
    if given[name] ~= nil then
      value = convert(given[name], type_of(default))
      if value == nil then
        error(("argument %s: %s is not %s %s"):format(name, tostring(given[name]),
          type_of(default) == "integer" and "an" or "a", type_of(default)), 0)
      end
      check_limits(name, value, rule)
    end
    values[name] = value
  end
  return setmetatable(values, {
    __index = function(_, name)
      error(("argument %s was not declared"):format(tostring(name)), 2)
    end,
  })
end
