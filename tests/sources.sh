#!/usr/bin/env bash
# Which sources are compiled by nothing, a sentence each; exit status 1 when there is one. File names are unique, so a name in a
# meson.build or a table (*.def) is that of one file.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
forgotten=$(comm -23 \
    <(find app engine -name '*.c' ! -path 'engine/examples/*' ! -path 'engine/record/*' | sed 's#.*/##' | sort) \
    <(find app engine meson.build \( -name meson.build -o -name '*.def' \) -exec grep -ohE "[A-Za-z0-9_]+\.c['\"]" {} + | tr -d "'\"" | sort -u))
for name in $forgotten; do
    file=$(find app engine -name "$name")
    case $(grep -ohE '^const struct sw_(planner|view|format) ' "$file" | head -1) in
    *planner*) where=engine/planners/planners.def ;;
    *view*) where=app/view/views.def ;;
    *format*) where=app/formats.def ;;
    *) where="its folder's meson.build" ;;
    esac
    echo "$file is compiled by nothing: it wants a line in $where"
done
[ -z "$forgotten" ]
