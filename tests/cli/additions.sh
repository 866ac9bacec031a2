#!/usr/bin/env bash
# Adding a planner, a view, a format, a command and a kind of decision is a file and a line each: the templates of
# additions/ are added to a copy of the sources, and what comes of it lists them, plans with, reads, draws and runs them. Only what
# depends on the tables is compiled; the rest is linked from the build.
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
echo 'X(greet, "greet", "", "", "", HEADLESS, LIVE, "Looking", "From the template of the tests.")' >>app/command/commands.def
echo 'DECISION(APPLAUD, applaud, "applaud", "the tests are pleased",
         OPERAND(count, hands, AMOUNT),
         "applauds with {hands} hand{hands~s}{why}")' >>engine/search/decisions.def

mkdir themes
cp "$SOURCE"/themes/*.lua themes
sed 's/name = "[^"]*"/name = "template"/' themes/dark.lua >themes/template.lua
echo 'THEME(template)' >>app/lua/themes.def

# meson compiles the files that the tables name.
mkdir tests
touch tests/meson.build
cp -r "$SOURCE/scripts" .
check "meson takes the sources" meson setup build
for file in greedy_template_fit panes_template_view graphs_template_format; do
    check "meson compiles $file" grep -q "_$file\\.c\\.o:" build/build.ninja
done

# As the build compiles app/view/view_table.c, but quickly and from here.
flags=$(jq -r --arg source "$SOURCE" 'map(select(.file | endswith("app/view/view_table.c")))[0].command' \
    "$BUILD/compile_commands.json" | grep -oE -- "-(I|D|f|std)[^ ]*( |$)|'-D[^']*'" | grep -vE -- '-I(\.\./)?(app|engine)' |
    grep -v libstowage | tr '\n' ' ')
changed="engine/planners/planner_table.c engine/planners/greedy/template_fit.c engine/search/decision.c
    engine/search/sentence.c app/view/view_table.c app/view/panes/template_view.c app/formats/format_table.c
    app/formats/graphs/template_format.c app/command/tables.c app/command/look/template_command.c app/lua/theme_file.c
    $(grep -lE 'SW_DECISION_KIND_COUNT|SW_COMMANDS' -r app --include='*.c')"
objects=
compiles() {
    local file
    for file in $(tr ' ' '\n' <<<"$changed" | sort -u); do
        eval "${CC:-cc} -std=c11 -D_GNU_SOURCE -O0 -Wall -Wextra $flags -Iapp -Iengine -c $file -o $(tr / _ <<<"$file").o" || return 1
        objects="$objects $(tr / _ <<<"$file").o"
    done
}
compiles >compiled.log 2>&1
check "the templates and what depends on the tables compile" same 0 "$?"
check "without a warning" same "" "$(cat compiled.log)"
libraries=$(pkg-config --libs jansson expat zlib lua5.4 cairo cairo-svg cairo-pdf pangocairo ncursesw fontconfig glib-2.0 libpcre2-8)
# shellcheck disable=SC2086
check "they link" ${CC:-cc} -o stowage "$BUILD/stowage.p/app_main.c.o" $objects -Wl,--start-group \
    "$BUILD/app/libstowage-app.a" "$BUILD/engine/libstowage.a" -Wl,--end-group $libraries -lm
STOWAGE=$tmp/stowage
export STOWAGE_DATA=$tmp
model=$SOURCE/scripts/models/example1.json

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
