#!/usr/bin/env bash
# The tour in the README and the pages it leads to: every command in their ```console blocks is run, and must print what
# is shown. "readme.sh update" writes what it prints into the pages instead.
if [ "${1-}" = update ]; then
    SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
    STOWAGE=${STOWAGE:-$SOURCE/build/stowage}
fi
. "$(dirname "$0")/lib.bash"
mkdir "$tmp/bin"
ln -s "$STOWAGE" "$tmp/bin/stowage"
PATH=$tmp/bin:$PATH

# Seconds are the only figures that may differ.
steady() { sed -E 's/[0-9]+\.[0-9]{3} s$/N s/; s/ +[0-9]+\.[0-9]{3}$/ N/' "$1"; }

command='' inside=no commands=0
# Run the command before the present line, and compare.
conclude() {
    [ -n "$command" ] || return
    commands=$((commands + 1))
    bash -c "$command" >"$tmp/shown" 2>&1 </dev/null
    cat "$tmp/shown" >>"$tmp/new"
    check "$command" diff <(steady "$tmp/expected") <(steady "$tmp/shown")
    command=''
}
# The examples of scripts/README.md are run by examples.sh; what those of malloc.md print is the machine's.
pages_with() { (cd "$SOURCE" && grep -rlE --include='*.md' -- "$1" README.md app engine scripts themes tests | sort); }
for page in $(pages_with '^```console' | grep -vE '^(scripts/README|engine/record/malloc).md$'); do
    if [ "$page" = engine/record/flaw.md ] && ! command -v cc >/dev/null; then
        skip "$page: there is no cc"
        continue
    fi
    readme=$SOURCE/$page
    rm -rf "$tmp/tour"
    mkdir "$tmp/tour"
    ln -s "$SOURCE/scripts" "$SOURCE/engine" "$tmp/tour/"
    cd "$tmp/tour" || exit 1
    : >"$tmp/new"
    while IFS= read -r line; do
        if [ "$inside" = yes ] && [ "$line" = '```' ]; then
            conclude
            inside=no
        elif [ "$inside" = yes ] && [ "${line#\$ }" != "$line" ]; then
            conclude
            command=${line#\$ }
            : >"$tmp/expected"
        elif [ "$inside" = yes ]; then
            printf '%s\n' "$line" >>"$tmp/expected"
            continue
        elif [ "$line" = '```console' ]; then
            inside=yes
        fi
        printf '%s\n' "$line" >>"$tmp/new"
    done <"$readme"
    [ "${1-}" != update ] || cat "$tmp/new" >"$readme"
done
for page in $(pages_with '\]\('); do
    for link in $(grep -oE '\]\([^)#]+\)' "$SOURCE/$page" | tr -d '])(' | grep -v '^http'); do
        check "$page: $link is there" [ -e "$SOURCE/$(dirname "$page")/$link" ]
    done
done
if [ "${1-}" = update ]; then
    finished=yes
    exit 0
fi
check "the tour has commands" [ "$commands" -ge 10 ]
check "the README shows a picture" [ -s "$SOURCE/$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$SOURCE/README.md" | head -n 1)" ]
finish
