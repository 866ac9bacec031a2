#!/usr/bin/env bash
# Adding a planner, a view, a format, a command and a kind of decision is a file and a line each: the templates of
# additions/ are added to a copy of the sources, and the program built from it lists them, plans with, reads, draws and runs them.
. "$(dirname "$0")/lib.bash"
cp -r "$SOURCE/app" "$SOURCE/engine" "$SOURCE/meson.build" "$SOURCE/meson_options.txt" "$tmp"
cd "$tmp" || exit 1
templates=$SOURCE/tests/cli/additions

cp "$templates/planner.c" engine/planners/greedy/template_fit.c
echo 'PLANNER(sw_template_fit, "greedy/template_fit.c")' >>engine/planners/planners.def
cp "$templates/view.c" app/view/panes/template_view.c
last=$(grep -oE ', [0-9]+\)$' app/view/views.def | tr -dc '0-9\n' | sort -n | tail -1)
echo "VIEW(sw_view_template, \"panes/template_view.c\", $((last + 1)))" >>app/view/views.def
cp "$templates/format.c" app/formats/graphs/template_format.c
echo 'FORMAT(sw_format_template, "formats/graphs/template_format.c")' >>app/formats.def
cp "$templates/command.c" app/command/look/template_command.c
sed -i "s|'look/panes.c'|&, 'look/template_command.c'|" app/command/meson.build
echo 'X(greet, "greet", "", "", "", 0, DIRECT, "Looking", "From the template of the tests.")' >>app/command/commands.def
echo 'DECISION(APPLAUD, applaud, "applaud", "the tests are pleased",
         OPERAND(count, hands, AMOUNT),
         "applauds with {hands} hand{hands~s}{why}")' >>engine/search/decisions.def

mkdir themes
cp "$SOURCE"/themes/*.lua themes
sed 's/name = "[^"]*"/name = "template"/' themes/dark.lua >themes/template.lua
echo 'THEME(template)' >>app/lua/themes.def

# As a person would build it, but quickly.
mkdir -p tests/fuzz
cp "$SOURCE/tests/fuzz/meson.build" tests/fuzz
touch tests/meson.build
cp -r "$SOURCE/scripts" .
check "meson takes the sources" meson setup build -Dwerror=true -Ddebug=false -Doptimization=0 -Dtogether=1000
ninja -C build stowage >compiled.log 2>&1
built=$?
check "the templates and what depends on the tables compile without a warning: $(grep -m5 error: compiled.log)" same 0 "$built"
STOWAGE=$tmp/build/stowage
export STOWAGE_DATA=$tmp
model=$SOURCE/scripts/models/example1.json

cp "$SOURCE/tests/sources.sh" tests
check "all is compiled, and every sentence speaks of its operands" same "" "$(bash tests/sources.sh 2>&1)"
sed -i.kept 's/{hands~s}/{hand~s}/' engine/search/decisions.def
check "a misspelt operand is told" same "the sentence of APPLAUD has {hand}, which is none of its operands" \
    "$(bash tests/sources.sh 2>&1 | cut -d' ' -f2-)"
mv engine/search/decisions.def.kept engine/search/decisions.def

run list planners
check "the planner is listed" says '^template-fit '
run list views
check "the view is listed" says '^template '
run list formats
check "the format is listed" says '^template '
run list commands
check "the command is listed" says '^greet '
run list params -p template-fit
check "the parameter is listed" says 'cheer '
run list themes
check "the theme is listed" says '^template '
run plan "$model" -p template-fit
check "the planner plans" exits 0
run trace "$model" -p template-fit
check "its decision has a sentence" says '"sentence":"applauds with 6 hands: the template works"'
check "and its operand a name" says '"operands":\{"hands":6\}'
run trace "$model" -p template-fit --set cheer=3
check "and its parameter is heeded" says '"hands":18'
run trace "$model" -p template-fit --where 'hands == 6'
check "which conditions know" says '"kind":"applaud"'
printf 'template 640' >one.template
run plan one.template -p template-fit --format json
check "the format is read" json '.peak == 640'
run export "$model" --view template --theme template -o view.svg
check "the view is drawn, in the theme" exits 0
printf 'pane template\ngreet\n' >keys
run "$model" -p template-fit --script keys --screen 110x30
check "the view is a pane" says 'A view from the template of the tests'
check "the command speaks" says 'the template greets'
printf 'key :\nkey g\nkey r\nkey e\nkey Tab\n' >keys
run "$model" --script keys --screen 110x30
check "the command is completed" says '^:greet '
finish
