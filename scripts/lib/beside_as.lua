-- The file beside the input with its name, in which the last `own` is another word; nil where there is none. A hyphen before `own` goes
-- where the word is empty.
return function(input, own, word)
  local before, behind = input.name:match("^(.*)" .. own:gsub("%-", "%%-") .. "(.*)$")
  if not before then return end
  local name = (word == "" and before:gsub("%-$", "") or before) .. word .. behind
  return name ~= "" and input:beside(name) or nil
end
