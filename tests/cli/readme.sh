#!/usr/bin/env bash
# The tour in the README: every command in its ```console blocks is run, and must print what is shown.
# "readme.sh update" writes what it prints into the README instead.
if [ "${1-}" = update ]; then
    SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
    STOWAGE=${STOWAGE:-$SOURCE/build/stowage}
fi
. "$(dirname "$0")/lib.bash"
readme=$SOURCE/README.md
mkdir "$tmp/bin" "$tmp/tour"
ln -s "$STOWAGE" "$tmp/bin/stowage"
ln -s "$SOURCE/scripts" "$tmp/tour/scripts"
PATH=$tmp/bin:$PATH
cd "$tmp/tour" || exit 1

# Seconds are the only figures that may differ.
steady() { sed -E 's/[0-9]+\.[0-9]{3} s$/N s/; s/ +[0-9]+\.[0-9]{3}$/ N/' "$1"; }

command='' inside=no commands=0
: >"$tmp/new"
# Run the command before the present line, and compare.
conclude() {
    [ -n "$command" ] || return
    commands=$((commands + 1))
    bash -c "$command" >"$tmp/shown" 2>&1 </dev/null
    cat "$tmp/shown" >>"$tmp/new"
    check "$command" diff <(steady "$tmp/expected") <(steady "$tmp/shown")
    command=''
}
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
if [ "${1-}" = update ]; then
    cat "$tmp/new" >"$readme"
    exit
fi
check "the tour has commands" [ "$commands" -ge 10 ]
check "the README shows a picture" [ -s "$SOURCE/$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$readme" | head -n 1)" ]
for link in $(grep -oE '\]\([^)#]+\)' "$readme" | tr -d '])('); do
    check "$link is there" [ -e "$SOURCE/$link" ]
done
finish
