#!/usr/bin/env bash
# The user's config: where it is looked for, what wins, what is wrong in it; and that nothing is kept
# without a terminal. (test_keep and test_pty look at the terminal.)
. "$(dirname "$0")/lib.bash"
small=$SOURCE/tests/tui/models/small.json
mine=$XDG_CONFIG_HOME/stowage/config.lua
mkdir -p "${mine%/*}"

# The example of the README, as it stands there.
awk '/^```lua$/ { inside = 1; text = ""; next } /^```$/ { if (inside && text ~ /Ctrl-N/) printf "%s", text; inside = 0 }
    inside { text = text $0 "\n" }' "$SOURCE/app/tui/explorer.md" >"$mine"
check "the README has an example" [ -s "$mine" ]
run list keys
check "the example: exit 0" exits 0
check "a key with arguments" says '^Ctrl-N +step 10  '
check "a key of one's own" says '^F2 +pane blame  '
run list keys --format json
check "a key that does nothing is not listed" json 'all(.[]; .key != "x")'
check "the others are as they were" json 'map(select(.key == "s" and .command == "step")) | length == 1'
run list commands --format json
check "commands have their keys" json 'map(select(.name == "choose")) | .[0].keys == ""'
run list keys --config none
check "none: the keys that ship" says '^x +choose  '
check "none: no other" [ -z "$(grep Ctrl-N "$tmp/out")" ]
HOME=$tmp/folder
mkdir -p "$HOME/.config/stowage"
echo 'return { keys = { F5 = "back" } }' >"$HOME/.config/stowage/config.lua"
for folder in '' relative/folder; do
    XDG_CONFIG_HOME=$folder HOME=$HOME run list keys
    check "without XDG_CONFIG_HOME ('$folder') it is in the home" says '^F5 +back  '
done

frame() { run "$small" -p first-fit --screen 100x30 "$@"; }
frame
cp "$tmp/out" "$tmp/plain"
check "a frame is the same for every user" exits 0
check "and has no settings" [ -z "$(grep 'by birth' "$tmp/out")" ]
echo 'return { ascii = true, pane = "buffers", keys = { y = "last", s = false } }' >"$tmp/c.lua"
frame --config "$tmp/c.lua"
check "but those that are asked for" says 'of 10 buffers, by birth'
check "in ASCII" [ -z "$(LC_ALL=C grep -P '[\x80-\xff]' "$tmp/out")" ]
frame --config none
check "none is none" cmp -s "$tmp/plain" "$tmp/out"
echo 'key y' >"$tmp/script"
frame --config "$tmp/c.lua" --script "$tmp/script"
check "keys of one's own in scripts" says 'decision 10/10'
echo 'return { ascii = false, theme = "light" }' >"$tmp/c.lua"
frame --config "$tmp/c.lua" --ascii
check "options win" [ -z "$(LC_ALL=C grep -P '[\x80-\xff]' "$tmp/out")" ]
frame --config "$tmp/c.lua" --theme nonsense
check "also when they are wrong" complains "there is no theme 'nonsense'"

# wrong TEXT LINE PATTERN: says so with the line, in the list and in the explorer.
wrong() {
    printf '%b' "$1" >"$tmp/c.lua"
    refuses "$1" "$small" --screen 80x24 --config "$tmp/c.lua" because "$tmp/c.lua:$2: $3"
    [ "${4-}" ] || refuses "$1" list keys --config "$tmp/c.lua" because "$tmp/c.lua:$2: $3"
}
wrong 'return {\n keys = {\n  x = "step",\n  ["x"] = "back" } }' 4 'keys\["x"\]: the key is bound twice'
wrong 'return {\n keys = {\n F5 = { x = 1 }, x = "step",\n x = "back" } }' 4 'keys\["x"\]: the key is bound twice'
wrong 'return {\n keys = { Crtl = "step" } }' 2 'keys\["Crtl"\]: there is no key'
wrong 'return {\n keys = { x = "stepp" } }' 2 'keys\["x"\]: there is no command .stepp.'
wrong 'return {\n keys = { x = "goto" } }' 2 'keys\["x"\]: usage: goto N'
wrong 'return {\n\n asci = true }' 3 'asci: unknown; there are: theme'
wrong 'return {\n theme = "nonsense" }' 2 "there is no theme 'nonsense'" explorer
wrong 'return {\n map = "paper" }' 2 "say pixels, symbols, cells or auto, not 'paper'" explorer
wrong 'return {\n pane = "nonsense" }' 2 "there is no pane 'nonsense'" explorer
wrong 'return {' 1 ''
printf 'return {\n name = "x",\n backgroundd = 1 }' >"$tmp/theme.lua"
printf 'return {\n theme = "%s" }' "$tmp/theme.lua" >"$tmp/c.lua"
refuses "a theme with a fault, of a config" "$small" --screen 80x24 --config "$tmp/c.lua" because "$tmp/theme.lua:3: backgroundd: unknown"
refuses "a config that is not there" list keys --config "$tmp/gone.lua" because "$tmp/gone.lua: "
refuses "an empty name" list keys --config= because "--config '': expected"
refuses "not for others" plan "$small" --config none because 'option --config does not belong to plan'
echo 'return 1' >"$mine"
refuses "the user's own" list keys because "$mine:1: a config returns one table"

echo 'recover' >"$tmp/script"
refuses "nothing to recover without a terminal" "$small" --screen 80x24 --script "$tmp/script" because '.*recover may not come from a script, only from: keys prompt'
check "nothing is kept without a terminal" [ ! -e "$XDG_STATE_HOME" ]
# Sentences name the keys in force: those of the panes, of messages, of the tour, of the help.
cat >"$tmp/keys.lua" <<'END'
return { keys = { w = false, ["\\"] = "pin", x = false, f = "first", c = false, F2 = "continue", s = false, F5 = "step",
    v = false, F6 = "pane", ["?"] = false, F1 = "help", Y = false, ["="] = false, F7 = "compare" } }
END
speaks() { # NAME COMMANDS TEXT: with the keys of keys.lua; without it the text is another
    printf '%b\n' "$2" >"$tmp/s"
    "$STOWAGE" "$small" -p first-fit --screen 160x48 --config none --script "$tmp/s" >"$tmp/usual" 2>&1
    run "$small" -p first-fit --screen 160x48 --config "$tmp/keys.lua" --script "$tmp/s"
    cat "$tmp/err" >>"$tmp/out"
    check "$1" says "$3"
    check "$1: not the usual key" [ -z "$(grep -E "$3" "$tmp/usual")" ]
}

speaks "the pane of branches" 'pane branches\nwhole' 'made by \\ pin, :forbid forbid, :choose choose'
speaks "a breakpoint" 'break size > 1' 'F2 continues to it'
speaks "nothing to copy" 'copy' 'F5 makes a decision'
speaks "a key without a command" 'key w' 'F1 shows all keys'
speaks "the tour" 'tour' 'Press F5'
speaks "runs side by side" 'compare best-fit' 'F7 compares others'
speaks "the signs of the map" 'help map' ':ghosts hides them'
"$STOWAGE" list commands --format json --config none >"$tmp/commands"
for pane in $("$STOWAGE" "$small" --screen 80x24 --script <(echo 'pane nosuch') 2>&1 | sed -n 's/.*there are: //p' | tr -d ,); do
    check "the help of pane names $pane" grep -qE "\"Show another pane[^\"]*[ ]$pane[,;]" "$tmp/commands"
done
finish
