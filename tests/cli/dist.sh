#!/usr/bin/env bash
# meson dist: what a release has builds by itself, without git and whatever else lies beside the sources.
. "$(dirname "$0")/lib.bash"
if [ "$(git -C "$SOURCE" rev-parse --show-toplevel 2>/dev/null)" != "$SOURCE" ]; then
    echo "skipped: this is no clone, and meson dist makes releases of clones"
    finished=yes
    exit 77
fi
version=$(sed -n "s/^ *version: '\([0-9.]*\)'.*/\1/p" "$SOURCE/meson.build" | head -1)
CC=${CC:-cc} meson setup "$tmp/build" "$SOURCE" >"$tmp/out" 2>"$tmp/err"
meson dist -C "$tmp/build" --no-tests --allow-dirty --formats gztar >"$tmp/out" 2>"$tmp/err"
status=$?
check "meson dist" exits 0
archive=$tmp/build/meson-dist/stowage-$version.tar.gz
check "the release has the version of the program" [ -s "$archive" ]
check "with its sum" same "$(cd "$(dirname "$archive")" && sha256sum -c "$archive.sha256sum" 2>&1)" "stowage-$version.tar.gz: OK"
tar -xf "$archive" -C "$tmp"
release=$tmp/stowage-$version
check "it has what git has" same "$(git -C "$SOURCE" ls-tree -r --name-only HEAD | sort)" "$(cd "$release" && find . -type f -o -type l | sed 's#^\./##' | sort)"
CC=${CC:-cc} meson setup "$release/build" "$release" -Dwerror=true >"$tmp/out" 2>"$tmp/err"
status=$?
check "it is configured" exits 0
ninja -C "$release/build" stowage stowage.1 libstowage >"$tmp/out" 2>"$tmp/err"
status=$?
check "it builds" exits 0
STOWAGE=$release/build/stowage
run --version
check "the program is of this version" same "$(cat "$tmp/out")" "stowage $version"
run plan "$release/scripts/models/example1.json" -p lifetime --format json
check "it plans" json '.peak == 5120'
check "its tests are there" same 0 "$(meson test -C "$release/build" --list >"$tmp/out" 2>&1; echo $?)"
check "all of them" [ "$(grep -c : "$tmp/out")" -gt 200 ]
# Some of them, from where the release lies.
for suite in examples sources; do
    [ "$suite" = sources ] && { check "its sources are whole" "$release/tests/sources.sh"; continue; }
    check "its tests pass there: $suite" env SOURCE="$release" BUILD="$release/build" STOWAGE="$STOWAGE" SANITIZE=none bash "$release/tests/cli/$suite.sh"
done
finish
