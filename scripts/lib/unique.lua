-- Names that must be unique although a file repeats them: unique() gives a function, of which the second "x" is called "x#2".
return function()
  local taken, number = {}, 1
  return function(name)
    local made = name
    while made == "" or taken[made] do
      number = number + 1
      made = name .. "#" .. number
    end
    taken[made] = true
    return made
  end
end
